// Links and pictures in a model's text. Showing them asks nothing of anybody; only a click does.
import type { ComponentChildren } from 'preact'
import { decodeEntities } from './entities.ts'
import { safeUrl } from './safe-url.ts'

/** `text` is the link's text without marks, to tell whether it already names the host. */
export const ModelLink = (props: { readonly address: string; readonly text: string; readonly children: ComponentChildren }) => {
  const url = safeUrl(props.address)
  if (url === undefined) return <span class="link-dead">{props.children}</span>
  return (
    <a class="link" href={url.href} target="_blank" rel="noopener noreferrer" title={url.href}>
      {props.children}
      {props.text.includes(url.label) ? null : <span class="link__host"> ({url.label})</span>}
    </a>
  )
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
