// Paths stay inside and have one spelling (C1, and what security.md says of paths).
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { workspaceFilePath, workspacePath } from '../../../src/worker/capabilities/files/workspace-path.ts'

test.each([
  ['/a/b.txt', '/a/b.txt'],
  ['a/b.txt', '/a/b.txt'],
  ['./a//b/./c', '/a/b/c'],
  ['/', '/'],
  ['.', '/'],
  ['__proto__', '/__proto__'],
  ['/constructor/prototype', '/constructor/prototype'],
  ['with space.txt', '/with space.txt'],
  ['..hidden', '/..hidden'],
  ['/e\u0301.md', '/\u00e9.md'],
])('C1 %j is %s', (given, path) => {
  expect(workspacePath(given)).toBe(path)
})

test('C1 relative paths start at the folder of the session', () => {
  expect(workspacePath('a.txt', '/work')).toBe('/work/a.txt')
  expect(workspacePath('/a.txt', '/work')).toBe('/a.txt')
  expect(workspacePath('.', '/work')).toBe('/work')
})

test.each([
  ['', 'is empty'],
  ['  ', 'is empty'],
  ['../secret', 'has ".."'],
  ['/a/../../b', 'has ".."'],
  ['a\\b', 'has a backslash'],
  ['a\0b', 'has a control character'],
  ['a\nb', 'has a control character'],
  ['\ud83d', 'has half of a character'],
  ['a'.repeat(256), 'has a name longer'],
  ['a/'.repeat(40), 'is deeper'],
  ['a'.repeat(2_000), 'is longer than'],
])('C12 %j is refused', (given, why) => {
  expect(() => workspacePath(given)).toThrow(why)
})

test.each(['/', '.', 'folder/', '/folder/.'])('C12 %j is no file', (given) => {
  expect(() => workspaceFilePath(given)).toThrow('names a folder')
})

test('C1 whatever is accepted is absolute, has no odd parts, and is its own normal form', () => {
  const part = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('.', '..', '', 'a', '__proto__', '\\', '\0', '😀'))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.boolean(), (parts, absolute) => {
      let path: string
      try {
        path = workspacePath((absolute ? '/' : '') + parts.join('/'))
      } catch {
        return // refused is fine
      }
      expect(path.startsWith('/')).toBe(true)
      expect(
        path
          .slice(1)
          .split('/')
          .some((each) => each === '..' || each === '.' || (each === '' && path !== '/')),
      ).toBe(false)
      expect(workspacePath(path)).toBe(path)
    }),
  )
})
