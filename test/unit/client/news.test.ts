// The page's end of what changed: over the death of a worker, and for several listeners.
import { expect, test, vi } from 'vitest'
import { hostFacade } from '../../../src/worker/client/host-facade.ts'
import { clientNews } from '../../../src/worker/client/news.ts'
import type { Health } from '../../../src/worker/client/worker-link.ts'

const fakeLink = () => {
  const ports: MessagePort[] = []
  const listeners = new Set<(health: Health) => void>()
  const link = {
    host: hostFacade(async (group, command, input) => {
      if (`${group}.${command}` === 'news.listen' && 'port' in input) ports.push(input.port as MessagePort)
    }),
    onHealth(listener: (health: Health) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const setHealth = (health: Health): void => {
    for (const listener of listeners) listener(health)
  }
  return { link, ports, setHealth, listeners }
}

test('H5 the worker that took the place of a dead one is listened to, and anything may have changed meanwhile', async () => {
  const { link, ports, setHealth } = fakeLink()
  const heard: string[] = []
  const stop = clientNews(link).subscribe((about) => heard.push(about))
  ports[0]?.postMessage({ about: 'sessions' })
  await vi.waitFor(() => expect(heard).toEqual(['sessions']))
  setHealth({ kind: 'restarting', message: 'It died.' })
  setHealth({ kind: 'ready' })
  expect(heard).toEqual(['sessions', 'anything'])
  ports[1]?.postMessage({ about: 'providers' })
  await vi.waitFor(() => expect(heard).toEqual(['sessions', 'anything', 'providers']))
  stop()
})

test('H3 the worker is listened to once for all, and no more when nobody listens', () => {
  const { link, ports, listeners } = fakeLink()
  const news = clientNews(link)
  const ends = [news.subscribe(() => {}), news.subscribe(() => {})]
  expect([ports.length, listeners.size]).toEqual([1, 1])
  for (const end of ends) end()
  expect(listeners.size).toBe(0)
  news.subscribe(() => {})()
  expect(ports.length).toBe(2)
})
