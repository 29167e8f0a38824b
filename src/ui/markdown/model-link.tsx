// Links and pictures in a model's text. Showing them asks nothing of anybody; only a click does.
import type { ComponentChildren } from 'preact'
import { decodeEntities } from './entities.ts'
import type { SafeUrl } from './safe-url.ts'
import { safeUrl } from './safe-url.ts'

/** `text` is the link's whole text as it was written, to tell whether it is its own address. */
export const ModelLink = (props: { readonly address: string; readonly text: string; readonly children: ComponentChildren }) => {
  const url = safeUrl(props.address)
  if (url === undefined) return <span class="link-dead">{props.children}</span>
  return (
    <a class="link" href={url.href} target="_blank" rel="noopener noreferrer" title={url.href}>
      <bdi class="link__words">{props.children}</bdi>
      {namesItself(props.text, url) ? null : <bdi class="link__host"> ({url.label})</bdi>}
    </a>
  )
}

/** Only words that are the host or the address and nothing else: a host inside other words can be a part of another host. */
const namesItself = (text: string, { href, label }: SafeUrl): boolean => {
  if (text === label) return true
  const begin = href.startsWith('mailto:') ? `mailto:${label}` : `${new URL(href).protocol}//${label}`
  return text.startsWith(begin) && safeUrl(text)?.href === href
}

/**
 * A picture's address can carry what the conversation says to whoever serves it, so it is never loaded here (the page's policy
 * would refuse as well): the placeholder names the host, and a click opens the picture in a tab of its own.
 */
export const ModelPicture = (props: { readonly address: string; readonly text: string }) => {
  const url = safeUrl(decodeEntities(props.address))
  const name = props.text === '' ? 'Picture' : props.text
  if (url === undefined) return <span class="picture">{name} (not shown: it has no web address)</span>
  return (
    <span class="picture" data-picture-host={url.label}>
      <span class="picture__name">{name}</span>
      <span class="picture__note">A picture from {url.label}, not loaded so that nothing is sent there.</span>
      <a class="picture__open" href={url.href} target="_blank" rel="noopener noreferrer" title={url.href}>
        Open in a new tab
      </a>
    </span>
  )
}
