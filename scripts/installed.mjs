// Whether node_modules holds what package-lock.json asks for: told from the lock that npm leaves inside it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {{ version?: string, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockEntry */
/** @typedef {{ packages?: Record<string, LockEntry> }} Lock */
/** @typedef {{ os: string, cpu: string, libc: string | undefined }} Machine */

/** @returns {Machine} */
export const thisMachine = () => {
  const header = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report.getReport()).header
  const libc = process.platform !== 'linux' ? undefined : header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
  return { os: process.platform, cpu: process.arch, libc }
}

/** @param {string[] | undefined} allowed @param {string | undefined} value */
const allows = (allowed, value) => allowed === undefined || value === undefined || allowed.includes(value)

/** @param {LockEntry} entry @param {Machine} machine */
const isFor = (entry, machine) => allows(entry.os, machine.os) && allows(entry.cpu, machine.cpu) && allows(entry.libc, machine.libc)

/**
 * @param {Lock} wanted @param {Lock} present @param {Machine} machine
 * @returns {string | undefined} the first difference in words, or undefined if there is none
 */
export const firstDifference = (wanted, present, machine) => {
  for (const [path, entry] of Object.entries(wanted.packages ?? {})) {
    if (path === '') continue
    const found = present.packages?.[path]
    if (found === undefined) {
      // An optional package without a platform of its own may be left out only because what it belongs to is.
      const mayBeAbsent = entry.optional === true && (!isFor(entry, machine) || entry.os === undefined)
      if (!mayBeAbsent) return `${path} is missing`
    } else if (found.version !== entry.version) return `${path} is ${found.version}, wanted ${entry.version}`
  }
  return undefined
}

/** @param {string} path @returns {Lock} */
const readLock = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** @param {string} root @returns {string | undefined} why an install is needed, or undefined */
export const whyInstall = (root) => {
  const inside = join(root, 'node_modules', '.package-lock.json') // npm writes it last: an interrupted install has none
  if (!existsSync(inside)) return 'node_modules is missing or incomplete'
  const difference = firstDifference(readLock(join(root, 'package-lock.json')), readLock(inside), thisMachine())
  return difference === undefined ? undefined : `node_modules is out of date: ${difference}`
}
