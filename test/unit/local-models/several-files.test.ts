// Models of several files: those of a folder, and those of a hub's repository, which is asked what it holds.
import { describe, expect, test } from 'vitest'
import { localWorld, never } from './local-world.ts'

const page = new TextEncoder().encode('<!doctype html><title>Sign in</title>')

describe('W15 models of several files', () => {
  const FILES = {
    'config.json': '{"model_type":"llama","max_position_embeddings":2048}',
    'tokenizer.json': '{}',
    'tokenizer_config.json': '{"chat_template":"{% if tools %}{{ tools }}{% endif %}"}',
    'onnx/model_q4.onnx': 'weights',
  }
  const bytesOf = (file: string) => ({ bytes: new TextEncoder().encode(FILES[file as keyof typeof FILES]) })
  const offered = [{ id: 'tiny', label: 'Tiny', url: 'https://models.example/repository', files: Object.keys(FILES) }]

  test('all of an ONNX model’s files come, and go to its engine under their own names', async () => {
    const { models, engine } = await localWorld({ offered, answers: Object.keys(FILES).map(bytesOf) })
    await models.download({ id: 'tiny' })
    expect(models.info('tiny')).toMatchObject({ contextWindow: 2048, textCalls: true })
    await models.use('tiny', async () => {}, never)
    expect(engine.loads[0]?.files.map(({ name }) => name)).toEqual(Object.keys(FILES))
  })

  test('a web page in the place of one of them is refused', async () => {
    const { models } = await localWorld({ offered, answers: [bytesOf('config.json'), { bytes: page }] })
    await expect(models.download({ id: 'tiny' })).rejects.toThrow('in the place of tokenizer.json there is a web page')
  })

  test('the address of a repository is enough: it is asked what it holds', async () => {
    const siblings = [...Object.keys(FILES), 'onnx/model_fp16.onnx', 'README.md'].map((rfilename) => ({ rfilename }))
    const { models, server } = await localWorld({
      offered: [],
      answers: [Response.json({ siblings }), ...Object.keys(FILES).map(bytesOf)],
    })
    const { id } = await models.add({ source: { url: 'https://huggingface.co/someone/Tiny-ONNX' } })
    await models.download({ id })
    expect(await models.list({})).toMatchObject([{ label: 'Tiny-ONNX', added: true, state: { kind: 'kept' } }])
    expect(server.asked).toHaveLength(5)
  })

  test.each([
    [Response.json({ siblings: [{ rfilename: 'model.gguf' }] }), 'command/invalid', 'give the address of one of them'],
    [Response.json({ siblings: [{ rfilename: 'README.md' }, null, { rfilename: 7 }] }), 'command/invalid', 'no ONNX model'],
    [new Response('', { status: 404 }), 'model/failed', 'no such repository'],
    [new Response('<html>'), 'model/failed', 'the connection failed'],
    [Response.json([]), 'model/failed', 'no list of files'],
  ])('a repository that is no such model is refused with the reason (%#)', async (answer, code, words) => {
    const { models } = await localWorld({ offered: [], answers: [answer] })
    const added = models.add({ source: { url: 'https://huggingface.co/someone/thing' } })
    await expect(added).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
  })
})
