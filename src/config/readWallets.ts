import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { secondMs } from '../core/spans.ts'
import { parseYaml } from './file/parseYaml.ts'
import { readText, showPath } from './file/readText.ts'
import { selectWallet, walletNames } from './file/selectWallet.ts'

/** The names of the wallets of a file with several; undefined for one with one wallet, and for one that is no YAML. */
export function readWallets(file: string, cwd: string): readonly string[] | undefined {
  const path = resolve(cwd, file)
  const init = "'ballast config init' writes one"
  return walletNames(parseYaml(readText(path, { shown: showPath(path, cwd), init })).value)
}

const steadyMs = secondMs

/**
 * The wallets of a file as they come and go: a call reads it. A new text counts when it has stood for a second, and only
 * where nothing is wrong with its lists: editors empty a file before they fill it, and a name that is misspelt is no
 * wallet that was taken out.
 */
export function followWallets(
  file: string,
  first: readonly string[],
  clock: Pick<Clock, 'now'>,
): () => readonly string[] {
  let names = first
  let seen = { text: '', at: 0 }
  let handled = ''
  return () => {
    const text = textOf(file) ?? ''
    if (text !== seen.text) seen = { text, at: clock.now() }
    if (text === '' || text === handled || clock.now() - seen.at < steadyMs) return names
    handled = text
    const { value } = parseYaml(text)
    const named = walletNames(value) ?? []
    const [one] = named
    if (one !== undefined && selectWallet(value, one).problems.length === 0) names = named
    return names
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It is being replaced, or a person looks for it: those that were named go on.
    return undefined
  }
}
