// What counts as loaded at once when sizes are weighed.
import { expect, test } from 'vitest'
import { namedByPage } from '../../../scripts/size.mjs'
import { staticImportsOf } from '../../../scripts/static-imports.mjs'

test('static imports of minified code are followed, dynamic ones are not', () => {
  const code =
    'import{a as b,c}from"./1.js";import"./2.js";import d,{e}from"../3.js";import*as f from`./4.js`;export*from"./5.js";export{g as default}from"./6.js";' +
    'const h=()=>import("./late.js");i.import("./no.js");import j from"package"'
  expect(staticImportsOf(code)).toEqual(['./1.js', './2.js', '../3.js', './4.js', './5.js', './6.js'])
})

test('a page names its scripts, styles and preloads, and its icon is not weighed', () => {
  const html =
    '<link rel="icon" href="./icon.svg"><script type="module" crossorigin src="./assets/a.js"></script>' +
    '<link rel="modulepreload" crossorigin href="./assets/b.js"><link rel="stylesheet" crossorigin href="./assets/c.css">'
  expect(namedByPage(html)).toEqual(['./assets/a.js', './assets/b.js', './assets/c.css'])
})
