// Runs inside QuickJS before the code of the model: timers, which the host fires when the code has nothing else to do.
;(function startTimers() {
  const { now } = Date
  const { max } = Math
  const { apply } = Reflect
  const { push } = Array.prototype
  const startedAt = now()
  const PromiseClass = Promise

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
    for (const timer of timers) if (timer.id !== id) apply(push, kept, [timer])
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

  return { timerDelay, fireTimer }
})
