import { describe, expect, test } from 'vitest'
import type { Lock } from '../../../src/bot/lock.ts'
import { type AttentionFacts, attentionOf, runStateOf } from '../../../src/bot/report/attention.ts'
import { amountOf } from '../../../src/core/amount.ts'
import { dayMs } from '../../../src/core/spans.ts'
import { nativeAddress } from '../../../src/core/token.ts'

const now = Date.UTC(2026, 10, 22, 12)
const minute = 60_000
const hour = 60 * minute
const ether = { chainId: 1, address: nativeAddress, symbol: 'ETH', decimals: 18 }
const eth = (text: string) => amountOf(ether, text)

const next = { nextAt: now + minute }

const well: AttentionFacts = {
  now,
  locks: [],
  undone: [],
  swaps: [],
  strategies: [{ ...next, name: 'weekly', periodMs: 5_000, decidedAt: now - 4_000 }],
  runningSince: now - 10 * hour,
  head: { at: now - 59_000, blockTimeMs: 12_000 },
  gas: { held: eth('0.15'), perSwap: eth('0.05') },
  disk: { folder: '/data', freeBytes: 2 ** 30 },
}

const drift: Lock = {
  id: 7,
  kind: 'halt',
  scope: 'wallet 0xaa',
  code: 'LEDGER_DRIFT',
  reason: 'WETH is missing',
  openedAt: now - hour,
  expiresAt: undefined,
}
const missed = {
  ...{ strategy: 'weekly', slot: now - 3 * hour, upto: now - 3 * hour, slots: 1 },
  ...{ state: 'missed', reason: 'no process ran', at: now - 2 * hour },
}
const swap = {
  ...{ id: 'swap-1', strategy: 'weekly', state: 'SENT' },
  ...{ createdAt: now - 11 * minute, deadline: now - 10 * minute },
}
const planned = { ...swap, state: 'PLANNED', createdAt: now - hour, deadline: undefined }
const quiet = { ...next, name: 'weekly', periodMs: 5_000, decidedAt: now - 5 * minute }
const hourly = { ...next, name: 'weekly', periodMs: hour, decidedAt: now - 3 * hour }

test('attention: nothing, at every boundary', () => {
  expect(attentionOf(well)).toEqual([])
  const undelivered = [
    { channel: 'slack', at: now - 15 * minute, tries: 8 },
    // Of an event that waited for the morning, or for a start.
    { channel: 'webhook', at: now - 9 * hour, tries: 7 },
  ]
  const amount = { text: '1', token: 'USDC', wei: '1000000' }
  const edge: Partial<AttentionFacts> = {
    ...{ swaps: [swap, planned], strategies: [quiet], undelivered },
    proven: { at: now - 72 * hour },
    allowances: [{ amount, spender: '0xdd', at: now - dayMs }],
    silences: [
      { source: 'feed', reason: 'old', since: now - 2 * hour, until: now - hour },
      // Nobody reads it any more.
      { source: 'pool', reason: 'old', since: now - 3 * hour, until: now - hour - 1 },
    ],
    unread: [
      { source: 'DAI', reason: 'once', since: now - 4 * minute + 1, until: now },
      { source: 'USDC', reason: 'long ago', since: now - 3 * hour, until: now - hour - 1 },
    ],
  }
  expect(attentionOf({ ...well, ...edge })).toEqual([])
  for (const one of [quiet, hourly]) expect(attentionOf({ ...well, strategies: [one] })).toEqual([])
  // A start after weeks compares behind what it finds under way.
  const begun = { proven: { at: now - 30 * dayMs }, runningSince: now - hour }
  expect(attentionOf({ ...well, ...begun })).toEqual([])
  expect(attentionOf({ ...well, ...begun, now: now + 1 })).toMatchObject([
    { code: 'BOOKS_UNPROVEN', since: now },
  ])
  const { head: _, gas: __, disk: ___, ...unseen } = well
  expect(attentionOf(unseen)).toEqual([])
})

const silence = { reason: 'it is old', since: now - 2 * hour, until: now }

