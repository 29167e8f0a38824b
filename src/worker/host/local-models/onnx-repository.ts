// The address of a repository of ONNX weights → the files of it that make a model. Only one hub tells pages what its repositories hold.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { Gpu } from '../../capabilities/local-models/transformers/gpu.ts'
import { filesOfOnnxModel } from '../../capabilities/local-models/transformers/model-files.ts'
import type { Fetch } from '../../llm/adapters/stream-response.ts'
import type { SavedPart } from './saved-models.ts'
import { partsIn } from './weights-source.ts'

const HUB = 'huggingface.co'

/** `undefined` for any other address. */
export const repositoryOf = (address: string): string | undefined => {
  const url = URL.canParse(address.trim()) ? new URL(address.trim()) : undefined
  return url?.hostname === HUB ? /^\/([\w.-]+\/[\w.-]+)\/?$/.exec(url.pathname)?.[1] : undefined
}

/** Errors: `command/invalid` for a repository without such a model, `model/failed` when the hub does not answer. */
export const partsOfRepository = async (repository: string, fetch: Fetch, gpu: Gpu): Promise<readonly SavedPart[]> => {
  const names = await namesIn(repository, fetch)
  const files = filesOfOnnxModel(names, gpu)
  if (files !== undefined) return partsIn(`https://${HUB}/${repository}/resolve/main/`, files)
  const what = names.some((name) => name.endsWith('.gguf'))
    ? 'holds GGUF files: give the address of one of them'
    : 'holds no ONNX model that can be run here'
  throw new SideloopError('command/invalid', `The repository ${repository} ${what}.`)
}

const namesIn = async (repository: string, fetch: Fetch): Promise<readonly string[]> => {
  const failed = (why: string) =>
    new SideloopError('model/failed', `${HUB} does not tell what ${repository} holds: ${why}. Try again, or give the address of a file.`)
  let listed: unknown
  try {
    const response = await fetch(`https://${HUB}/api/models/${repository}`, { credentials: 'omit', referrerPolicy: 'no-referrer' })
    if (response.status === 401 || response.status === 404) throw failed('there is no such repository, or it wants a sign-in')
    if (!response.ok) throw failed(`status ${response.status}`)
    listed = await response.json()
  } catch (error) {
    throw error instanceof SideloopError ? error : failed('the connection failed')
  }
  const files = typeof listed === 'object' && listed !== null && 'siblings' in listed ? listed.siblings : undefined
  if (!Array.isArray(files)) throw failed('its answer is no list of files')
  return files.flatMap((file: { readonly rfilename?: unknown } | null) => (typeof file?.rfilename === 'string' ? [file.rfilename] : []))
}
