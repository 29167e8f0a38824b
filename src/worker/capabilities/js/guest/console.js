// Runs inside QuickJS before the code of the model: the console, whose lines go to the host.
;(function startConsole(emit, inspect) {
  const { apply } = Reflect
  const { stringify } = JSON
  const { trunc } = Math
  const { now } = Date
  const startedAt = now()
  const bound =
    (method) =>
    (self, ...args) =>
      apply(method, self, args)
  const [push, join] = [[].push, [].join].map(bound)
  const [textSlice, replace] = [''.slice, ''.replace].map(bound)

  const format = (args) => {
    let at = 0
    const parts = []
    if (typeof args[0] === 'string') {
      at = 1
      push(
        parts,
        replace(args[0], /%[sdifjoOc%]/g, (mark) => {
          if (mark === '%%') return '%'
          if (at >= args.length) return mark
          const value = args[at]
          at += 1
          if (mark === '%c') return ''
          if (mark === '%s') return typeof value === 'string' ? value : inspect(value)
          if (mark === '%d' || mark === '%f') return `${typeof value === 'object' ? Number.NaN : Number(value)}`
          if (mark === '%i') return `${trunc(Number(value))}`
          return mark === '%j' ? stringify(value) : inspect(value)
        }),
      )
    }
    for (; at < args.length; at += 1) push(parts, typeof args[at] === 'string' ? args[at] : inspect(args[at]))
    return join(parts, ' ')
  }

  let groupIndent = ''
  const say = (level, args) => {
    const text = format(args)
    emit(level, groupIndent === '' ? text : groupIndent + replace(text, /\n/g, `\n${groupIndent}`))
  }
  const counts = { __proto__: null }
  const timesStarted = { __proto__: null }
  const elapsed = (label) => `${label}: ${now() - (timesStarted[label] ?? startedAt)} ms`
  const log = (...args) => say('log', args)
  const indentMore = (...args) => {
    if (args.length > 0) say('log', args)
    if (groupIndent.length < 20) groupIndent += '  '
  }
  globalThis.console = {
    log,
    info: (...args) => say('info', args),
    warn: (...args) => say('warn', args),
    error: (...args) => say('error', args),
    debug: (...args) => say('debug', args),
    trace: log,
    table: (value) => say('log', [value]),
    dir: (value) => say('log', [value]),
    group: indentMore,
    groupCollapsed: indentMore,
    groupEnd: () => {
      groupIndent = textSlice(groupIndent, 2)
    },
    assert: (holds, ...args) => {
      if (!holds) say('error', ['Assertion failed', ...args])
    },
    count: (label = 'default') => {
      counts[label] = (counts[label] ?? 0) + 1
      say('log', [`${label}: ${counts[label]}`])
    },
    time: (label = 'default') => {
      timesStarted[label] = now()
    },
    timeLog: (label = 'default') => say('log', [elapsed(label)]),
    timeEnd: (label = 'default') => {
      say('log', [elapsed(label)])
      delete timesStarted[label]
    },
  }
})
