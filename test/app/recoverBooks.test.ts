import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { recoverBooks } from '../../src/app/recoverBooks.ts'
import { archiveJournal } from '../../src/bot/journal/archiveJournal.ts'
import { backUp, restore } from '../../src/bot/journal/copies.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import type { Database } from '../../src/bot/journal/store/database.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import type { Total } from '../../src/bot/strategy/strategy.ts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { getBlock } from '../../src/chain/calls/node.ts'
import { tokenOf } from '../../src/core/amount.ts'
import { systemClock } from '../../src/core/clock.ts'
import { secret } from '../../src/core/secret.ts'
import { type Address, sameAddress } from '../../src/core/token.ts'
import { createRandom } from '../simulator/random.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { onServer, type Place, places } from '../support/journals.ts'
import { type Answer, type Asked, startLyingNode } from '../support/lyingNode.ts'
import { openBot } from '../support/openBot.ts'
import { shipJournal } from '../support/shipJournal.ts'
import { swappedEvents } from '../support/swappedEvents.ts'
import { transact } from '../support/transact.ts'
import { until } from '../support/until.ts'

/** Backups restored and recovered on each database, drawn by a seed from all that were taken. */
const backups = Number(process.env.BACKUPS ?? 3)
const seed = Number(process.env.SEED ?? 1)

const minuteMs = 60_000
const calendar = { kind: 'cron', expression: '* * * * *', timeZone: 'UTC' } as const
const strategies = [{ name: 'test', schedule: calendar } as unknown as LoadedStrategy]

type Bot = Awaited<ReturnType<typeof openBot>>

let fork: Fork
let bot: Bot
let folder: string
/** A file for every state in which the journal ever was, oldest first. */
const copies: string[] = []
/** The one that knows the bytes of a swap, and not those that took their nonce. */
let beforeCancel: string
/** What had left the machine when it was lost, two swaps before the end. */
let shipped: string

function copy(): void {
  const file = join(folder, `backup-${copies.length}.db`)
  const path = (bot.config.database as { path: string }).path
  const journal = new DatabaseSync(path, { readOnly: true })
  journal.exec(`VACUUM INTO '${file}'`)
  journal.close()
  copies.push(file)
}

/** Swaps that a copy knows as settled. */
function settledIn(file: string): number {
  const journal = new DatabaseSync(file, { readOnly: true })
  try {
    const row = journal.prepare("SELECT count(*) AS swaps FROM swap WHERE state = 'SETTLED'").get()
    return Number(row?.swaps)
  } finally {
    journal.close()
  }
}

/** The rows of a journal in a file, in an empty one on a server. */
async function toServer(file: string, { database }: Place): Promise<void> {
  if (database.dialect !== 'postgres') throw new Error('a server has an address')
  const journal = new DatabaseSync(file, { readOnly: true })
  const server = new pg.Client({ connectionString: database.url.reveal() })
  await server.connect()
  try {
    // No trigger and no reference minds the order of the tables.
    await server.query('SET session_replication_role = replica')
    const tables = await server.query<{ name: string }>(
      "SELECT relname AS name FROM pg_stat_user_tables WHERE relname NOT LIKE '%migration%'",
    )
    for (const { name } of tables.rows) {
      await server.query(`DELETE FROM ${name}`)
      for (const row of journal.prepare(`SELECT * FROM ${name}`).all()) {
        const [columns, values] = [Object.keys(row).map((one) => `"${one}"`), Object.values(row)]
        await server.query(
          `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE VALUES (${columns.map((_, at) => `$${at + 1}`)})`,
          values,
        )
      }
      const identity = await server.query<{ column: string }>(
        'SELECT attname AS column FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> $2',
        [name, ''],
      )
      for (const { column } of identity.rows)
        await server.query(
          `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT coalesce(max(${column}), 0) + 1 FROM ${name}), false)`,
          [name, column],
        )
    }
  } finally {
    await server.end()
    journal.close()
  }
}

/** The bot's journal, copied after every write that belongs to signed bytes. */
function copying({ train: { journal } }: Bot): Bot['journal'] {
  const attempts = Object.fromEntries(
    Object.entries(journal.attempts).map(([name, act]) => [
      name,
      async (...args: never[]) => {
        const result = await (act as (...args: never[]) => Promise<unknown>)(...args)
        copy()
        return result
      },
    ]),
  ) as unknown as typeof journal.attempts
  return { ...journal, attempts }
}

