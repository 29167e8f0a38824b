// Why a model could not be downloaded, as far as a browser lets it be found out, in words that complete "… could not be downloaded: …".
import { explainFetchFailure } from '../../llm/explain-fetch-failure.ts'
import type { Surroundings } from '../models/surroundings.ts'
import { whyUnreachable } from '../models/why-unreachable.ts'

/** By the code of a failed connection. */
const WORDS: Readonly<Record<string, string>> = {
  offline: 'this device is offline.',
  'origin-refused': 'that site answers, but lets no other page read its files (CORS). Choose another address, or add the file itself.',
  'blocked-by-policy': 'the policy of this page lets it reach every https address, and http on this computer only.',
  'mixed-content': 'a page on https may not load from plain http. Use an https address.',
  'not-running': 'nothing answers there. Start the server, and check its port.',
  'local-network-denied':
    'this browser was told not to let this page reach this computer or its network. Allow it in the page’s site settings.',
}

/** `error`: what fetch threw. */
export const whyNoDownload = async (url: string, error: unknown, here: Surroundings, signal: AbortSignal): Promise<string> => {
  const known = explainFetchFailure(url, error, { online: here.online(), origin: here.origin })
  const { code = '' } = await whyUnreachable(known, url, here, signal)
  return WORDS[code] ?? 'the connection failed, or something on this device stopped it.'
}
