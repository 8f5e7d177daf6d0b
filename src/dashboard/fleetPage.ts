import type { AmountText } from '../core/amount.ts'
import { type Html, html } from '../core/html.ts'
import { isDollar } from '../core/token.ts'
import { dataTable } from './dataTable.ts'
import { ago, amount, worthText } from './figures.ts'
import { fleetLayout } from './layout.ts'
import { limitsTable } from './limitsTable.ts'
import type { FillView, LimitView } from './views.ts'

/** One wallet of several, as the first page shows it. */
export type WalletView = {
  readonly name: string
  /** Path of its own pages. */
  readonly path: string
  readonly chain: string
  readonly address: string
  /** How it is, in one word or two. */
  readonly state: string
  /** What a person must know of it. */
  readonly attention: readonly { readonly code: string; readonly sentence: string }[]
  /** Codes of the locks that hold. */
  readonly locks: readonly string[]
  /** When the newest block was made; null where that is not known. */
  readonly headAt: string | null
  /** The process that trades it; null where none does. */
  readonly process: string | null
  /** Null where a part of it is unknown. */
  readonly worth: AmountText | null
  /** When it was worth that, as ISO 8601. */
  readonly worthAt: string | null
  readonly lastFill: FillView | null
  /** Swaps that are not decided. */
  readonly open: number
}

export type FleetView = {
  readonly wallets: readonly WalletView[]
  /** Of all wallets together. */
  readonly limits: readonly LimitView[]
  readonly processes: readonly {
    readonly id: string
    readonly role: string
    readonly wallets: readonly string[]
  }[]
}

/** Every wallet in a line, with what needs a person first. */
export function fleetPage({ wallets, limits, processes }: FleetView, now: number): Html {
  const troubled = wallets.filter(({ state }) => state !== 'RUNNING')
  return fleetLayout({
    title: `Ballast: ${wallets.length} wallets`,
    isHalted: wallets.every(({ state }) => state === 'HALTED'),
    now,
    main: html`<p class="standing"><span class="state ${troubled.length === 0 ? 'good' : 'bad'}">${troubled.length === 0 ? 'RUNNING' : `${troubled.length} OF ${wallets.length} NEED A LOOK`}</span>
<span>${wallets.length} wallets, ${processes.length} processes</span></p>
<h2>Wallets</h2>
${walletTable(wallets, now)}
${limits.length > 0 && html`<h2>Limits of all wallets together</h2>${limitsTable(limits)}`}
<h2>Processes</h2>
${dataTable({
  label: 'Processes',
  columns: [{ name: 'Process' }, { name: 'Role' }, { name: 'Trades' }],
  rows: processes.map(({ id, role, wallets: traded }) => ({
    key: `process-${id}`,
    cells: [id, role, traded.length === 0 ? null : traded.join(', ')],
  })),
  empty: 'No process is there.',
})}`,
  })
}

const walletTable = (wallets: readonly WalletView[], now: number): Html =>
  dataTable({
    label: 'Wallets',
    columns: [
      { name: 'Wallet' },
      { name: 'State' },
      { name: 'Chain', isMinor: true },
      { name: 'Worth', isNumber: true },
      { name: 'Under way', isNumber: true, isMinor: true },
      { name: 'Last fill' },
      { name: 'Traded by', isMinor: true },
    ],
    rows: wallets.map((wallet) => {
      const { name, path, chain, state, attention, process, lastFill, open } = wallet
      return {
        key: `wallet-${name}`,
        cells: [
          html`<a href="${path}/">${name}</a>`,
          html`<span class="mark ${state === 'RUNNING' ? 'good' : 'bad'}">${state}</span> ${attention[0]?.sentence}`,
          chain,
          worthOf(wallet, now),
          open,
          lastFill === null
            ? html`<span class="soft">none yet</span>`
            : html`${amount(lastFill.received)} ${ago(lastFill.at, now)}`,
          process,
        ],
      }
    }),
    empty: 'The file names no wallet.',
  })

/** With its age: a wallet whose node is away is worth what it was. */
const worthOf = ({ worth, worthAt }: WalletView, now: number): Html =>
  worth === null || worthAt === null
    ? html`<span class="soft">not known</span>`
    : html`${shown(worth)} ${ago(worthAt, now)}`

const shown = (worth: AmountText) =>
  isDollar({ symbol: worth.token }) ? worthText(worth) : amount(worth)
