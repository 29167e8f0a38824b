// Rules for arithmetic and a few well-known numbers: worked out by running JavaScript, never by guessing.
import { outputOf } from './file-steps.ts'
import { call, type DemoRule, type DemoScript, fenced, use } from './script.ts'

const LONGEST_QUESTION = 500
const ASKS = /^(?:please\s+)?(?:compute|calculate|evaluate|work out|solve|what(?:'s| is| are)|how much (?:is|are))\s+(.+?)[\s?.!=]*$/is

/** `compute the first 20 primes`, with any number. */
export const primes: DemoRule = (goal) => {
  const match = /first\s+(\d{1,4})\s+prime/i.exec(goal)
  const count = Number(match?.[1])
  return match === null || count < 1 ? undefined : primesScript(Math.min(count, 1_000))
}

function* primesScript(count: number): DemoScript {
  const code = `const primes = []
for (let n = 2; primes.length < ${count}; n++) {
  if (primes.every((p) => n % p !== 0)) primes.push(n)
}
console.log(primes.join(', '))
primes.reduce((sum, p) => sum + p, 0)`
  const [result] = yield* use(`I let JavaScript find the first ${count} primes.`, call('run_js', { code }))
  const { printed, value } = outputOf(result)
  return `The first ${count} prime numbers are\n\n${fenced(printed.trim())}\n\nand their sum is **${value}**. I did not know that by heart: \`run_js\` worked it out in the sandbox.`
}

/** `factorial of 20`, `20!`, `fibonacci 50`. */
export const knownNumbers: DemoRule = (goal) => {
  const factorial = /\bfactorial\s+(?:of\s+)?(\d{1,4})\b|^\s*(\d{1,4})!\s*$/i.exec(goal)
  if (factorial !== null) {
    const n = factorial[1] ?? factorial[2]
    return valueScript(`the factorial of ${n}`, `let result = 1n\nfor (let n = 2n; n <= ${n}n; n++) result *= n\nresult`)
  }
  const fibonacci = /\bfibonacci\b\D*(\d{1,4})\b|\b(\d{1,4})(?:st|nd|rd|th)\s+fibonacci\b/i.exec(goal)
  if (fibonacci === null) return undefined
  const n = fibonacci[1] ?? fibonacci[2]
  return valueScript(`Fibonacci number ${n}`, `let [a, b] = [0n, 1n]\nfor (let n = 0; n < ${n}; n++) [a, b] = [b, a + b]\na`)
}

/** `12*34+5`, `compute 2^10`, `what is 15% of 240?`, `calculate sqrt(2) * pi`. */
export const arithmetic: DemoRule = (goal) => {
  if (goal.length > LONGEST_QUESTION) return undefined
  const asked = ASKS.exec(goal.trim())?.[1] ?? goal.trim().replace(/[\s?=]+$/, '')
  const expression = toJavaScript(asked)
  return expression === undefined ? undefined : valueScript(`\`${asked.replaceAll('`', '')}\``, expression)
}

function* valueScript(what: string, code: string): DemoScript {
  const [result] = yield* use(`I work out ${what} with JavaScript.`, call('run_js', { code }))
  return `${what.charAt(0).toUpperCase()}${what.slice(1)} is **${outputOf(result).value.replace(/^(-?\d+)n$/, '$1')}**.`
}

const FUNCTIONS = new Set([
  'sqrt',
  'cbrt',
  'abs',
  'sin',
  'cos',
  'tan',
  'log',
  'log2',
  'log10',
  'exp',
  'floor',
  'ceil',
  'round',
  'min',
  'max',
  'pow',
])

/** Only numbers, operators, brackets and functions of Math; anything else is not arithmetic. */
const toJavaScript = (text: string): string | undefined => {
  if (text.length > 200 || !/\d/.test(text)) return undefined
  const plain = text
    .toLowerCase()
    .replace(/(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\s+/g, '$1 / 100 * ')
    .replace(/\bdivided by\b|÷/g, '/')
    .replace(/\bplus\b/g, '+')
    .replace(/\bminus\b|[−–]/g, '-')
    .replace(/\btimes\b|\bmultiplied by\b|[×·]|(?<=\d)\s*x\s*(?=\d)/g, '*')
    .replace(/\bto the power of\b|\^/g, '**')
    .replace(/(?<=\d),(?=\d{3}\b)/g, '')
  const words = plain.match(/[a-z][a-z0-9]*/g) ?? []
  if (words.some((word) => !FUNCTIONS.has(word) && word !== 'pi' && word !== 'e')) return undefined
  if (!/^[\d\s+\-*/%().,a-z]+$/.test(plain) || !/[+\-*/%(]/.test(plain)) return undefined
  return plain.replace(/[a-z][a-z0-9]*/g, (word) => (word === 'pi' || word === 'e' ? `Math.${word.toUpperCase()}` : `Math.${word}`))
}