const closeSlot = (slot: number) =>
  bot.journal.slots.close({
    ...{ strategy: 'test', slot, upto: slot, slots: 1, calendar: '* * * * * UTC' },
    ...{ state: 'done', reason: 'a test' },
  })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-backups-'))
  fork = await forkOrigin()
  // USDC goes through Permit2, from an allowance that outlives its swap: a lost journal lost how much of it was used.
  const { config } = fork.ready
  const keys = 'policy:\n  permits: [USDC]\n  allowances: [10000 USDC]\n'
  writeFileSync(config, readFileSync(config, 'utf8').replace('policy:\n', keys))
  bot = await openBot(fork)
  const bent = { journal: copying(bot) }
  const start = Math.floor(systemClock.now() / minuteMs - 10) * minuteMs
  await closeSlot(start)
  copy()
  const shipping = shipJournal({
    journal: (bot.config.database as { path: string }).path,
    into: join(folder, 'elsewhere'),
  })
  const wishes = [
    { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' },
    { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' },
    { sell: '3000 USDC', buy: 'WETH', floor: '0.9 WETH' },
  ]
  for (const [index, wish] of [...wishes, ...wishes].entries()) {
    const { failure } = await bot.swap(wish, bent)
    expect(failure).toBeUndefined()
    await closeSlot(start + (index + 1) * minuteMs)
    copy()
    if (index === 1) {
      await until(() => {
        shipped = join(folder, `shipped-${crypto.randomUUID()}.db`)
        return shipping.fetch(shipped) && settledIn(shipped) === 2
      })
      await shipping.kill()
    }
    // Somebody else spends with the key, between two swaps of ours.
    if (index === 3) {
      const { address, privateKey } = fork.ready.wallets.treasury as never as Key
      await transact(fork.rpc, { privateKey, to: address, data: '0x', value: 0n })
      const nonceOfChain = await fork.rpc.request(getTransactionCount(address))
      const chainId = bot.config.chain.chainId
      await bot.journal.wallet.release({ chainId, wallet: address, nonceOfChain, reason: 'a test' })
    }
  }
  // One that never left, so that its nonce was closed by a cancellation.
  const lost: Bot['train']['broadcast'] = async (bytes) => {
    if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
    beforeCancel = copies.at(-1) ?? ''
    await fork.rpc.request({ method: 'evm_increaseTime', params: [60], parse: () => undefined })
    return { verdict: 'ambiguous', words: 'lost' }
  }
  const { record } = await bot.swap(wishes[1] as never, { ...bent, broadcast: lost })
  expect(record.state).toBe('EXPIRED_DEAD')
  // An approval whose swap was never signed.
  const stop = new AbortController()
  const sign: Bot['train']['signer']['sign'] = (what) => {
    if (what.kind === 'SWAP') stop.abort()
    return bot.train.signer.sign(what)
  }
  const signer = { ...bot.train.signer, sign }
  await bot.swap(wishes[0] as never, { ...bent, signer }, stop.signal)
  copy()
}, 120_000)

type Key = { readonly address: Address; readonly privateKey: Hex }

afterAll(async () => {
  await bot.close()
  await fork.close()
  rmSync(folder, { recursive: true })
})

/** Of each pair all of it, whoever it is booked for. */
function byPair(totals: readonly Total[]) {
  const pairOf = ({ sold, bought }: Total) => `${sold.token.address} ${bought.token.address}`
  const sum = (some: readonly Total[], wei: (one: Total) => bigint) =>
    some.reduce((all, one) => all + wei(one), 0n)
  return [...Map.groupBy(totals, pairOf)].map(([pair, some]) => ({
    pair,
    sold: sum(some, ({ sold }) => sold.wei),
    bought: sum(some, ({ bought }) => bought.wei),
    swaps: sum(some, ({ swaps }) => BigInt(swaps)),
  }))
}

