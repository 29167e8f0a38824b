// The README's example is the one that the end-to-end test builds and runs.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const blocks = [...read('README.md').matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1])

test.each(['main.ts', 'agent.worker.ts', 'vite.config.ts'])('the README shows examples/embed/%s word for word', (name) => {
  expect(blocks).toContain(read(`examples/embed/${name}`))
})

test('every command of the README is a script of package.json', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const documents = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'].map(read).join('\n')
  const named = [...documents.matchAll(/\bnpm (?:run )?(start|test|bench|size|lint|format|dev|build(?::\w+)?|test:\w+)\b/g)].map(
    (match) => match[1],
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((name) => scripts[name ?? ''] === undefined)).toEqual([])
})

test('every file that the documents link to is there', () => {
  for (const document of ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'test/README.md']) {
    const folder = document.includes('/') ? document.replace(/[^/]+$/, '') : ''
    const links = [...read(document).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '')
    for (const link of links)
      expect(() => readFileSync(new URL(`../../../${folder}${link}`, import.meta.url)), `${document} → ${link}`).not.toThrow(/ENOENT/)
  }
})
