// What a strict Gemini server accepts as a request: the rules that its 400s name, as a list of problems.
import { loneSurrogates } from './lone-surrogates.ts'

type Fields = { readonly [key: string]: unknown }
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isFilled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const BODY = ['contents', 'systemInstruction', 'tools', 'generationConfig']
const DATA = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse']
const SCHEMA = [
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'minItems', 'maxItems', 'properties', 'required'],
  ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'anyOf'],
]
const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object']
const NAME = /^[a-zA-Z_][\w.:-]{0,63}$/

/** An empty list: the body is accepted. `idPattern`: what the ids of calls must be like. */
export const geminiHistoryProblems = (body: unknown, idPattern = /^[\w.:-]{1,128}$/): readonly string[] => {
  if (!isFields(body) || !Array.isArray(body.contents)) return ['contents is not a list']
  const problems: string[] = []
  for (const place of loneSurrogates(body)) problems.push(`${place} holds half of a surrogate pair`)
  for (const key of Object.keys(body)) if (!BODY.includes(key)) problems.push(`unknown key ${key}`)
  if (body.systemInstruction !== undefined) checkSystem(body.systemInstruction, problems)
  for (const tool of listOf(body.tools)) {
    for (const declared of listOf(isFields(tool) ? tool.functionDeclarations : undefined)) checkDeclaration(declared, problems)
  }
  checkContents(body.contents, idPattern, problems)
  return problems
}

const checkContents = (contents: readonly unknown[], idPattern: RegExp, problems: string[]): void => {
  const ids = new Set<string>()
  let owed: readonly string[] = []
  let previous = 'model'
  contents.forEach((content, index) => {
    const problem = (words: string) => problems.push(`content ${index}: ${words}`)
    if (!isFields(content) || (content.role !== 'user' && content.role !== 'model')) {
      problem('has no known role')
      return
    }
    if (content.role === previous) problem(index === 0 ? 'the first is not the person’s' : `two of role ${previous} in a row`)
    previous = content.role
    const parts = listOf(content.parts)
    if (parts.length === 0) problem('has no parts')
    const { role } = content
    for (const part of parts) checkPart(part, role, problem)
    const answered = idsOf(parts, 'functionResponse')
    if (answered.join('\n') !== owed.join('\n')) problem(`expected the results of [${owed.join(', ')}], found [${answered.join(', ')}]`)
    if (parts.slice(0, answered.length).some((part) => !isFields(part) || part.functionResponse === undefined))
      problem('results are not the first parts')
    owed = idsOf(parts, 'functionCall')
    for (const id of owed) {
      const [given = ''] = id.split(' ')
      if (given !== '' && !idPattern.test(given)) problem(`the id ${given} is not in the alphabet`)
      if (given !== '' && ids.has(given)) problem(`the id ${given} is used twice`)
      ids.add(given)
    }
  })
  if (contents.length === 0) problems.push('there is nothing in it')
  if (previous === 'model' && contents.length > 0) problems.push('the last is not the person’s, nor a result')
}

/** Id and name: a result is its call's by both. */
const idsOf = (parts: readonly unknown[], kind: 'functionCall' | 'functionResponse'): readonly string[] =>
  parts.flatMap((part) => {
    const held = isFields(part) ? part[kind] : undefined
    return isFields(held) ? [`${String(held.id ?? '')} ${String(held.name)}`] : []
  })

const checkPart = (part: unknown, role: 'user' | 'model', problem: (words: string) => void): void => {
  if (!isFields(part)) {
    problem('a part is no object')
    return
  }
  const kinds = DATA.filter((key) => part[key] !== undefined)
  if (kinds.length !== 1) problem(`a part must hold one of ${DATA.join(', ')}, not [${kinds.join(', ')}]`)
  for (const key of Object.keys(part))
    if (![...DATA, 'thought', 'thoughtSignature'].includes(key)) problem(`a part must not have the key ${key}`)
  const { text, functionCall: call, functionResponse: response, inlineData: data, thoughtSignature: signature } = part
  if (signature !== undefined && (role === 'user' || !isFilled(signature))) problem('a signature where none can be')
  if (part.thought !== undefined && signature === undefined) problem('a thought without its signature')
  // An empty text is only what a signature came with.
  if (text !== undefined && !isFilled(text) && signature === undefined) problem('a text is blank')
  if (call !== undefined) {
    if (role === 'user') problem('a call of the person')
    if (!isFields(call) || !NAME.test(String(call.name)) || !isFields(call.args)) problem('a call without a name or an object of arguments')
  }
  if (response !== undefined) {
    if (role === 'model') problem('a result of the model')
    if (!isFields(response) || !NAME.test(String(response.name)) || !isFields(response.response))
      problem('a result without a name or an object')
    else if (!isFilled(response.response.output ?? response.response.error)) problem('a result without words')
  }
  if (
    data !== undefined &&
    (role === 'model' || !isFields(data) || !isFilled(data.mimeType) || typeof data.data !== 'string' || /^data:/.test(data.data))
  )
    problem('a picture without type or data')
}

const checkSystem = (system: unknown, problems: string[]): void => {
  const parts = listOf(isFields(system) ? system.parts : undefined)
  if (parts.length === 0 || !parts.every((part) => isFields(part) && isFilled(part.text))) problems.push('systemInstruction has no words')
}

const checkDeclaration = (declared: unknown, problems: string[]): void => {
  if (!isFields(declared) || !NAME.test(String(declared.name))) return void problems.push('a declaration without a name')
  if (declared.parameters === undefined) return
  if (!isFields(declared.parameters) || declared.parameters.type !== 'object')
    problems.push(`${declared.name}: the parameters are no object`)
  checkSchema(declared.parameters, String(declared.name), problems)
}

const checkSchema = (schema: unknown, place: string, problems: string[]): void => {
  if (!isFields(schema)) return void problems.push(`${place} is no schema`)
  for (const key of Object.keys(schema)) if (!SCHEMA.includes(key)) problems.push(`Unknown name "${key}" at ${place}`)
  const { type, anyOf, properties, required, items } = schema
  if (anyOf !== undefined) {
    if (Object.keys(schema).length > 1) problems.push(`${place}: anyOf is not alone`)
    if (listOf(anyOf).length === 0) problems.push(`${place}: anyOf is empty`)
    for (const choice of listOf(anyOf)) checkSchema(choice, `${place}.anyOf`, problems)
    return
  }
  if (!TYPES.includes(type)) problems.push(`${place}: no type`)
  if (schema.enum !== undefined && (type !== 'string' || !listOf(schema.enum).every((value) => typeof value === 'string' && value !== '')))
    problems.push(`${place}: enum is only for text`)
  if (type === 'string' && schema.format !== undefined && schema.format !== 'date-time' && schema.format !== 'enum')
    problems.push(`${place}: format ${String(schema.format)}`)
  if (type === 'array') checkSchema(items, `${place}.items`, problems)
  else if (items !== undefined) problems.push(`${place}: items of no list`)
  if (properties !== undefined) {
    if (!isFields(properties) || Object.keys(properties).length === 0) problems.push(`${place}: properties should be non-empty`)
    else for (const [name, held] of Object.entries(properties)) checkSchema(held, `${place}.${name}`, problems)
  }
  for (const name of listOf(required))
    if (!isFields(properties) || !Object.hasOwn(properties, String(name)))
      problems.push(`${place}: required ${String(name)} is not defined`)
}
