// Colours for code: comments, strings, numbers and words of the language, told apart well enough for a glance. No grammar.

export type CodeSpan = { readonly kind: 'plain' | 'comment' | 'string' | 'number' | 'word' | 'added' | 'removed'; readonly text: string }

const WORDS =
  'abstract as async await break case catch class const continue def default defer del delete do elif else enum except export extends false finally fn for from func function global if impl import in instanceof interface is lambda let match mod mut new nil None not null of or package pass private pub public raise readonly return self static struct super switch this throw true True False try type typeof undefined use var void while with yield'
const SQL =
  'select insert update delete from where join left inner on group by order having limit into values create table and or not null as distinct'
const SHELL = 'if then else elif fi for while do done case esac in function return export local'

type Language = { readonly comment: string; readonly words: ReadonlySet<string>; readonly ignoreCase?: true }

const of = (comment: string, words: string): Language => ({ comment, words: new Set(words.split(' ')) })
const SLASHES = of(String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`, WORDS)
const HASH = of(String.raw`#[^\n]*`, WORDS)
const LANGUAGES: Readonly<Record<string, Language>> = {
  ...Object.fromEntries(
    [
      'js',
      'javascript',
      'mjs',
      'jsx',
      'ts',
      'typescript',
      'tsx',
      'java',
      'c',
      'cpp',
      'cs',
      'go',
      'rust',
      'rs',
      'swift',
      'kotlin',
      'php',
      'css',
      'scss',
    ].map((name) => [name, SLASHES]),
  ),
  ...Object.fromEntries(['py', 'python', 'rb', 'ruby', 'yaml', 'yml', 'toml', 'ini'].map((name) => [name, HASH])),
  ...Object.fromEntries(['sh', 'bash', 'shell', 'zsh'].map((name) => [name, of(HASH.comment, SHELL)])),
  json: of('(?!)', 'true false null'),
  sql: { ...of('--[^\\n]*', SQL), ignoreCase: true },
}

/** A file's name does as well as a language's: its ending is looked up. Undefined: show it plain. */
export const languageOf = (label: string): string | undefined => {
  const name = label.toLowerCase().split('.').at(-1) ?? ''
  return name === 'diff' || name === 'patch' || Object.hasOwn(LANGUAGES, name) ? name : undefined
}

/** The spans joined give the text. */
export const highlight = (text: string, name: string): readonly CodeSpan[] => {
  if (name === 'diff' || name === 'patch') return diff(text)
  const language = LANGUAGES[name]
  if (language === undefined) return [{ kind: 'plain', text }]
  const { comment, words, ignoreCase } = language
  // Each alternative consumes what it matches and none can match in two ways, so the time is linear.
  const token = new RegExp(
    `(${comment})|("(?:[^"\\\\\\n]|\\\\.)*"?|'(?:[^'\\\\\\n]|\\\\.)*'?|\`(?:[^\`\\\\]|\\\\[\\s\\S])*\`?)|(\\b\\d[\\w.]*)|([A-Za-z_$][\\w$]*)`,
    'g',
  )
  const spans: CodeSpan[] = []
  let plain = ''
  const add = (kind: CodeSpan['kind'], value: string) => {
    if (plain !== '') spans.push({ kind: 'plain', text: plain })
    plain = ''
    spans.push({ kind, text: value })
  }
  let last = 0
  for (const match of text.matchAll(token)) {
    plain += text.slice(last, match.index)
    last = match.index + match[0].length
    const [whole, isComment, isString, isNumber] = match
    if (isComment !== undefined) add('comment', whole)
    else if (isString !== undefined) add('string', whole)
    else if (isNumber !== undefined) add('number', whole)
    else if (words.has(ignoreCase ? whole.toLowerCase() : whole)) add('word', whole)
    else plain += whole
  }
  plain += text.slice(last)
  return plain === '' ? spans : [...spans, { kind: 'plain', text: plain }]
}

const diff = (text: string): readonly CodeSpan[] =>
  text.split(/(?<=\n)/).map((line) => ({ kind: line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'plain', text: line }))
