// The import table of ARCHITECTURE.md as data: which folder may import which, and which packages.

export type Zone = {
  readonly name: string
  /** Paths that belong to it; the first zone that matches a file has it. */
  readonly paths: RegExp
  /** Names of zones; its own files are always allowed, unless `separate`. */
  readonly may: readonly string[]
  /** Zones of which it may use the types and nothing that runs. */
  readonly mayTypes?: readonly string[]
  readonly packages?: readonly string[]
  /** Each file or folder directly inside stands alone: `plugins/a` never imports `plugins/b`. */
  readonly separate?: boolean
}

const worker = [
  'hooks',
  'protocol',
  'llm',
  'llm/wire',
  'llm/adapters',
  'prompt',
  'tools',
  'capabilities',
  'loop',
  'plugins',
  'host',
  'runtime',
  'client',
]
const storage = ['log', 'ports', 'idb', 'memory']
const shown = ['ui/components', 'ui/tool-views', 'ui/markdown']
const preact = ['preact', 'preact/hooks', '@preact/signals']

export const zones: readonly Zone[] = [
  { name: 'log', paths: /^src\/storage\/log\//, may: [] },
  { name: 'idb', paths: /^src\/storage\/idb\//, may: ['log', 'ports'], packages: ['idb'] },
  { name: 'memory', paths: /^src\/storage\/memory\//, may: ['log', 'ports'] },
  { name: 'ports', paths: /^src\/storage\/[^/]+$/, may: ['log'] },

  { name: 'hooks', paths: /^src\/worker\/hooks\//, may: ['log'] },
  { name: 'protocol', paths: /^src\/worker\/protocol\//, may: ['log'] },
  { name: 'llm/wire', paths: /^src\/worker\/llm\/wire\//, may: ['log', 'hooks', 'llm'], packages: ['eventsource-parser'] },
  { name: 'llm/adapters', paths: /^src\/worker\/llm\/adapters\//, may: ['log', 'hooks', 'llm', 'llm/wire'] },
  { name: 'llm', paths: /^src\/worker\/llm\//, may: ['log', 'hooks'] },
  { name: 'prompt', paths: /^src\/worker\/prompt\//, may: ['log', 'hooks'] },
  { name: 'tools', paths: /^src\/worker\/tools\//, may: ['log', 'hooks'], mayTypes: ['capabilities'] },
  {
    name: 'capabilities',
    paths: /^src\/worker\/capabilities\//,
    may: ['log', 'ports', 'protocol'],
    packages: [
      'quickjs-emscripten-core',
      '@jitl/quickjs-wasmfile-release-sync',
      'just-bash/browser',
      '@wllama/wllama',
      '@huggingface/transformers',
    ],
  },
  { name: 'loop', paths: /^src\/worker\/loop\//, may: ['log', 'hooks', 'llm', 'tools', 'prompt'] },
  {
    name: 'plugins',
    paths: /^src\/worker\/plugins\//,
    may: ['log', 'hooks', 'ports'],
    mayTypes: ['loop', 'llm', 'tools'],
    separate: true,
  },
  { name: 'client', paths: /^src\/worker\/client\//, may: ['log', 'protocol'], packages: ['comlink'] },
  { name: 'host', paths: /^src\/worker\/host\//, may: [...worker, ...storage], packages: ['comlink'] },
  { name: 'runtime', paths: /^src\/worker\/runtime\.ts$/, may: [...worker, ...storage] },

  { name: 'ui/state', paths: /^src\/ui\/state\//, may: ['client', 'protocol', 'log'], packages: ['@preact/signals'] },
  { name: 'ui/markdown', paths: /^src\/ui\/markdown\//, may: ['ui/state', 'log', ...shown], packages: [...preact, 'marked'] },
  { name: 'ui/components', paths: /^src\/ui\/components\//, may: ['ui/state', 'log', ...shown], packages: preact },
  { name: 'ui/tool-views', paths: /^src\/ui\/tool-views\//, may: ['ui/state', 'log', ...shown], packages: preact },
  { name: 'ui/styles', paths: /^src\/ui\/styles\//, may: [] },
  {
    name: 'ui',
    paths: /^src\/ui\/[^/]+$/,
    may: ['ui/state', 'ui/styles', ...shown, 'client'],
    packages: preact,
  },

  { name: 'entries/client', paths: /^src\/entries\/client\.ts$/, may: ['client', 'protocol', 'log'] },
  { name: 'entries/worker', paths: /^src\/entries\/worker\.ts$/, may: [...worker, ...storage] },
  { name: 'entries/engines', paths: /^src\/entries\/(wllama|transformers)\.ts$/, may: ['capabilities'] },
  { name: 'platform', paths: /^src\/platform\.d\.ts$/, may: [] },
]

/** Workers are started by their address, which is no import: who may name which. */
export const workerAddresses: readonly { readonly from: RegExp; readonly to: RegExp }[] = [
  { from: /^src\/ui\/[^/]+\.tsx?$/, to: /^src\/worker\/host\/entries\/browser\.worker\.ts$/ },
  {
    from: /^src\/worker\/(host|capabilities)\//,
    to: /^src\/worker\/capabilities\/(js\/quickjs|shell\/bash|local-models\/(wllama\/wllama|transformers\/transformers))\.worker\.ts$/,
  },
]

/** Uses only what every JavaScript runtime with `fetch`, streams and `AbortController` has. */
export const platformNeutral = /^src\/(storage\/log|worker\/(hooks|loop|llm|prompt|tools|plugins))\/|^src\/worker\/runtime\.ts$/

export const browserGlobals = ['self', 'window', 'document', 'indexedDB', 'Worker', 'navigator', 'localStorage']
export const emptyNames = ['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'types', 'index']
export const longestFile = 400
export const longestReadme = 40

/** The one `any` of the contract: arguments whose schema says nothing to the compiler, already checked when they arrive. */
export const mayUseAny = ['src/worker/tools/define-tool.ts']