describe('attention: one item each', () => {
  test.each<[string, Partial<AttentionFacts>, object]>([
    [
      'a lock',
      { locks: [drift] },
      {
        ...{ kind: 'lock', code: 'LEDGER_DRIFT', subject: 'lock 7', since: now - hour },
        sentence: 'A halt of wallet 0xaa holds until it is released: WETH is missing',
        next: 'Find out why, then: ballast resume --reason "…" 7',
      },
    ],
    [
      'a disputed swap',
      { locks: [{ ...drift, kind: 'breaker', code: 'SWAP_DISPUTED' }] },
      { kind: 'lock', code: 'SWAP_DISPUTED' },
    ],
    [
      'a breaker that ends by itself, whatever its number',
      { locks: [{ ...drift, kind: 'breaker', code: 'CLOCK_SKEW', expiresAt: now + hour }] },
      {
        ...{ code: 'CLOCK_SKEW', severity: 'warning', subject: 'breaker of wallet 0xaa' },
        // Its number is another one by the time that somebody reads it.
        next: 'Find out why; it ends by itself, and opens again while its cause lasts. Before that: ballast status, then ballast resume --reason "…" and its number',
      },
    ],
    [
      'a file that halts',
      { locks: [{ ...drift, id: 0, code: 'BY_FILE' }] },
      { next: 'Find out why, remove the file, then: ballast resume --reason "…"' },
    ],
    [
      'a missed slot',
      { undone: [missed] },
      {
        ...{ kind: 'slot', code: 'SLOT_MISSED', subject: 'weekly@2026-11-22T09:00:00.000Z' },
        since: now - 2 * hour,
        sentence:
          'weekly: the slot of 2026-11-22T09:00:00.000Z was missed: no process ran. Its next slot: 2026-11-22T12:01:00.000Z.',
        next: 'ballast explain weekly@2026-11-22T09:00:00.000Z',
      },
    ],
    [
      'a run of missed slots',
      { undone: [{ ...missed, upto: now - 2 * hour, slots: 2 }] },
      {
        code: 'SLOT_MISSED',
        sentence:
          'weekly: 2 slots from 2026-11-22T09:00:00.000Z to 2026-11-22T10:00:00.000Z were missed: no process ran. Its next slot: 2026-11-22T12:01:00.000Z.',
      },
    ],
    [
      'a failed slot',
      { undone: [{ ...missed, state: 'failed', at: now - 24 * hour }] },
      { code: 'SLOT_FAILED' },
    ],
    [
      'a swap long after its deadline',
      { swaps: [{ ...swap, deadline: now - 10 * minute - 1 }] },
      {
        ...{ kind: 'swap', code: 'SWAP_STUCK', subject: 'swap-1', since: now - 1 },
        sentence:
          'Swap swap-1 of weekly is still SENT and had its deadline at 2026-11-22T11:49:59.999Z.',
      },
    ],
    [
      'a channel that refuses for 15 minutes',
      { undelivered: [{ channel: 'slack', at: now - 15 * minute - 1, tries: 8 }] },
      {
        ...{ kind: 'alert', code: 'ALERTS_UNDELIVERED', severity: 'warning', subject: 'slack' },
        since: now - 1,
        sentence:
          'The alert channel slack has refused 8 times what waits for it since 2026-11-22T11:44:59.999Z.',
      },
    ],
    [
      'a changed file that is refused',
      {
        refused: {
          since: now - minute,
          problem: { code: 'CONFIG_INVALID', summary: 'policy.evry is not a known key.' },
        },
      },
      {
        ...{ kind: 'config', code: 'CONFIG_REFUSED', severity: 'warning' },
        ...{ subject: 'CONFIG_INVALID', since: now - minute },
        sentence:
          'The bot runs by its last good configuration, not by what the file says now: policy.evry is not a known key.',
      },
    ],
    [
      'a plan that is never signed',
      { swaps: [{ ...planned, createdAt: now - hour - 1 }] },
      { code: 'SWAP_STUCK', since: now - 1 },
    ],
    [
      'no look for five minutes',
      { strategies: [{ ...quiet, decidedAt: now - 5 * minute - 1 }] },
      { kind: 'look', code: 'LOOK_STALE', subject: 'weekly', since: now - 1 },
    ],
    [
      'no look for three periods',
      { strategies: [{ ...hourly, decidedAt: now - 3 * hour - 1 }] },
      { code: 'LOOK_STALE', sentence: expect.stringContaining('every 3600 s') },
    ],
    [
      'no look since the start',
      { strategies: [{ ...quiet, decidedAt: undefined }], runningSince: now - 5 * minute - 1 },
      { code: 'LOOK_STALE', sentence: expect.stringContaining('last decision: never') },
    ],
    [
      'an old head',
      { head: { at: now - 60_001, blockTimeMs: 12_000 } },
      { kind: 'head', code: 'HEAD_STALE', subject: 'chain', since: now - 60_001 },
    ],
    [
      'an old head of a slow chain',
      { head: { at: now - 180_001, blockTimeMs: 60_000 } },
      { kind: 'head', code: 'HEAD_STALE', since: now - 180_001 },
    ],
    [
      'no head',
      { head: { problem: 'The node is away.' } },
      { kind: 'head', code: 'HEAD_UNKNOWN', since: now, sentence: 'The node is away.' },
    ],
    [
      'little gas',
      { gas: { held: eth('0.149'), perSwap: eth('0.05') } },
      {
        ...{ kind: 'gas', code: 'GAS_LOW', subject: 'ETH', since: now },
        sentence:
          'The wallet holds 0.149 ETH; the gas of 3 swaps may cost 0.15 ETH at policy.maxGasPrice.',
      },
    ],
    [
      'little room',
      { disk: { folder: '/data', freeBytes: 2 ** 30 - 1 } },
      {
        ...{ kind: 'disk', code: 'DISK_LOW', subject: '/data', since: now },
        next: 'Make room: below 128 MiB nothing new begins.',
      },
    ],
    [
      'an archive that nobody could make',
      { archive: { retentionMs: 100 * dayMs, oldestAt: now - 128 * dayMs } },
      {
        ...{ kind: 'archive', code: 'ARCHIVE_OVERDUE', subject: 'journal', since: now - 3 * dayMs },
        next: 'ballast archive makes it, or says why not',
      },
    ],
    [
      'books that each comparison finds something in',
      { proven: { at: now - 73 * hour } },
      {
        ...{ kind: 'books', code: 'BOOKS_UNPROVEN', subject: 'journal', since: now - hour },
        next: 'ballast reconcile shows which, and what follows',
      },
    ],
    [
      'an allowance of no use',
      {
        allowances: [
          {
            amount: { text: '1', token: 'USDC', wei: '1000000' },
            ...{ spender: '0xdd', at: now - dayMs - 1 },
          },
        ],
      },
      { kind: 'allowance', code: 'ALLOWANCE_LEFT', subject: 'USDC of 0xdd', since: now - 1 },
    ],
    [
      'a reference without a price for more than an hour',
      { silences: [{ source: 'feed WETH/USD 0xfe', ...silence }] },
      {
        ...{ kind: 'reference', code: 'REFERENCE_SILENT', severity: 'warning' },
        ...{ subject: 'feed WETH/USD 0xfe', since: now - 2 * hour },
        sentence:
          'No price has come since 2026-11-22T10:00:00.000Z from feed WETH/USD 0xfe: it is old',
      },
    ],
    [
      'a witness that is away, and with it every price of the chain',
      { silences: ['feed', 'pool', 'other pool'].map((source) => ({ source, ...silence })) },
      {
        ...{ code: 'REFERENCE_SILENT', subject: 'feed', since: now - 2 * hour },
        sentence:
          'No price has come since 2026-11-22T10:00:00.000Z from feed and 2 more references: it is old',
      },
    ],
    [
      'a token that tells no balance',
      { unread: [{ ...silence, source: 'DAI', reason: 'execution reverted' }] },
      {
        ...{ kind: 'token', code: 'TOKEN_UNREADABLE', severity: 'warning' },
        ...{ subject: 'DAI', since: now - 2 * hour },
        sentence: expect.stringContaining(
          'DAI has told no balance since 2026-11-22T10:00:00.000Z: execution reverted.',
        ),
      },
    ],
    [
      'no room for anything new',
      { disk: { folder: '/data', freeBytes: 2 ** 27 - 1 } },
      {
        ...{ kind: 'disk', code: 'DISK_FULL', subject: '/data', since: now },
        sentence:
          'Nothing new begins: 127 MiB are free for the journal in /data; with 128 MiB it goes on by itself.',
      },
    ],
  ])('%s', (_, given, item) => {
    const found = attentionOf({ ...well, ...given })
    expect(found).toMatchObject([item])
    for (const { next, sentence } of found)
      for (const text of [next, sentence]) expect(text).not.toBe('')
  })
})

