/**
 * Begins a strategy, a command or a migration:
 *
 *     npm run new:strategy -- buy-low
 *     npm run new:command -- balances
 *     npm run new:migration -- quote-source
 *
 * A file that exists is never replaced; the list of commands or migrations gets one entry.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Kind, newFiles } from './newFiles.ts'

const [kind, name] = process.argv.slice(2)
const kinds: readonly Kind[] = ['strategy', 'command', 'migration']
const wanted = kinds.find((one) => one === kind)
if (wanted === undefined || name === undefined)
  throw new Error(`Usage: npm run new:strategy|new:command|new:migration -- NAME`)

const [first, ...others] = newFiles(wanted, name, (path) => readFileSync(path, 'utf8'))
if (first !== undefined && existsSync(first.path)) throw new Error(`${first.path} exists already.`)
for (const { path, text } of [first, ...others].filter((file) => file !== undefined)) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  console.log(path)
}
