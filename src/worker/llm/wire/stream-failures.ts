// The two ways in which a reply goes wrong without a word from the server: it stops, or it cannot be read.
import type { ModelFailure } from '../../../storage/log/model-call.ts'

/** `blocks`: how many had begun; `noise`: the last thing that came and was no event of a reply. */
export const stoppedStream = (blocks: number, noise: string): ModelFailure => {
  const what =
    blocks === 0 ? 'The server closed the connection without a reply.' : 'The reply stopped in the middle; what had arrived is kept.'
  const words = noise === '' ? '' : ` The last that came was: ${noise.trim()}`
  return { class: 'transport', code: 'stream-stopped', transient: true, message: `${what} Try again.${words}` }
}

export const unreadableReply = (data: string): ModelFailure => ({
  class: 'protocol',
  code: 'unreadable-reply',
  transient: true,
  message: `The server sent something that cannot be read as a reply. Try again; if it stays, check the base URL and the server. It began: ${data.trim().slice(0, 120)}`,
})
