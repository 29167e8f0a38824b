// Runs inside QuickJS before the code of the model: console, timers, files, and how values and errors are written down.
// It keeps the built-ins it needs in its own variables, so that later code can spoil only its own output.
;(function prelude(emit, paths, texts) {
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect
  const { isArray } = Array
  const { stringify } = JSON
  const now = Date.now
  const startedAt = now()
  const bound =
    (method) =>
    (self, ...args) =>
      apply(method, self, args)
  const [push, join, slice, indexOf] = [[].push, [].join, [].slice, [].indexOf].map(bound)
  const [textSlice, includes, replace, repeat] = [''.slice, ''.includes, ''.replace, ''.repeat].map(bound)
  const dateText = bound(Date.prototype.toISOString)
  const dateNumber = bound(Date.prototype.getTime)
  const regExpText = bound(RegExp.prototype.toString)
  const symbolText = bound(Symbol.prototype.toString)
  const functionText = bound(Function.prototype.toString)
  const objectTag = bound(Object.prototype.toString)
  const mapEach = bound(Map.prototype.forEach)
  const setEach = bound(Set.prototype.forEach)
  const { isNaN: isNotANumber } = Number
  const { max } = Math
  const isView = ArrayBuffer.isView
  const { Date: DateClass, RegExp: RegExpClass, Error: ErrorClass, Map: MapClass, Set: SetClass, Promise: PromiseClass } = globalThis
  const TypedArray = getPrototypeOf(Uint8Array)

  const DEEPEST = 5
  const MOST_ITEMS = 100
  const LONGEST_TEXT = 10000
  const LONGEST_OUTPUT = 40000
  const LINE = 76

  // ── values as text

  const quote = (text) => {
    const cut = text.length > LONGEST_TEXT ? `${textSlice(text, 0, LONGEST_TEXT)}… ${text.length - LONGEST_TEXT} more characters` : text
    return includes(cut, '\n') ? `\`${cut}\`` : stringify(cut)
  }

  const primitive = (value) => {
    if (typeof value === 'string') return quote(value)
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value === 'symbol') return symbolText(value)
    return value === 0 && 1 / value < 0 ? '-0' : `${value}`
  }

  const dataOf = (object, key) => {
    const descriptor = getOwnPropertyDescriptor(object, key)
    return descriptor && 'value' in descriptor ? descriptor.value : undefined
  }

  const className = (object) => {
    for (let at = object, steps = 0; at !== null && steps < 8; at = getPrototypeOf(at), steps += 1) {
      const made = dataOf(at, 'constructor')
      if (typeof made === 'function') {
        const name = dataOf(made, 'name')
        return typeof name === 'string' ? name : ''
      }
    }
    return ''
  }

  const lay = (open, parts, close, indent) => {
    if (parts.length === 0) return `${open}${close}`
    let length = open.length + close.length
    let several = false
    for (const part of parts) {
      length += part.length + 2
      if (includes(part, '\n')) several = true
    }
    if (!several && length <= LINE) return `${open} ${join(parts, ', ')} ${close}`
    const margin = repeat('  ', indent + 1)
    let text = `${open}\n${margin}`
    let column = 0
    for (let i = 0; i < parts.length; i += 1) {
      const part = parts[i]
      // Short items share lines, long ones have their own.
      if (i > 0) {
        const fits = !several && part.length <= 20 && column + part.length + 2 <= LINE
        text += fits ? ', ' : `,\n${margin}`
        if (!fits) column = 0
      }
      text += part
      column += part.length + 2
    }
    return `${text}\n${repeat('  ', indent)}${close}`
  }

  const write = (value, seen, room) => {
    if (typeof value !== 'object' && typeof value !== 'function') return spend(room, primitive(value))
    if (value === null) return 'null'
    if (room.left <= 0) return '…'
    try {
      return writeObject(value, seen, room)
    } catch (error) {
      // A proxy or a revoked one: its traps are code of the guest.
      return `[cannot be shown${typeof error === 'object' && error !== null && dataOf(error, 'message') ? `: ${dataOf(error, 'message')}` : ''}]`
    }
  }

  const spend = (room, text) => {
    room.left -= text.length
    return text
  }

  const writeObject = (value, seen, room) => {
    if (indexOf(seen, value) !== -1) return '[Circular]'
    if (typeof value === 'function') {
      const name = dataOf(value, 'name')
      const kind = textSlice(functionText(value), 0, 5) === 'class' ? 'class' : 'Function'
      return spend(room, `[${kind}${typeof name === 'string' && name !== '' ? ` ${name}` : ''}]`)
    }
    if (value instanceof ErrorClass) return spend(room, errorText(value))
    if (value instanceof DateClass) return spend(room, isNotANumber(dateNumber(value)) ? 'Invalid Date' : dateText(value))
    if (value instanceof RegExpClass) return spend(room, regExpText(value))
    if (value instanceof PromiseClass) return 'Promise {}'
    const name = className(value)
    if (seen.length >= DEEPEST) return isArray(value) ? '[…]' : `${name === 'Object' ? '' : name}{…}`
    const deeper = [...seen, value]
    const indent = seen.length
    if (isArray(value)) return lay('[', listParts(value, value.length, deeper, room, true), ']', indent)
    if (isView(value) && value instanceof TypedArray) {
      return lay(`${name}(${value.length}) [`, listParts(value, value.length, deeper, room, false), ']', indent)
    }
    if (value instanceof MapClass) return lay(`Map(${value.size}) {`, entryParts(mapEach, value, deeper, room, true), '}', indent)
    if (value instanceof SetClass) return lay(`Set(${value.size}) {`, entryParts(setEach, value, deeper, room, false), '}', indent)
    const tag = objectTag(value)
    if (tag === '[object ArrayBuffer]') return `ArrayBuffer(${value.byteLength}) {}`
    if (tag === '[object Number]' || tag === '[object String]' || tag === '[object Boolean]')
      return `[${name}: ${primitive(value.valueOf())}]`
    return lay(name === 'Object' || name === '' ? '{' : `${name} {`, propertyParts(value, deeper, room), '}', indent)
  }

  const listParts = (list, length, seen, room, mayHaveHoles) => {
    const parts = []
    let holes = 0
    for (let i = 0; i < length && parts.length < MOST_ITEMS && room.left > 0; i += 1) {
      if (mayHaveHoles && getOwnPropertyDescriptor(list, i) === undefined) {
        holes += 1
        if (holes > 1000000) break
        continue
      }
      if (holes > 0) push(parts, `<${holes} empty>`)
      holes = 0
      push(parts, mayHaveHoles ? property(list, i, seen, room) : write(list[i], seen, room))
      if (i + 1 < length && (parts.length >= MOST_ITEMS || room.left <= 0)) push(parts, `… ${length - i - 1} more`)
    }
    if (holes > 0) push(parts, `<${holes} empty>`)
    return parts
  }

  const entryParts = (each, collection, seen, room, isMap) => {
    const parts = []
    each(collection, (item, key) => {
      if (parts.length < MOST_ITEMS && room.left > 0) {
        push(parts, isMap ? `${write(key, seen, room)} => ${write(item, seen, room)}` : write(item, seen, room))
      } else if (parts.length === MOST_ITEMS || room.left > 0) push(parts, `… ${collection.size - MOST_ITEMS} more`)
    })
    return slice(parts, 0, MOST_ITEMS + 1)
  }

  const propertyParts = (object, seen, room) => {
    const parts = []
    const keys = ownKeys(object)
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i]
      const descriptor = getOwnPropertyDescriptor(object, key)
      if (descriptor === undefined || !descriptor.enumerable) continue
      if (parts.length >= MOST_ITEMS || room.left <= 0) {
        push(parts, `… ${keys.length - i} more`)
        break
      }
      push(parts, `${spend(room, keyText(key))}: ${property(object, key, seen, room)}`)
    }
    return parts
  }

  const plainKey = /^[A-Za-z_$][\w$]*$/
  const isPlainKey = bound(RegExp.prototype.test)
  const keyText = (key) => {
    if (typeof key === 'symbol') return `[${symbolText(key)}]`
    return key.length < 100 && isPlainKey(plainKey, key) ? key : quote(key)
  }

  // Getters are named, never called.
  const property = (object, key, seen, room) => {
    const descriptor = getOwnPropertyDescriptor(object, key)
    if (descriptor === undefined) return 'undefined'
    if ('value' in descriptor) return write(descriptor.value, seen, room)
    return descriptor.get ? (descriptor.set ? '[Getter/Setter]' : '[Getter]') : '[Setter]'
  }

  const inspect = (value) => {
    const text = write(value, [], { left: LONGEST_OUTPUT })
    return text.length > LONGEST_OUTPUT * 2 ? `${textSlice(text, 0, LONGEST_OUTPUT * 2)}…` : text
  }

  // ── errors as text

  const read = (object, key) => {
    try {
      const value = object[key]
      return typeof value === 'string' ? value : value === undefined ? '' : inspect(value)
    } catch {
      return '' // a getter that throws has nothing to say
    }
  }

  const errorText = (error) => {
    const name = read(error, 'name') || 'Error'
    const message = read(error, 'message')
    const stack = replace(textSlice(read(error, 'stack'), 0, 2000), /\n+$/, '')
    return `${name}${message ? `: ${message}` : ''}${stack ? `\n${stack}` : ''}`
  }

  const isError = (value) => {
    try {
      return value instanceof ErrorClass
    } catch {
      return false // a proxy that refuses to be asked
    }
  }

  /** JSON text of { name, message, stack }. */
  const describeError = (error) => {
    if (!isError(error)) {
      return stringify({ name: 'Thrown value', message: inspect(error), stack: '' })
    }
    const cause = getOwnPropertyDescriptor(error, 'cause')
    const causeText = cause && 'value' in cause ? ` (cause: ${inspect(cause.value)})` : ''
    return stringify({
      name: read(error, 'name') || className(error) || 'Error',
      message: textSlice(read(error, 'message'), 0, LONGEST_TEXT) + causeText,
      stack: textSlice(read(error, 'stack'), 0, 20000),
    })
  }

  // ── console

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
          if (mark === '%i') return `${Math.trunc(Number(value))}`
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

  // ── timers, run by the host when the code has nothing else to do

  let timers = []
  let lastTimer = 0
  const addTimer = (callback, delay, args, repeats) => {
    if (typeof callback !== 'function') throw new TypeError('A timer needs a function.')
    if (timers.length >= 10000) throw new RangeError('Too many timers are waiting.')
    const wait = delay > 0 ? +delay : 0
    lastTimer += 1
    timers = [...timers, { id: lastTimer, at: now() + wait, every: repeats ? max(1, wait) : 0, callback, args }]
    return lastTimer
  }
  const removeTimer = (id) => {
    const kept = []
    for (const timer of timers) if (timer.id !== id) push(kept, timer)
    timers = kept
  }
  const nextTimer = () => {
    let next
    for (const timer of timers) if (next === undefined || timer.at < next.at) next = timer
    return next
  }
  globalThis.setTimeout = (callback, delay, ...args) => addTimer(callback, delay, args, false)
  globalThis.setInterval = (callback, delay, ...args) => addTimer(callback, delay, args, true)
  globalThis.clearTimeout = removeTimer
  globalThis.clearInterval = removeTimer
  globalThis.queueMicrotask = (callback) => void PromiseClass.resolve().then(() => callback())
  globalThis.performance = { now: () => now() - startedAt }

  /** Milliseconds until the next timer; −1 without one. */
  const timerDelay = () => {
    const next = nextTimer()
    return next === undefined ? -1 : next.at > now() ? next.at - now() : 0
  }
  const fireTimer = () => {
    const next = nextTimer()
    if (next === undefined) return
    if (next.every > 0) next.at = now() + next.every
    else removeTimer(next.id)
    next.callback(...next.args)
  }

  // ── files

  const plainPath = (path) => replace(`${path}`, /^(?:\.?\/)+/, '')
  const files = { __proto__: null }
  const byPlainPath = { __proto__: null }
  for (let i = 0; i < paths.length; i += 1) {
    files[paths[i]] = texts[i]
    byPlainPath[plainPath(paths[i])] = texts[i]
  }
  globalThis.files = files
  globalThis.readFile = (path) => {
    const text = files[path] ?? byPlainPath[plainPath(path)]
    if (text !== undefined) return text
    const known = paths.length === 0 ? 'No files were passed in' : `Passed in: ${textSlice(join(paths, ', '), 0, 500)}`
    throw new ErrorClass(`There is no file ${quote(`${path}`)} here. ${known}; name it in "files" of the call.`)
  }

  return { inspect, describeError, timerDelay, fireTimer }
})
