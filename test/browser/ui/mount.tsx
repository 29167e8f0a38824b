// The page over a scripted client, in a real browser.
import { render } from 'preact'
import { expect, vi } from 'vitest'
import { AppPage } from '../../../src/ui/app.tsx'
import type { App } from '../../../src/ui/state/app-state.ts'
import { createApp } from '../../../src/ui/state/app-state.ts'
import type { Keepsakes } from '../../../src/ui/state/keepsakes.ts'
import '../../../src/ui/styles/tokens.css'
import '../../../src/ui/styles/base.css'
import '../../../src/ui/styles/layout.css'
import '../../../src/ui/styles/conversation.css'
import '../../../src/ui/styles/prose.css'
import '../../../src/ui/styles/tools.css'
import '../../../src/ui/styles/composer.css'
import '../../../src/ui/styles/asking.css'
import '../../../src/ui/styles/sessions.css'
import '../../../src/ui/styles/settings.css'
import '../../../src/ui/styles/local-models.css'
import { scriptedClient } from './scripted-client.ts'

export const memoryKeepsakes = (given: Readonly<Record<string, string>> = {}): Keepsakes & { readonly all: Map<string, string> } => {
  const all = new Map(Object.entries(given))
  return { all, get: (name) => all.get(name), set: (name, value) => void (value === '' ? all.delete(name) : all.set(name, value)) }
}

type Given = Parameters<typeof scriptedClient>[0] & {
  readonly keepsakes?: Keepsakes
  readonly address?: string
  readonly before?: (scripted: ReturnType<typeof scriptedClient>) => void
}

export type Mounted = Awaited<ReturnType<typeof mountApp>>

const mounted = new Set<() => void>()

export const mountApp = async (given: Given = {}) => {
  const scripted = scriptedClient(given)
  given.before?.(scripted)
  const place = document.createElement('div')
  place.id = 'app'
  place.style.cssText = 'position:fixed;inset:0;height:100%'
  document.body.append(place)
  let ids = 0
  const saved: { readonly name: string; readonly file: Blob }[] = []
  let address = given.address
  const app: App = createApp({
    client: scripted.client,
    keepsakes: given.keepsakes ?? memoryKeepsakes(),
    address: {
      read: () => address,
      write: (id) => {
        address = id
      },
    },
    root: document.documentElement,
    media: matchMedia('(max-width: 1px)'),
    now: () => given.now ?? Date.now(),
    newId: () => `message-${++ids}`,
    saveFile: (name, file) => void saved.push({ name, file }),
  })
  render(<AppPage app={app} />, place)
  mounted.add(() => {
    render(null, place)
    app.dispose()
    place.remove()
  })
  await app.start()
  await frame()
  const one = <E extends Element = HTMLElement>(selector: string): E => {
    const found = place.querySelector<E>(selector)
    if (found === null) throw new Error(`Nothing on the page matches ${selector}`)
    return found
  }
  const button = (name: string): HTMLButtonElement => {
    const found = [...place.querySelectorAll('button')].find((each) => nameOf(each) === name)
    if (found === undefined) throw new Error(`No button is called ${name}`)
    return found
  }
  const item = (name: string): HTMLElement => {
    const found = [...place.querySelectorAll<HTMLElement>('[role=menuitem]')].find((each) => nameOf(each).startsWith(name))
    if (found === undefined) throw new Error(`No entry of the menu is called ${name}`)
    return found
  }
  return {
    ...scripted,
    app,
    /** What was given to the person as downloads. */
    saved,
    place,
    one,
    all: (selector: string) => [...place.querySelectorAll<HTMLElement>(selector)],
    /** The element, as soon as it is there. */
    soon: (selector: string) => vi.waitFor(() => one(selector)),
    button,
    /** Opens the menu of that name and chooses. */
    choose: async (menu: string, entry: string): Promise<void> => {
      button(menu).click()
      await frame()
      item(entry).click()
      await frame()
    },
    menuItem: (name: string) => item(name),
    message: () => one<HTMLTextAreaElement>('#composer-text'),
    address: () => address,
  }
}

export const unmountAll = (): void => {
  for (const end of mounted) end()
  mounted.clear()
}

const nameOf = (button: Element): string => (button.getAttribute('aria-label') ?? button.textContent ?? '').trim()

/** Two frames: state is drawn in the first and observed by the second. */
export const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))

/** Writes as a person does, with an input event. */
export const type = async (field: HTMLTextAreaElement | HTMLInputElement, text: string): Promise<void> => {
  field.focus()
  field.value = text
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  await frame()
}

export const press = async (
  target: HTMLElement,
  key: string,
  init: KeyboardEventInit & { readonly keyCode?: number } = {},
): Promise<KeyboardEvent> => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init })
  target.dispatchEvent(event)
  await frame()
  return event
}

export const row = (id: string, title: string, status: 'idle' | 'running' | 'failed' = 'idle', updatedAt = 0) =>
  ({ id, title, status, createdAt: 0, updatedAt, turns: 1, cost: null }) as const

export const shownText = (element: Element): string => (element.textContent ?? '').replace(/\s+/g, ' ').trim()
export const expectSoon = (check: () => void): Promise<void> => vi.waitFor(check)
export { expect }
