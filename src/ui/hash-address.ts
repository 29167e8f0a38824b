// The session on the screen in the page's address, as `#session=ID`: a reload, a bookmark and the back button find it.
// Without an id it is the start page.
import type { Address } from './state/app-state.ts'

const read = (hash: string): string | undefined => new URLSearchParams(hash.replace(/^#/, '')).get('session') || undefined

export const hashAddress = (page: Window): { readonly address: Address; listen(onChange: (id: string | undefined) => void): void } => ({
  address: {
    read: () => read(page.location.hash),
    write(id) {
      if (id === read(page.location.hash)) return
      const url = id === undefined ? page.location.pathname + page.location.search : `#session=${encodeURIComponent(id)}`
      page.history.pushState(null, '', url) // tells nobody, unlike setting the hash
    },
  },
  listen(onChange) {
    page.addEventListener('popstate', () => onChange(read(page.location.hash)))
  },
})
