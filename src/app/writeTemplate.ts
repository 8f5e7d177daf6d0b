import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { packageFolder, strategiesFolder } from '../bot/strategy/shippedStrategies.ts'
import { asWritten } from '../core/display.ts'
import { ballastError, usageError } from '../core/errors.ts'
import { printJson } from '../core/json.ts'

const files = ['strategy.ts', 'strategy.test.ts', 'README.md'] as const

/**
 * Begins a strategy in a folder that may exist: writes the files that are missing, and a link to this bot, which tests and
 * editors find `#strategy` by. Never over a file that is there.
 */
export function writeTemplate(folder: string): { readonly written: readonly string[] } {
  const name = basename(folder)
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))
    throw usageError(
      `${asWritten(name)} is no name for a strategy: write lower-case words with hyphens, such as buy-low.`,
    )
  const written: string[] = []
  for (const [file, text] of Object.entries(textsOf(name))) {
    const path = join(folder, file)
    if (existsSync(path)) continue
    attempt(path, () => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(path, text, { flag: 'wx' })
    })
    written.push(file)
  }
  linkBot(join(folder, 'node_modules', 'ballast'))
  return { written }
}

function textsOf(name: string): Readonly<Record<string, string>> {
  const template = join(strategiesFolder(), 'template')
  const copied = files.map((file) => [
    file,
    readFileSync(join(template, file), 'utf8').replaceAll('my-strategy', name),
  ])
  return {
    ...Object.fromEntries(copied),
    'package.json': `${printJson(packageOf(name))}\n`,
    'tsconfig.json': `${printJson(compilerOptions)}\n`,
    '.gitignore': 'node_modules\n',
  }
}

const packageOf = (name: string) => ({
  ...{ name, private: true, type: 'module' },
  scripts: { test: 'node --test strategy.test.ts' },
  imports: { '#strategy': 'ballast/strategy', '#strategy/testing': 'ballast/strategy/testing' },
})

/** For editors: Node itself runs the files as they are. The test is left out, since it takes the types of Node. */
const compilerOptions = {
  compilerOptions: {
    ...{ target: 'es2024', lib: ['es2024', 'esnext.disposable'], types: [], module: 'nodenext' },
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ verbatimModuleSyntax: true, erasableSyntaxOnly: true, allowImportingTsExtensions: true },
    ...{ noEmit: true, skipLibCheck: true },
  },
  files: ['strategy.ts'],
}

/** A link of an earlier bot is replaced; what somebody installed there stays. */
function linkBot(link: string): void {
  const found = lstatSync(link, { throwIfNoEntry: false })
  if (found !== undefined && !found.isSymbolicLink()) return
  attempt(link, () => {
    mkdirSync(dirname(link), { recursive: true })
    rmSync(link, { force: true })
    // A junction is what Windows lets every account make; elsewhere the word means nothing.
    symlinkSync(packageFolder(), link, 'junction')
  })
}

function attempt(file: string, act: () => void): void {
  try {
    act()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw ballastError(
      'FILE_NOT_WRITTEN',
      'The file cannot be written.',
      { file, reason: code },
      cause,
    )
  }
}