test('a strategy that has decided nothing for weeks is late again at the first slot after each opening, and not before', () => {
  const sixHourly = {
    ...hourly,
    periodMs: 6 * hour,
    decidedAt: now - 30 * dayMs,
    nextAt: now + hour,
  }
  const codes = (view: Partial<AttentionFacts>) =>
    attentionOf({ ...well, ...view }).map(({ code }) => code)
  // Its last slot was five hours ago.
  expect(codes({ strategies: [sixHourly], runningSince: now - 6 * hour })).toEqual(['LOOK_STALE'])
  expect(codes({ strategies: [sixHourly], runningSince: now - 4 * hour })).toEqual([])
  // The same of a lock that was over it.
  const lockedUntil = (freeSince: number) => codes({ strategies: [{ ...sixHourly, freeSince }] })
  expect(lockedUntil(now - 6 * hour)).toEqual(['LOOK_STALE'])
  expect(lockedUntil(now - 4 * hour)).toEqual([])
})

const calendar = { ...next, name: 'weekly', periodMs: undefined }
const slot = now - 10 * minute
const owed = { slot, due: slot + minute, until: slot + hour }
const wanting = {
  ...{ ...next, name: 'basket', periodMs: 5_000, decidedAt: now },
  wish: {
    ...{ since: now - hour - 1, code: 'SIMULATE_GAS_COST' },
    refusal: 'Refused: gas (SIMULATE_GAS_COST).',
  },
}
const breaker = { ...drift, kind: 'breaker' as const }
const wishing = { ...wanting, periodMs: undefined }

