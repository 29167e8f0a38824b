// The project's own rules, checked: who imports whom, how files are named and how long they are, what may not be written.
// Every rule is tried on a text that breaks it, so that a rule that sees nothing cannot pass for a clean tree.
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { codeProblems, globalProblems } from './architecture/check-code.ts'
import { firstLineProblems, foldersToExplain, lengthProblems, nameProblems, readmeProblems } from './architecture/check-files.ts'
import { importProblems } from './architecture/check-imports.ts'
import { addressProblems, leftoverProblems, testProblems } from './architecture/check-words.ts'
import { zones } from './architecture/rules.ts'
import { importsOf } from './architecture/source-text.ts'
import { type File, readTree } from './architecture/tree.ts'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')
const tree = readTree(root)
const file = (path: string, ...lines: readonly string[]): File => ({ path, text: lines.join('\n') })

describe('the tree', () => {
  test('L73 imports go only where the table lets them: the loop, for one, imports no plugin', () =>
    expect(importProblems(tree)).toEqual([]))
  test('S15 each suite of a storage port is run on both adapters', () => {
    const suites = tree.flatMap(({ path, text }) =>
      path.startsWith('test/contract/') && text.includes('storage-harness.ts')
        ? [...text.matchAll(/export const (\w+Suite) =/g)].map(([, name]) => name ?? '')
        : [],
    )
    const runs = (path: string) => tree.find((each) => each.path === path)?.text ?? ''
    const missing = ['test/unit/storage/memory-stores.test.ts', 'test/browser/storage/idb-stores.test.ts'].flatMap((path) =>
      suites.filter((name) => !runs(path).includes(`\n${name}(`)).map((name) => `${path}: ${name}`),
    )
    expect(suites.length).toBeGreaterThan(5)
    expect(missing).toEqual([])
  })
  test('no file is longer than 400 lines', () => expect(lengthProblems(tree)).toEqual([]))
  test('files are named for an idea, in kebab-case', () => expect(nameProblems(tree)).toEqual([]))
  test('every file says in its first line what it is for', () => expect(firstLineProblems(tree)).toEqual([]))
  test('every folder of src has a short README', () => expect(readmeProblems(tree)).toEqual([]))
  test('no type, cast or export says less than it could', () => expect(codeProblems(tree)).toEqual([]))
  test('the core names nothing that only one platform has', () => expect(globalProblems(tree)).toEqual([]))
  test('no test is skipped or sleeps, and names say what is', () => expect(testProblems(tree)).toEqual([]))
  test('nothing is left unfinished', () => expect(leftoverProblems(tree)).toEqual([]))
  test('no package host and no place on one machine is named', () => expect(addressProblems(tree, [root, homedir()])).toEqual([]))

  test('ARCHITECTURE.md has a row for every zone of the import table', () => {
    const text = tree.find((candidate) => candidate.path === 'ARCHITECTURE.md')?.text ?? ''
    const rows = new Set([...text.matchAll(/^\|\s*`([^`]+)`/gm)].map((match) => match[1]))
    expect(zones.map((zone) => zone.name).filter((name) => !rows.has(name))).toEqual([])
  })
})

describe('a broken rule is seen', () => {
  const imports = (path: string, line: string) => importProblems([file(path, line)])

  test.each([
    ['the page reaches into the loop', 'src/ui/app.tsx', "import { runTurn } from '../worker/loop/run-turn.ts'"],
    ['the page reaches into IndexedDB', 'src/ui/state/sessions.ts', "import { open } from '../../storage/idb/open-database.ts'"],
    ['storage knows the worker', 'src/storage/log/events.ts', "import type { Agent } from '../../worker/hooks/agent.ts'"],
    ['the worker knows the page', 'src/worker/host/serve.ts', "import { App } from '../../ui/app.tsx'"],
    ['source knows tests', 'src/worker/loop/agent.ts', "import { kit } from '../../../test/kit/scripted-model.ts'"],
    ['one plugin imports another', 'src/worker/plugins/retry.ts', "import type { Titles } from './titles.ts'"],
    ['a plugin uses more than the types of the loop', 'src/worker/plugins/retry.ts', "import { runTurn } from '../loop/run-turn.ts'"],
    ['a tool runs a capability', 'src/worker/tools/run-js.ts', "import { start } from '../capabilities/js/sandbox.ts'"],
    ['the loop knows an adapter', 'src/worker/loop/agent.ts', "const adapter = await import('../llm/adapters/openai-chat.ts')"],
    ['the adapters of storage know each other', 'src/storage/idb/sessions.ts', "export { memory } from '../memory/sessions.ts'"],
    ['a package is used outside its place', 'src/worker/loop/agent.ts', "import { z } from 'zod'"],
    [
      'a worker is started from anywhere',
      'src/ui/state/a.ts',
      "new Worker(new URL('../../worker/host/entries/browser.worker.ts', import.meta.url))",
    ],
    ['a folder is not in the table', 'src/shared/a.ts', ''],
  ])('%s', (_what, path, line) => {
    expect(imports(path, line)).toHaveLength(1)
  })

  test('what the table allows passes', () => {
    expect(imports('src/worker/plugins/retry.ts', "import type { Scope } from '../loop/scope.ts'")).toEqual([])
    expect(imports('src/worker/plugins/retry.ts', "import { type Scope, type Plugin } from '../loop/scope.ts'")).toEqual([])
    expect(imports('src/worker/plugins/task/a.ts', "import { b } from './b.ts'")).toEqual([])
    expect(imports('src/ui/main.tsx', "new URL('../worker/host/entries/browser.worker.ts', import.meta.url)")).toEqual([])
  })

  test('imports are seen in every form, and not in comments or strings', () => {
    const text = [
      "import a, { b } from './1.ts'",
      "import './2.css'",
      "export type {\n  C,\n} from './3.ts'",
      "type D = import('./4.ts').D",
      "const e = import('./5.ts')",
      "// import { f } from './comment.ts'",
      "const g = `import { h } from './template.ts'`",
      'const i = "import \'./string.ts\'"',
      "const j = /'/.test(k) // import './pattern.ts'",
    ].join('\n')
    expect(importsOf(text).map((found) => [found.specifier, found.typeOnly])).toEqual([
      ['./1.ts', false],
      ['./2.css', false],
      ['./3.ts', true],
      ['./4.ts', true],
      ['./5.ts', false],
    ])
  })

  test('a file of 401 lines', () => {
    expect(lengthProblems([file('src/ui/app.tsx', ...Array.from({ length: 401 }, () => '//'))])).toHaveLength(1)
    expect(lengthProblems([file('src/ui/app.tsx', ...Array.from({ length: 400 }, () => '//'))])).toEqual([])
  })

  test.each(['src/ui/utils.ts', 'src/ui/string-helpers.ts', 'src/worker/index.ts', 'src/ui/App.tsx', 'test/kit/types.ts'])(
    'the name %s',
    (path) => {
      expect(nameProblems([file(path)])).toHaveLength(1)
    },
  )

  test('a file without a first line that says what it is for', () => {
    expect(firstLineProblems([file('src/ui/app.tsx', "import './a.css'"), file('src/ui/app.css', '', '/* late */')])).toHaveLength(2)
    expect(firstLineProblems([file('src/ui/app.tsx', '// The page.')])).toEqual([])
  })

  test('a folder without a README, and one that is too long', () => {
    const folder = [file('src/ui/state/a.ts'), file('src/ui/state/b.ts')]
    expect(foldersToExplain(folder)).toEqual(['src/ui/state'])
    expect(readmeProblems(folder)).toHaveLength(1)
    expect(readmeProblems([...folder, file('src/ui/state/README.md', ...Array.from({ length: 41 }, () => 'line'))])).toHaveLength(1)
  })

  test.each([
    'const a: any = b',
    'const a = b as any',
    'const a: any[] = []',
    'const a = b as unknown as C',
    'type A = Record<string, any>',
    'export default a',
    'enum A { B }',
    "export * from './a.ts'",
    "eval('1')",
    '// @ts-ignore',
    '// @ts-expect-error it is late',
  ])('the code %s', (line) => {
    expect(codeProblems([file('src/ui/app.tsx', line)])).toHaveLength(1)
  })

  test('words that only look like a broken rule pass', () => {
    const lines = [
      'AbortSignal.any([a])',
      'const any = 1 // any',
      "const a = 'as any'",
      '<p>Ask for any file, or anything.</p>',
      '<i>{of(any)}</i>',
    ]
    expect(codeProblems(lines.slice(0, 4).map((line) => file('src/ui/app.tsx', line)))).toEqual([])
  })

  test.each(['self.name', 'window.name', 'f(document)', 'typeof indexedDB', 'new Worker(a)', 'navigator.locks', 'localStorage.a'])(
    'the global %s in the core',
    (line) => {
      expect(globalProblems([file('src/worker/loop/agent.ts', line)])).toHaveLength(1)
      expect(globalProblems([file('src/worker/host/serve.ts', line)])).toEqual([])
    },
  )

  test('a property of the same name is no global', () => {
    expect(globalProblems([file('src/worker/llm/a.ts', 'a.document', 'const b = { window: 1 }', "'self'", 'contextWindow')])).toEqual([])
  })

  test.each([
    "test.skip('a', () => {})",
    "describe.only('a', () => {})",
    "test.todo('a')",
    "test('it should work', () => {})",
    "test.each([1])('%s should work', () => {})",
    'await page.waitForTimeout(5)',
    'await sleep(5)',
    'await new Promise((resolve) => setTimeout(resolve, 5))',
  ])('the test %s', (line) => {
    expect(testProblems([file('test/unit/a.test.ts', line)])).toHaveLength(1)
  })

  test('unfinished work, a package host and a place on one machine', () => {
    expect(leftoverProblems([file('src/ui/app.tsx', `// ${'TO'}${'DO'} later`)])).toHaveLength(1)
    expect(addressProblems([file('package-lock.json', `https://registry.npm${'js.org'}/a`)], [])).toHaveLength(1)
    expect(addressProblems([file('README.md', 'cd /srv/me/project && npm start')], ['/srv/me/project'])).toHaveLength(1)
    expect(addressProblems([file('README.md', `cd ${'/ho'}${'me'}/ann/project`)], [])).toHaveLength(1)
  })
})
