// What a built file loads at once: the files that its static imports reach, read from the built code itself.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const statement = /(?<![\w$.])(?:import|export)\s*(?:[\w$*{}\s,]*?\bfrom\s*)?(["'`])(\.{1,2}\/[^"'`]+)\1/g

/** @param {string} code @returns {string[]} relative specifiers of static imports and re-exports */
export const staticImportsOf = (code) => [...code.matchAll(statement)].map((match) => match[2] ?? '')

/** @param {string[]} entries @returns {string[]} the entries and all they reach, each once */
export const loadedWith = (entries) => {
  const found = new Set(entries)
  for (const file of found) {
    if (!file.endsWith('.js')) continue
    for (const specifier of staticImportsOf(readFileSync(file, 'utf8'))) found.add(join(dirname(file), specifier))
  }
  return [...found]
}
