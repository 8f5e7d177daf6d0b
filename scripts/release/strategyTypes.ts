import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { type Files, root } from './compile.ts'

/** The parts of `#strategy` that a strategy and its test import, by the names that the package exports them under. */
const entries = {
  './strategy': 'src/bot/strategy/index',
  './strategy/testing': 'src/bot/strategy/testing',
} as const

/** Where the types of an export are in the package. */
export const typesOf = (entry: keyof typeof entries): string => `./types/${entries[entry]}.d.ts`

/**
 * The declarations of both, and all that these name: those of zod come along, so that a folder with this package alone has
 * the types of its parameters.
 */
export function strategyTypes(): Files {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-types-'))
  try {
    declare(folder)
    const files = new Map<string, Uint8Array>()
    const wanted = new Set(Object.values(entries).map((entry) => `${entry}.d.ts`))
    for (const path of wanted) {
      const isZod = path.startsWith('zod/')
      const file = isZod ? join(root, 'node_modules', path) : join(folder, path)
      const text = readFileSync(file, 'utf8').replace(
        named,
        (all, before: string, name: string) => {
          const target = targetOf(name, path)
          if (target === undefined) return all
          wanted.add(target)
          return all.replace(`${before}${name}`, `${before}${specifierOf(target, path)}`)
        },
      )
      files.set(`types/${path}`, Buffer.from(text))
    }
    files.set('types/zod/LICENSE', readFileSync(join(root, 'node_modules/zod/LICENSE')))
    return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Lets the compiler write the declarations of both entries, by their paths in the repository. */
function declare(folder: string): void {
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true },
      ...{ rootDir: root, outDir: folder, typeRoots: [join(root, 'node_modules/@types')] },
    },
    include: [],
    files: Object.values(entries).map((entry) => join(root, `${entry}.ts`)),
  }
  const file = join(folder, 'tsconfig.json')
  writeFileSync(file, JSON.stringify(settings))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '--project', file], { stdio: 'inherit' })
}

/** What an import, an export or a type in words names. */
const named = /((?:\bfrom |\bimport\(|\bimport )["'])([^"']+)(?=["'])/g

/** The declaration that a name leads to; undefined of another package than zod. */
function targetOf(name: string, from: string): string | undefined {
  if (name === 'zod') return 'zod/index.d.ts'
  if (!name.startsWith('.')) return undefined
  return posix.join(posix.dirname(from), name.replace(/(?:\.d)?\.[cm]?[jt]s$/, '.d.ts'))
}

/** As a program of any settings resolves it: the declaration is found beside the name of a `.js` file. */
function specifierOf(target: string, from: string): string {
  const path = posix.relative(posix.dirname(from), target).replace(/\.d\.ts$/, '.js')
  return path.startsWith('.') ? path : `./${path}`
}
