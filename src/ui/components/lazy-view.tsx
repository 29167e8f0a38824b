// A part of the page that its first load does without.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Dots } from './icons.tsx'

/** Where a browser has no idle time to tell of. In milliseconds. */
const LATER = 2000

/** `loadSoon`: when the page has nothing else to do, so that it is there at a click and without a network. */
export const lazyView = (load: () => Promise<ComponentType>): ComponentType & { readonly loadSoon: () => () => void } => {
  let View: ComponentType | undefined
  const get = async (): Promise<void> => {
    View ??= await load()
  }
  const Lazy = () => {
    const [failed, setFailed] = useState(false)
    const [, redraw] = useState(0)
    const look = () => {
      setFailed(false)
      get().then(
        () => redraw((count) => count + 1),
        () => setFailed(true),
      )
    }
    useEffect(() => (View === undefined ? look() : undefined), [])
    if (View !== undefined) return <View />
    return failed ? (
      <p class="lazy" role="alert">
        This could not be loaded. Is the network there?{' '}
        <button type="button" class="link-button" onClick={look}>
          Try again
        </button>
      </p>
    ) : (
      <p class="lazy" role="status">
        Loading <Dots />
      </p>
    )
  }
  const loadNow = () => void get().catch(() => {}) // tried again, and told, when it is needed
  return Object.assign(Lazy, {
    loadSoon() {
      if (typeof requestIdleCallback === 'function') {
        const idle = requestIdleCallback(loadNow)
        return () => cancelIdleCallback(idle)
      }
      const timer = setTimeout(loadNow, LATER)
      return () => clearTimeout(timer)
    },
  })
}