/** What was to be done and was not: the reason, and the next attempt or what ends it. */
describe('the watchdog: each reason, with the next attempt', () => {
  test.each<[string, Partial<AttentionFacts>, RegExp, RegExp]>([
    ['a missed slot', { undone: [missed] }, /no process ran/, /next slot: 2026-11-22T12:01/],
    [
      'a failed slot',
      { undone: [{ ...missed, state: 'failed', reason: 'Begun 5 times, and nothing settled.' }] },
      /failed: Begun 5 times/,
      /next slot: 2026-11-22T12:01/,
    ],
    [
      'a slot that is due and not decided',
      {
        strategies: [{ ...calendar, owed, decidedAt: slot - hour, trouble: 'Away (UNREACHABLE).' }],
      },
      /slot of 2026-11-22T11:50:00.000Z; its last decision: .*10:50.*failed: Away \(UNREACHABLE\)/,
      /may decide until 2026-11-22T12:50:00.000Z, then the slot is missed/,
    ],
    [
      'a band left open',
      { strategies: [wanting] },
      /wanted to swap since 2026-11-22T10:59:59.999Z, and nothing settled: Refused: gas/,
      /decides again at 2026-11-22T12:01/,
    ],
    [
      'a band left open by a calendar, whose slot is over',
      { strategies: [wishing] },
      /basket has wanted to swap since 2026-11-22T10:59:59.999Z, and nothing settled: Refused: gas/,
      /decides again at 2026-11-22T12:01/,
    ],
    [
      'stale quotes',
      {
        strategies: [
          {
            ...quiet,
            decidedAt: now - hour,
            trouble: 'The indications took too long (STALE_MARKET).',
          },
        ],
      },
      /last look failed: The indications took too long \(STALE_MARKET\)/,
      /decides again at 2026-11-22T12:01/,
    ],
    [
      'a stuck swap',
      { swaps: [{ ...swap, deadline: now - hour }] },
      /still SENT and had its deadline at 2026-11-22T11:00/,
      /followed only while a bot runs/,
    ],
    [
      'a disputed swap',
      { locks: [{ ...breaker, code: 'SWAP_DISPUTED', reason: 'receipt and nonce differ' }] },
      /until it is released: receipt and nonce differ/,
      /ballast resume/,
    ],
    [
      'low gas',
      { gas: { held: eth('0.1'), perSwap: eth('0.05') } },
      /holds 0.1 ETH; the gas of 3 swaps may cost 0.15 ETH/,
      /Send ETH to the wallet/,
    ],
    [
      'a low disk',
      { disk: { folder: '/data', freeBytes: 2 ** 20 } },
      /1 MiB are free for the journal in .data/,
      /Make room/,
    ],
    [
      'a balance that is missing',
      { locks: [{ ...breaker, reason: 'the wallet holds less: 2 WETH missing' }] },
      /wallet 0xaa holds until it is released: .* 2 WETH missing/,
      /ballast resume/,
    ],
    [
      'a lock that ends',
      { locks: [{ ...breaker, code: 'REFUSALS', expiresAt: now + minute }] },
      /holds until 2026-11-22T12:01/,
      /ballast resume/,
    ],
    [
      'a theft of the key',
      { locks: [{ ...drift, code: 'NONCE_TAKEN', reason: 'another transaction took nonce 7' }] },
      /another transaction took nonce 7/,
      /ballast resume/,
    ],
  ])('%s', (_, given, reason, attempt) => {
    const [found, ...others] = attentionOf({ ...well, ...given })
    expect(others).toEqual([])
    const text = `${found?.sentence} ${found?.next}`
    expect(text).toMatch(reason)
    expect(text).toMatch(attempt)
  })

  test.each<[string, Partial<AttentionFacts>]>([
    ['a slot that is decided on', { strategies: [{ ...calendar, owed, decidedAt: owed.due }] }],
    [
      'a slot that is due for less than five minutes',
      { strategies: [{ ...calendar, owed: { ...owed, due: now - 5 * minute }, decidedAt: 0 }] },
    ],
    [
      'a wish of an hour',
      { strategies: [{ ...wanting, wish: { ...wanting.wish, since: now - hour } }] },
    ],
    [
      'a wish that the cooldown holds back, for as long as it is and a day',
      {
        cooldownMs: 3 * dayMs,
        strategies: [
          {
            ...wanting,
            wish: { ...wanting.wish, code: 'POLICY_COOLDOWN', since: now - 4 * dayMs - hour },
          },
        ],
      },
    ],
    [
      'a wish that a limit of a day holds back, for a day',
      {
        strategies: [
          {
            ...wanting,
            wish: { ...wanting.wish, code: 'POLICY_PER_DAY', since: now - dayMs - hour },
          },
        ],
      },
    ],
    ['a wish of a calendar whose slot is open', { strategies: [{ ...wishing, owed }] }],
  ])('%s: nothing', (_, given) => {
    expect(attentionOf({ ...well, ...given })).toEqual([])
  })
  test.each(['POLICY_PER_DAY', 'POLICY_NOTIONAL_PER_DAY', 'TREASURY_LIMIT'])(
    '%s that has held a wish back for more than a day is told: others use it up',
    (code) => {
      const wish = { ...wanting.wish, code, since: now - dayMs - hour - 1 }
      const found = attentionOf({ ...well, strategies: [{ ...wanting, wish }] })
      expect(found.map((one) => one.code)).toEqual(['SWAP_UNDONE'])
    },
  )
  test('a cooldown that holds a wish back for longer than it is: swaps come to nothing again and again', () => {
    const wish = { ...wanting.wish, code: 'POLICY_COOLDOWN', since: now - dayMs - 2 * hour - 1 }
    const found = attentionOf({
      ...{ ...well, cooldownMs: hour },
      strategies: [{ ...wanting, wish }],
    })
    expect(found.map(({ code }) => code)).toEqual(['SWAP_UNDONE'])
  })
  test('a band left open under a breaker: the reason, its end, and the attempt after it', () => {
    const lock = { ...breaker, code: 'REFUSALS', scope: 'strategy basket', expiresAt: now + hour }
    const found = attentionOf({ ...well, strategies: [wanting], locks: [lock] })
    expect(found.map(({ code }) => code)).toEqual(['REFUSALS', 'SWAP_UNDONE'])
    expect(found[1]?.sentence).toMatch(
      /A breaker holds until (\S+Z) \(REFUSALS\)\. It decides again at \1\.$/,
    )
    const halted = attentionOf({ ...well, strategies: [wanting], locks: [drift] })
    expect(halted.map(({ code }) => code)).toEqual(['LEDGER_DRIFT'])
  })

  test('a calendar that failed is named as a slot, and as a wish from the next day on', () => {
    const failed = { ...missed, strategy: 'basket', state: 'failed' }
    const codes = (at: number) =>
      attentionOf({ ...well, strategies: [wishing], undone: [{ ...failed, at }] }).map(
        ({ code }) => code,
      )
    expect([codes(now - hour), codes(now - 25 * hour)]).toEqual([['SLOT_FAILED'], ['SWAP_UNDONE']])
  })

  test('a slot that is due under a lock is the lock alone', () => {
    const strategies = [{ ...calendar, owed, decidedAt: 0 }]
    const found = attentionOf({ ...well, strategies, locks: [drift] })
    expect(found.map(({ code }) => code)).toEqual(['LEDGER_DRIFT'])
  })
})

