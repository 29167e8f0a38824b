// Runs inside QuickJS before the code of the model: how values and errors are written down.
// It keeps the built-ins it needs in its own variables, so that later code can spoil only its own output.
;(function startInspect() {
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect
  const { isArray } = Array
  const { stringify } = JSON
  const { isNaN: isNotANumber } = Number
  const { isView } = ArrayBuffer
  const { Date: DateClass, RegExp: RegExpClass, Error: ErrorClass, Map: MapClass, Set: SetClass, Promise: PromiseClass } = globalThis
  const TypedArray = getPrototypeOf(Uint8Array)
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

  const DEEPEST = 5
  const MOST_ITEMS = 100
  const LONGEST_TEXT = 10000
  const LONGEST_OUTPUT = 40000
  const LINE = 76

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

  return { inspect, describeError }
})