/** What the books of a journal say, in numbers that the chain has as well. */
async function booksOf(database: Database) {
  const { haltFile, tokens: coin, wallet, chain } = bot.config
  const journal = await openJournal({ database, haltFile, clock: systemClock, coin })
  try {
    const { bySymbol } = coin
    const { totals, fills } = await journal.decisions.inputs('test', {})
    const scope = { chainId: chain.chainId, wallet: wallet.address }
    const last = await journal.slots.lastClosed('test')
    const state = await journal.wallet.state(scope)
    const swaps = await journal.swaps.page({ limit: 1_000 })
    const spentOf = async (symbol: string, buy: string) => {
      const sell = { token: tokenOf(symbol, bySymbol), wei: 1n }
      const { taken: unit } = await journal.books.counted({ ...scope, since: 0 })
      const notional = {
        token: { address: unit.find((one) => one.unit !== undefined)?.unit },
        wei: 1n,
      }
      const intent = { sell, buy: tokenOf(buy, bySymbol) }
      const plan = { swapId: '', strategy: 'test', wallet: wallet.address, intent, notional }
      const spent = await journal.limits.spent(plan as never)
      return {
        sold: spent.sold,
        ofStrategy: spent.strategy > 0n,
        cools: spent.lastAt !== undefined,
      }
    }
    return {
      totals: byPair(totals),
      fills: fills.length,
      spent: [
        await spentOf('WETH', 'USDC'),
        await spentOf('ETH', 'USDC'),
        await spentOf('USDC', 'WETH'),
      ],
      nextNonce: state?.nextNonce,
      lastSlot: last?.upto ?? 0,
      settled: swaps.filter((one) => one.state === 'SETTLED').length,
    }
  } finally {
    await journal.shut()
  }
}

/** As if another router were configured than the one that settled. */
const formerly = () => ({
  ...bot.config,
  service: { ...bot.config.service, router: '0x00000000000000000000000000000000000000aa' as const },
})

const recovering = (database: Database, config = bot.config, note = (_: string) => {}) =>
  recoverBooks({
    // The bot of these tests still holds its wallet here: a recovery is on another machine, or after it ended.
    config: { ...config, database, stateFolder: join(folder, 'recovering') },
    strategies,
    reason: 'a test',
    clock: systemClock,
    signal: new AbortController().signal,
    note,
  })

describe('a backup of any age, restored and recovered', () => {
  test.each(places)(
    `has the books of the chain: ${backups} backups of seed ${seed} on $dialect`,
    async ({ make }) => {
      const truth = await booksOf(bot.config.database)
      const events = await swappedEvents(fork.rpc, fork.ready)
      const random = createRandom(seed)
      for (let index = 0; index < backups; index += 1) {
        const from = [copies[0] ?? '', beforeCancel][index] ?? random.pick(copies)
        const place = await make()
        const { database } = place
        if (database.dialect === 'sqlite') copyFileSync(from, database.path)
        else await toServer(from, place)
        const { found } = await recovering(database)
        const not = found.checks.filter(({ verdict }) => verdict !== 'holds')
        expect(not, from).toEqual([])
        const books = await booksOf(database)
        expect(books.settled, from).toBe(events.length)
        expect([books.totals, books.fills], from).toEqual([truth.totals, truth.fills])
        expect(books.spent, from).toEqual(truth.spent)
        expect(books.nextNonce, from).toBe(truth.nextNonce)
        expect(books.lastSlot, from).toBeGreaterThanOrEqual(truth.lastSlot)
        // Once more books nothing.
        expect(await recovering(database), from).toMatchObject({
          swaps: 0,
          approvals: 0,
          foreign: [],
        })
        await place.remove()
      }
    },
    600_000,
  )
})