test.each<[string, Partial<AttentionFacts>, string]>([
  ['a halt', { locks: [drift] }, 'critical'],
  ['a breaker that a person releases', { locks: [{ ...drift, kind: 'breaker' }] }, 'critical'],
  [
    'a breaker that ends',
    { locks: [{ ...drift, kind: 'breaker', expiresAt: now + 1 }] },
    'warning',
  ],
  ['a pause', { locks: [{ ...drift, kind: 'pause' }] }, 'info'],
  ['a drain', { locks: [{ ...drift, kind: 'drain' }] }, 'info'],
  ['a stuck swap', { swaps: [{ ...planned, createdAt: now - 2 * hour }] }, 'critical'],
  ['a full disk', { disk: { folder: '/data', freeBytes: 0 } }, 'critical'],
  ['a missed slot', { undone: [missed] }, 'warning'],
  ['no look', { strategies: [{ ...quiet, decidedAt: 0 }] }, 'warning'],
  ['no head', { head: { problem: 'away' } }, 'warning'],
  ['little gas', { gas: { held: eth('0'), perSwap: eth('1') } }, 'warning'],
])('severity: %s', (_, given, severity) => {
  expect(attentionOf({ ...well, ...given }).map((one) => one.severity)).toEqual([severity])
})

describe('attention: what explains itself is not said twice', () => {
  const late = { ...quiet, decidedAt: now - hour }
  test.each<[string, Partial<AttentionFacts>, readonly string[]]>([
    ['a slot of the day before', { undone: [{ ...missed, at: now - 24 * hour - 1 }] }, []],
    ['nothing is decided without a process', { strategies: [late], runningSince: undefined }, []],
    ['a lock has just ended', { strategies: [{ ...late, freeSince: now - minute }] }, []],
    [
      'nothing is decided on a full disk',
      { strategies: [late], disk: { folder: '/data', freeBytes: 1 } },
      ['DISK_FULL'],
    ],
    ['a swap is under way', { strategies: [late], swaps: [swap] }, []],
    ['a calendar', { strategies: [{ ...late, periodMs: undefined }] }, []],
    ['a lock of the wallet', { strategies: [late], locks: [drift] }, ['LEDGER_DRIFT']],
    [
      'a lock of another strategy',
      { strategies: [late], locks: [{ ...drift, scope: 'strategy other' }] },
      ['LEDGER_DRIFT', 'LOOK_STALE'],
    ],
    [
      'its own lock',
      { strategies: [late], locks: [{ ...drift, scope: 'strategy weekly' }] },
      ['LEDGER_DRIFT'],
    ],
  ])('%s', (_, given, codes) => {
    expect(attentionOf({ ...well, ...given }).map(({ code }) => code)).toEqual(codes)
  })
})

