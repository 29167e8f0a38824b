// Tells an event stream from a whole body by its first byte, whatever the content type says: servers get that header wrong.

export interface BodySink {
  push(bytes: Uint8Array): void
  end(): void
}

const BLANK_OR_MARK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
/** `{`, `[` and `<`: no field name of an event stream begins so. */
const WHOLE_HEADS: ReadonlySet<number> = new Set([0x7b, 0x5b, 0x3c])

/** Events go on piece by piece; JSON or a page is collected and given as text at the end. */
export const splitByForm = (events: BodySink, whole: (text: string) => void): BodySink => {
  let form: 'unknown' | 'events' | 'whole' = 'unknown'
  const held: Uint8Array[] = []
  return {
    push(bytes) {
      if (form === 'unknown') {
        const head = bytes.find((byte) => !BLANK_OR_MARK.has(byte))
        if (head !== undefined) form = WHOLE_HEADS.has(head) ? 'whole' : 'events'
        if (form === 'events') for (const early of held.splice(0)) events.push(early)
      }
      if (form === 'events') events.push(bytes)
      else held.push(bytes)
    },
    end() {
      if (form === 'whole') {
        const decoder = new TextDecoder()
        whole(held.map((bytes) => decoder.decode(bytes, { stream: true })).join('') + decoder.decode())
        return
      }
      for (const early of held) events.push(early)
      events.end()
    },
  }
}
