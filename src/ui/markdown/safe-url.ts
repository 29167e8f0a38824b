// Where a model's link may lead: three schemes, nothing relative, nothing that runs.

/** `label` is what a person must see before clicking: the host, or the address of a mail. */
export type SafeUrl = { readonly href: string; readonly label: string }

const SCHEMES = new Set(['http:', 'https:', 'mailto:'])

/** Undefined for anything that is not a whole `http`, `https` or `mailto` address. */
export const safeUrl = (address: string): SafeUrl | undefined => {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    return undefined // relative or broken: there is nowhere to go
  }
  if (!SCHEMES.has(url.protocol)) return undefined
  return { href: url.href, label: url.protocol === 'mailto:' ? url.pathname : url.host }
}
