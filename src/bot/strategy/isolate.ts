import { compileFunction, constants, createContext } from 'node:vm'
import { nearest } from '../../core/nearest.ts'
import * as sdk from './index.ts'
import { inTime } from './withinTime.ts'
import { withoutTypes } from './withoutTypes.ts'
import { noteWorld } from './worlds.ts'

/** The imports of a strategy. It cannot change them for the others. */
const offered: Readonly<Record<string, unknown>> = Object.freeze(
  Object.fromEntries(Object.entries(sdk).map(([name, value]) => [name, frozen(value)])),
)

function frozen(value: unknown): unknown {
  if (typeof value === 'object') Object.values(value ?? {}).forEach(frozen)
  return Object.freeze(value)
}

/** Globals that would make a decision depend on more than its context; named here, so that the refusal can name them. */
const absent = [
  ...['process', 'require', 'module', 'global', 'console', 'navigator', 'Buffer'],
  ...['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'Worker', 'BroadcastChannel'],
  ...['performance', 'crypto', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
  ...['eval', 'Function', 'WebAssembly', 'SharedArrayBuffer', 'Atomics'],
  ...['WeakRef', 'FinalizationRegistry'],
]

/**
 * Runs inside the strategy's own world, before the strategy. `new Date(slot)` stays: printing an instant it was given
 * reads no clock.
 */
const bare = `
const missing = (name) => () => {
  throw new ReferenceError(name + ' is not there for a strategy: it decides from its context alone')
}
for (const name of absent)
  Object.defineProperty(globalThis, name, { get: missing(name) })
Object.defineProperty(Math, 'random', { get: missing('Math.random') })
const Instant = Date
const noTime = missing('the time')
const Bare = function Date(...parts) {
  if (new.target === undefined || parts.length === 0) noTime()
  return Reflect.construct(Instant, parts, new.target === Bare ? Instant : new.target)
}
Bare.prototype = Instant.prototype
Bare.parse = Instant.parse
Bare.UTC = Instant.UTC
Object.defineProperty(Bare, 'now', { get: missing('Date.now') })
Instant.prototype.constructor = Bare
globalThis.Date = Bare
// Without an instant, these print the present one.
const prints = Intl.DateTimeFormat.prototype
const { get } = Object.getOwnPropertyDescriptor(prints, 'format')
const { formatToParts } = prints
Object.defineProperty(prints, 'format', {
  get() {
    const format = get.call(this)
    return (at) => at === undefined ? noTime() : format(at)
  },
})
prints.formatToParts = function (at) {
  return at === undefined ? noTime() : formatToParts.call(this, at)
}
Object.freeze(globalThis)
`

/**
 * Runs the text of a strategy in a world of its own: the language, `#strategy`, and nothing of Node. Returns its default
 * export. Places in stack traces are those of the file.
 *
 * It stops accidents. It is no prison: what is handed in comes from this side, and leads back to it.
 */
export function isolate(text: string, { file }: { file: string }): unknown {
  // Without the interceptors of an ordinary context, which make each look at `BigInt` or `Math` sixteen times as slow.
  const world = createContext(constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
  })
  noteWorld({ prototype: world.Promise.prototype, file })
  compileFunction(bare, ['absent'], { parsingContext: world })(absent)
  const strict = "'use strict';"
  const exported: { value?: unknown } = {}
  const run = compileFunction(strict + asFunction(withoutTypes(text)), ['exports', 'imports'], {
    filename: file,
    columnOffset: -strict.length,
    parsingContext: world,
  })
  inTime(() => run(exported, offered))
  return exported.value
}

/** The module as the body of a function, each line where it was. */
function asFunction(text: string): string {
  const body = text
    .replace(
      /^import\s*\{([^}]*)\}\s*from\s*(?:'#strategy'|"#strategy");?/gm,
      (all, names: string) => `const {${bindings(names)}} = imports;${all.replace(/[^\n]/g, '')}`,
    )
    // As many letters, so that what follows stays in its column.
    .replace(/^export default\b/m, 'exports.value=')
  const lineOf = ({ index }: RegExpExecArray) => body.slice(0, index).split('\n').length
  const kept = /^(?:let|var)\b[^\n]*/m.exec(body)
  if (kept !== null)
    throw new SyntaxError(
      `line ${lineOf(kept)} is '${kept[0].slice(0, 80)}': plans and other wallets run the same file, so it keeps nothing between decisions: write const, or remember(…)`,
    )
  const stray = /^(?:import\b(?!\s*[(.])|export\b)[^\n]*/m.exec(body)
  if (stray === null) return body
  throw new SyntaxError(
    `line ${lineOf(stray)} is '${stray[0].slice(0, 80)}': a strategy imports { names } from '#strategy' and exports one default, and nothing else`,
  )
}

/** `wait, show as print` as a pattern of const. */
function bindings(names: string): string {
  return names
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', as = name] = part.split(/\s+as\s+/)
      if (Object.hasOwn(offered, name)) return `${name}: ${as}`
      const meant = nearest(name, Object.keys(offered))
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`
      throw new SyntaxError(`#strategy has no ${name}${hint}`)
    })
    .join(', ')
}