describe('a backup that was thinned, restored and recovered', () => {
  test.each(places)(
    'has the books of the chain on $dialect, and needs no archive for it',
    async ({ make }) => {
      const thinned = await thinnedBackup(copies[Math.floor(copies.length / 2)] ?? '')
      const place = await make()
      try {
        const { database } = place
        const { address: wallet } = bot.config.wallet
        if (database.dialect === 'sqlite')
          await restore({ database, clock: systemClock, wallet }, thinned)
        else await toServer(thinned, place)
        const { found } = await recovering(database)
        expect(found.checks.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
        const [books, truth] = [await booksOf(database), await booksOf(bot.config.database)]
        expect({ ...books, lastSlot: 0 }).toEqual({ ...truth, lastSlot: 0 })
        expect(await recovering(database)).toMatchObject({ swaps: 0, approvals: 0, foreign: [] })
      } finally {
        await place.remove()
      }
    },
    120_000,
  )
})

/** A backup of what an archive of everything has left of a journal. */
async function thinnedBackup(from: string): Promise<string> {
  const path = join(folder, `thinned-${crypto.randomUUID()}.db`)
  copyFileSync(from, path)
  const [database, clock] = [{ dialect: 'sqlite', path } as const, systemClock]
  const { haltFile } = bot.config
  const journal = await openJournal({ database, haltFile, clock })
  try {
    const archive = { journal, database, clock, folder: join(folder, 'archives') }
    const { freed } = await archiveJournal(archive, clock.now() + 1)
    expect(freed).toBeGreaterThan(1_000)
  } finally {
    await journal.shut()
  }
  return (await backUp({ database, clock }, `${path}.backup`)).file
}

describe('a journal that was lost', () => {
  test('comes back from where it was shipped to, and its books from the chain', async () => {
    const database = { dialect: 'sqlite', path: join(folder, 'came-back.db') } as const
    const { address: wallet } = bot.config.wallet
    await restore({ database, clock: systemClock, wallet }, shipped)
    const recovered = await recovering(database)
    expect(recovered.found.checks.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
    expect(recovered.swaps).toBe(4)
    const [books, truth] = [await booksOf(database), await booksOf(bot.config.database)]
    expect({ ...books, lastSlot: 0 }).toEqual({ ...truth, lastSlot: 0 })
    expect(books.lastSlot).toBeGreaterThanOrEqual(truth.lastSlot)
  }, 120_000)

  test.each(places)(
    'is made anew from the chain, on $dialect',
    async ({ make }) => {
      const place = await make()
      try {
        const recovered = await recovering(place.database)
        expect(recovered.found.checks.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
        const [books, truth] = [await booksOf(place.database), await booksOf(bot.config.database)]
        expect({ ...books, lastSlot: 0 }).toEqual({ ...truth, lastSlot: 0 })
      } finally {
        await place.remove()
      }
    },
    120_000,
  )

  test('has the swaps of a router that was configured before', async () => {
    const path = join(folder, 'former-router.db')
    const recovered = await recovering({ dialect: 'sqlite', path }, formerly())
    expect(recovered.found.checks.flatMap(({ breaks }) => breaks)).toEqual([])
    const [books, truth] = [
      await booksOf({ dialect: 'sqlite', path }),
      await booksOf(bot.config.database),
    ]
    expect({ ...books, lastSlot: 0 }).toEqual({ ...truth, lastSlot: 0 })
    expect(recovered).toMatchObject({ swaps: 6, foreign: [expect.any(Number), expect.any(Number)] })
  }, 120_000)

  test('on a server: a copy of before, recovered, has the books of the chain', async () => {
    const [place, other] = [await onServer(inject('postgres').template), await forkOrigin()]
    const wish = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
    const swapOnce = async () => {
      const own = await openBot({ ...other, database: place.database })
      expect((await own.swap(wish)).failure).toBeUndefined()
      await own.close()
      return own.config
    }
    try {
      await swapOnce()
      const copied = await onServer(nameOf(place))
      const config = await swapOnce()
      const recovered = await recovering(copied.database, config)
      expect(recovered).toMatchObject({ swaps: 1, approvals: 1, foreign: [] })
      expect(await booksOf(copied.database)).toEqual(await booksOf(place.database))
    } finally {
      await other.close()
    }
  }, 120_000)
})

/** The name of a database on the server. */
const nameOf = ({ database }: Place) =>
  (database as Extract<Database, { dialect: 'postgres' }>).url.reveal().split('/').at(-1) ?? ''

/** Refuses a wallet's nonce at every height but the newest ones, as a node that is no archive. */
const pruned = (below: number) => ({
  bend: ({ method, params }: Asked, answer: Answer) =>
    method === 'eth_getTransactionCount' && Number(params[1]) < below
      ? { id: answer.id, error: { code: -32_000, message: 'missing trie node' } }
      : answer,
})

describe('books of what a node shows, or hides', () => {
  /** A recovery from nothing, by a node that bends its answers. */
  const by = async (
    bend: Parameters<typeof startLyingNode>[1],
    config = bot.config,
    note?: (line: string) => void,
  ) => {
    const node = await startLyingNode(fork.ready.rpcUrl, bend)
    const path = join(folder, `bent-${crypto.randomUUID()}.db`)
    const chain = { ...config.chain, rpcUrl: secret(node.url) }
    return recovering({ dialect: 'sqlite', path }, { ...config, chain }, note).finally(node.close)
  }
  /** Bends the wallet's transactions in every block that is shown whole. */
  const bending = (bent: (transactions: Answer[]) => Answer[]) => ({
    bend: ({ method, params }: Asked, answer: Answer) => {
      const isWhole = method === 'eth_getBlockByNumber' && params[1] === true
      if (isWhole) answer.result.transactions = bent(answer.result.transactions)
      return answer
    },
  })

  test('a node without old states: the blocks are read one by one', async () => {
    const head = await fork.rpc.request(getBlock('latest'))
    const recovered = await by(pruned((head?.number ?? 0) - 5))
    expect(recovered.found.checks.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
    expect(recovered.swaps).toBe(6)
  })

  test('a transaction of the wallet that is left out', async () => {
    await expect(by(bending((all) => all.slice(1)))).rejects.toMatchObject({
      code: 'TRANSACTIONS_NOT_FOUND',
      facts: { wallet: bot.config.wallet.address },
    })
  })

  test('a transaction of another account that is shown as the wallet’s', async () => {
    const { address } = bot.config.wallet
    const isFirst = ({ nonce }: Answer) => Number(nonce) === 0
    const isOwn = ({ from }: Answer) => sameAddress(from, address)
    const head = await fork.rpc.request(getBlock('latest'))
    const blocks: Answer[][] = []
    // One after the other: a fork of anvil has stood still under as many reads of its origin at once.
    for (let at = 0; at < (head?.number ?? 0); at += 1)
      blocks.push(
        await fork.rpc.request({
          ...{ method: 'eth_getBlockByNumber', params: [`0x${at.toString(16)}`, true] },
          parse: (block) => (block as Answer).transactions as Answer[],
        }),
      )
    const [stranger] = blocks
      .flat()
      .filter((one) => one.type === '0x2' && one.to && isFirst(one) && !isOwn(one))
    const forged = bending((all) =>
      all.map((one) =>
        isOwn(one) && isFirst(one)
          ? { ...stranger, from: address, blockNumber: one.blockNumber }
          : one,
      ),
    )
    await expect(by(forged)).rejects.toMatchObject({
      code: 'TRANSACTIONS_NOT_FOUND',
      facts: { transaction: stranger.hash, signer: expect.stringMatching(/^0x/) },
    })
  })

  /** Bends every receipt. */
  const ofReceipts = (bent: (answer: Answer) => Answer) => ({
    bend: ({ method }: Asked, answer: Answer) =>
      method === 'eth_getTransactionReceipt' ? bent(answer) : answer,
  })

  test('a call of another router without its receipt', async () => {
    const hidden = ofReceipts(({ id }) => ({ id, result: null }))
    await expect(by(hidden, formerly())).rejects.toMatchObject({ code: 'TRANSACTIONS_NOT_FOUND' })
  })

  test('a call like that of a router, of a contract that settled nothing: it is no swap, and that is said', async () => {
    const silent = ofReceipts((answer) => ({ ...answer, result: { ...answer.result, logs: [] } }))
    const notes: string[] = []
    const { swaps } = await by(silent, formerly(), (line) => notes.push(line))
    expect(swaps).toBe(0)
    expect(notes.join('\n')).toMatch(
      /^The books begin at nonce \d+: the wallet's \d+ transactions/m,
    )
  })

  test('a swap of a token that the configuration does not list', async () => {
    const { tokens } = bot.config
    const bySymbol = new Map([...tokens.bySymbol].filter(([symbol]) => symbol !== 'WETH'))
    const config = { ...bot.config, tokens: { ...tokens, bySymbol } }
    await expect(by({}, config)).rejects.toMatchObject({ code: 'TOKEN_NOT_CONFIGURED' })
  })
})
