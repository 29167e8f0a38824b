// The script of the second suggested task: writes a list, reads it back, adds a line to it.
import { plainText, writeFiles } from './file-steps.ts'
import { call, type DemoRule, type DemoScript, fenced, use } from './script.ts'

/** `Write a packing list … to hike.md, then add a rain jacket to it.`, with any file and any thing to add. */
export const packingList: DemoRule = (goal) => {
  if (!/\b(?:packing|shopping|to-?do)?\s*list\b/i.test(goal) || !/\bwrite|\bmake|\bcreate/i.test(goal)) return undefined
  const added = /\badd\s+(?:an?\s+|some\s+|the\s+)?["“]?([^"”.,;]+?)["”]?\s+to\s+(?:it|that|the list|the file)\b/i.exec(goal)?.[1]
  if (added === undefined) return undefined
  const path = /\bto\s+[`"]?(\/?[\w./-]+\.\w{1,8})\b/i.exec(goal)?.[1] ?? 'list.md'
  return packingScript(path, /shopping/i.test(goal) ? SHOPPING : PACKING, added.trim())
}

const PACKING = '# Weekend hike\n\n- [ ] Boots\n- [ ] Water bottle\n- [ ] Map and compass\n- [ ] First-aid kit\n- [ ] Trail mix\n'
const SHOPPING = '# Shopping\n\n- [ ] Bread\n- [ ] Milk\n- [ ] Apples\n'

function* packingScript(path: string, list: string, added: string): DemoScript {
  yield* writeFiles(`I write the list to \`${path}\`.`, [{ path, content: list }])
  const [read] = yield* use('Before I change it I read it back, so that nothing is lost.', call('read_file', { path }))
  const line = `- [ ] ${added.charAt(0).toUpperCase()}${added.slice(1)}`
  const content = `${plainText(read).trimEnd()}\n${line}\n`
  yield* use(`Now I add the line for “${added}”.`, call('write_file', { path, content }))
  const [after] = yield* use('A last look at the result.', call('read_file', { path }))
  return `\`${path}\` is written and changed. The last line is new:\n\n${fenced(plainText(after).trimEnd(), 'markdown')}`
}
