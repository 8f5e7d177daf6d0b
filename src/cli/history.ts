import { journalName } from '../bot/journal/store/database.ts'
import type { AttemptRecord, SwapRecord } from '../bot/record.ts'
import { showText } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { display } from '../core/display.ts'
import { toSecond } from '../core/isoText.ts'
import { table } from '../core/textLayout.ts'
import { unknownSwap } from '../story/findSubject.ts'
import { assertConfigured } from './assertConfigured.ts'
import { defineCommand } from './command.ts'
import { existingJournal } from './needs.ts'
import { paperOption, wholeNumber } from './options.ts'

export const command = defineCommand({
  name: 'history',
  summary: 'what was decided and done, with the reasons',
  example: 'ballast history --limit 20 --attempts',
  isForEach: ({ args }) => args.length === 0,
  arguments: [
    {
      name: '[id]',
      summary: 'one swap with its attempts; the first 6 characters of its id are enough',
    },
  ],
  options: {
    limit: {
      flags: '--limit <n>',
      summary: 'how many swaps, newest first (20)',
      read: wholeNumber({ name: '--limit', min: 1, max: 1_000 }),
    },
    before: { flags: '--before <id>', summary: 'only swaps older than this one' },
    strategy: { flags: '--strategy <name>', summary: 'only swaps of this strategy' },
    attempts: {
      flags: '--attempts',
      summary: 'what was signed for each: nonce, fee, answer, hash',
    },
    paper: paperOption,
  },
  config: 'journal',
  needs: { journal: existingJournal },
  async run({ args: [id], config, journal, options }) {
    const { strategy, before, limit = 20 } = options
    if (journal === undefined) {
      if (id !== undefined) throw unknownSwap(id)
      if (strategy !== undefined) assertConfigured(strategy, config)
      return { swaps: [] }
    }
    if (id !== undefined) {
      const swap = await journal.swaps.record(id)
      if (swap === undefined) throw unknownSwap(id)
      return { swaps: [swap] }
    }
    const last = before === undefined ? undefined : await journal.swaps.record(before)
    if (before !== undefined && last === undefined) throw unknownSwap(before)
    const swaps = await journal.swaps.history({
      limit,
      ...(last === undefined ? {} : { before: last.id }),
      ...(strategy === undefined ? {} : { strategy }),
    })
    // One that is configured no more still has its history.
    if (
      strategy !== undefined &&
      (await journal.swaps.history({ limit: 1, strategy })).length === 0
    )
      assertConfigured(strategy, config)
    return { swaps }
  },
  text({ swaps }, { args: [id], config, journal, options, terminal: { columns } }) {
    if (journal === undefined)
      return `No swaps yet: there is no journal at ${journalName(config.database)}.`
    if (id !== undefined) return swaps.map((swap) => detailsOf(swap, columns)).join('\n')
    if (swaps.length === 0) return 'No swap matches.'
    if (options.attempts) return swaps.map((swap) => withAttempts(swap, columns)).join('\n\n')
    return table([header, ...swaps.map(row)], columns)
  },
})

const header = ['id', 'time', 'strategy', 'state', 'sell', 'received', 'bps', 'attempts']

/** Long enough to name a swap to `history`, short enough for a list. */
const idLength = 8

function row(swap: SwapRecord): string[] {
  const { id, strategy, againstIndicationBps, attempts } = swap
  return [
    id.slice(0, idLength),
    toSecond(swap.createdAt),
    strategy,
    stateOf(swap),
    ...movedOf(swap),
    againstIndicationBps === null ? '' : againstIndicationBps.toFixed(2),
    attempts.map(({ kind, nonce }) => `${kind.toLowerCase()}#${nonce}`).join(' '),
  ]
}

const stateOf = ({ code, state }: SwapRecord) => (code === null ? state : `${state} ${code}`)

const movedOf = ({ sold, received, recipient, sell, buy }: SwapRecord) => [
  `${(sold ?? sell).text} ${sell.token}`,
  `${received === null ? `– ${buy}` : showText(received)}${recipient === null ? '' : ' sent on'}`,
]

function withAttempts(swap: SwapRecord, columns: number): string {
  const { id, createdAt, strategy } = swap
  const [sold, received] = movedOf(swap)
  const title = `${id}  ${toSecond(createdAt)}  ${display(strategy)}  ${stateOf(swap)}  ${sold} -> ${received}`
  return [title, attemptsOf(swap, columns)].join('\n')
}

function detailsOf(swap: SwapRecord, columns: number): string {
  const { reason, floor, recipient, block, txHash, gasPaidInAllWei, gasTipInAllWei } = swap
  const tip = gasTipInAllWei === null ? '' : `, of it ${gasTipInAllWei} wei tip`
  const facts = [
    ['reason', reason],
    ['floor', showText(floor)],
    ...(recipient === null ? [] : [['sent on to', recipient]]),
    ['changed', swap.updatedAt],
    ['block', block === null ? 'none' : String(block)],
    ['transaction', txHash ?? 'none'],
    ['gas in all', gasPaidInAllWei === null ? 'none' : `${gasPaidInAllWei} wei${tip}`],
  ]
  const [title, ...attempts] = withAttempts(swap, columns).split('\n')
  return [title, table(setIn(facts), columns), ...attempts].join('\n')
}

const attemptHeader = ['kind', 'nonce', 'max fee', 'tip', 'signed', 'sent at', 'answer', 'hash']

function attemptsOf({ attempts }: SwapRecord, columns: number): string {
  if (attempts.length === 0) return '  nothing was signed'
  return table(setIn([attemptHeader, ...attempts.map(attemptRow)]), columns)
}

const setIn = (rows: readonly string[][]) => rows.map((cells) => ['', ...cells])

function attemptRow(attempt: AttemptRecord): string[] {
  const { kind, nonce, maxFeeWei, tipWei, signedAt, sentAtBlock, verdict, hash, replaces } = attempt
  const { publishedAt } = attempt
  const open = publishedAt === null ? '' : `, public since ${publishedAt.slice(11, 19)}Z`
  return [
    replaces === null ? kind.toLowerCase() : `${kind.toLowerCase()} (dearer)`,
    String(nonce),
    `${formatDecimal(BigInt(maxFeeWei), 9)} gwei`,
    `${formatDecimal(BigInt(tipWei), 9)} gwei`,
    toSecond(signedAt),
    sentAtBlock === null ? 'never' : `block ${sentAtBlock}${open}`,
    verdict ?? attempt.answer?.slice(0, 24) ?? '',
    hash,
  ]
}
