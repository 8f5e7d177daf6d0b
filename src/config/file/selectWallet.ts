import type { Path, Problem } from '../../core/problem.ts'
import { isSection, textAt } from './overrides.ts'

type Section = Readonly<Record<string, unknown>>

/** What one wallet of a file with several reads: the form of a file with one, and where each key of it is written. */
export type Selected = {
  readonly value: unknown
  /** The place in the file of a key of `value`. */
  readonly pathOf: (path: Path) => Path
  readonly problems: readonly Problem[]
}

/** One process reads them, whichever wallets it has. */
export const ofAllWallets: ReadonlySet<string> = new Set([
  ...['database', 'journal', 'stateFolder', 'haltFile', 'dashboard', 'logLevel', 'treasury'],
])

const ofWallet: ReadonlySet<string> = new Set(['name', 'address', 'signer'])

/** The names under `wallets:`, in the order of the file; undefined where it has one wallet, under `wallet:`. */
export function walletNames(written: unknown): readonly string[] | undefined {
  if (!isSection(written) || written.wallets === undefined) return undefined
  return itemsOf(written, 'wallets').flatMap((entry) => {
    const name = textAt(entry, ['name'])
    return name === undefined ? [] : [name]
  })
}

/** The number of chains that a file names. */
export const chainCount = (written: unknown): number =>
  isSection(written) && written.chains !== undefined ? itemsOf(written, 'chains').length : 1

/**
 * The file as one of its wallets reads it. A section that stands in the wallet's entry counts before one in the entry of
 * its chain, and that before one at the top; each is taken whole.
 */
export function selectWallet(written: unknown, wallet: string): Selected {
  if (!isSection(written)) return { value: written, pathOf: (path) => path, problems: [] }
  const { wallets: _, chains: __, ...top } = written
  const [wallets, chains] = [itemsOf(written, 'wallets'), itemsOf(written, 'chains')]
  const index = wallets.findIndex((entry) => textAt(entry, ['name']) === wallet)
  const entry = wallets[index] ?? {}
  const names = chains.map((one) => textAt(one, ['chain', 'name']))
  const place = entry.chain === undefined ? 0 : names.indexOf(String(entry.chain))
  const chain = chains[place] ?? {}
  const { name, address, signer, chain: ___, ...own } = entry
  const value = {
    ...top,
    ...chain,
    ...own,
    wallet: withoutGaps({ name, address, signer }),
  }
  return {
    value,
    pathOf([key, ...rest]) {
      if (key === undefined) return []
      if (key === 'wallet') return ['wallets', index, ...rest]
      if (key in own) return ['wallets', index, key, ...rest]
      return key in chain ? ['chains', place, key, ...rest] : [key, ...rest]
    },
    problems: problemsOf(written),
  }
}

const withoutGaps = (section: Section) =>
  Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined))

/** The sections of a list; none where it is no list. */
function itemsOf(written: Section, key: 'wallets' | 'chains'): readonly Section[] {
  const list = written[key]
  return Array.isArray(list) ? list.map((item) => (isSection(item) ? item : {})) : []
}

/** What is wrong with the lists of wallets and chains, whichever wallet is read. */
function problemsOf(written: Section): readonly Problem[] {
  const [wallets, chains] = [itemsOf(written, 'wallets'), itemsOf(written, 'chains')]
  // The one chain of a file may stand at its top.
  const named = chains.length > 0 ? chains : [written]
  const names = named.map((one) => textAt(one, ['chain', 'name']))
  return [
    ...listProblems(written),
    ...repeatedNames(wallets),
    ...repeatedAccounts(wallets, named),
    ...names.flatMap((name, index) =>
      names.indexOf(name) < index
        ? [problem(['chains', index], `is the second '${name}': every chain has its own name.`)]
        : [],
    ),
    ...wallets.flatMap((entry, index) => chainProblems(entry, { index, names })),
    ...[...wallets.entries()].flatMap(([index, entry]) => misplaced(entry, ['wallets', index])),
    ...[...chains.entries()].flatMap(([index, entry]) => misplaced(entry, ['chains', index])),
  ]
}

const problem = (path: Path, sentence: string): Problem => ({ path, sentence })

/** Either one or a list of several; and the list is one. */
function listProblems(written: Section): readonly Problem[] {
  const pairs = [
    ['wallet', 'wallets'],
    ['chain', 'chains'],
  ] as const
  return pairs.flatMap(([one, several]) => {
    const list = written[several]
    if (list === undefined) return []
    if (!Array.isArray(list) || list.length === 0)
      return [problem([several], `is no list with an entry: write '- name: …' under it.`)]
    return written[one] === undefined
      ? []
      : [problem([one], `stands beside ${several}: move it into that list, as one entry.`)]
  })
}

function repeatedNames(wallets: readonly Section[]): readonly Problem[] {
  const names = wallets.map((entry) => textAt(entry, ['name']))
  return names.flatMap((name, index) => {
    if (name === undefined) return [problem(['wallets', index], "has no name: write 'name: …'.")]
    return names.indexOf(name) < index
      ? [
          problem(
            ['wallets', index, 'name'],
            `is the second '${name}': every wallet has its own name.`,
          ),
        ]
      : []
  })
}

/** Two entries of one account on one chain would share its nonces, whatever the chain is called. */
function repeatedAccounts(
  wallets: readonly Section[],
  chains: readonly Section[],
): readonly Problem[] {
  const idOf = (name: unknown) =>
    textAt(
      chains.find((one) => name === undefined || textAt(one, ['chain', 'name']) === name),
      ['chain', 'chainId'],
    )
  const accounts = wallets.map(({ chain, address }) =>
    `${idOf(chain)} ${String(address)}`.toLowerCase(),
  )
  return accounts.flatMap((account, index) => {
    const first = accounts.indexOf(account)
    return first < index && wallets[index]?.address !== undefined
      ? [
          problem(
            ['wallets', index, 'address'],
            `is the account of '${String(wallets[first]?.name)}' too: an account has one entry on each chain.`,
          ),
        ]
      : []
  })
}

function chainProblems(
  { chain }: Section,
  { index, names }: { index: number; names: readonly (string | undefined)[] },
): readonly Problem[] {
  const known = names.filter((name) => name !== undefined).join(', ')
  if (chain === undefined)
    return names.length > 1
      ? [problem(['wallets', index], `has no chain: write 'chain:' and one of ${known}.`)]
      : []
  return names.some((name) => name === chain)
    ? []
    : [
        problem(
          ['wallets', index, 'chain'],
          `is not the name of a chain of this file: write ${known === '' ? 'it under chains' : `one of ${known}`}.`,
        ),
      ]
}

function misplaced(entry: Section, at: Path): readonly Problem[] {
  const [list] = at
  return Object.keys(entry).flatMap((key) => {
    if (ofAllWallets.has(key))
      return [problem([...at, key], 'is one for all wallets: move it to the top of the file.')]
    return list === 'chains' && (ofWallet.has(key) || key === 'strategies')
      ? [problem([...at, key], 'is of a wallet: move it into its entry under wallets.')]
      : []
  })
}