test('the state word on a full disk: nothing new begins', () => {
  const attention = attentionOf({ ...well, disk: { folder: '/data', freeBytes: 1 } })
  const standing = { isRunning: true, hasDecided: true, locks: [], attention }
  expect(runStateOf(standing)).toBe('PAUSED')
})

test('the state word: each of six', () => {
  const [stale] = attentionOf({ ...well, strategies: [{ ...quiet, decidedAt: now - hour }] })
  const attention = stale === undefined ? [] : [stale]
  const standing = { isRunning: true, hasDecided: true, locks: [], attention: [] }
  const ofStrategy = { ...drift, scope: 'strategy weekly' }
  expect(
    [
      standing,
      { ...standing, hasDecided: false },
      { ...standing, locks: [ofStrategy] },
      { ...standing, locks: [drift], attention },
      { ...standing, locks: [{ ...drift, scope: 'all' }] },
      { ...standing, attention },
      { ...standing, isRunning: false, locks: [drift], attention },
      { ...standing, isRunning: false, hasDecided: false },
      { ...standing, isRunning: undefined, locks: [drift] },
    ].map(runStateOf),
  ).toEqual([
    ...['RUNNING', 'RUNNING', 'RUNNING', 'PAUSED', 'PAUSED', 'STALE', 'DEAD', 'NEVER'],
    'UNKNOWN',
  ])
})
