import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { openDatabase } from '../../src/bot/journal/schema/openDatabase.ts'
import { copiedTables } from '../../src/bot/journal/store/copiedTables.ts'
import type { Database } from '../../src/bot/journal/store/database.ts'
import {
  begin,
  createTrader,
  createVirtualClock,
  tradeYear,
  yearMs,
} from '../bot/journal/archive/tradeThrough.ts'
import { samplePlan, usdc, wallet, weth } from '../bot/journal/sampleSwap.ts'
import { callCli } from '../cli/callCli.ts'
import { openTraded } from '../cli/tradedJournal.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { onServer } from './journals.ts'

/** A place of a journal, and how the configuration writes it. */
export type Movable = { readonly database: Database; readonly written: string }

export type Desk = ReturnType<typeof makeDesk>

/** A folder with a configuration, and the places that its journal may have. */
export function makeDesk() {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-migrate-'))
  writeFileSync(join(folder, 'ballast.yaml'), goodYaml)
  const inFile = (path: string): Movable => ({
    database: { dialect: 'sqlite', path },
    written: `sqlite:${path}`,
  })
  const inDatabase = async (template: string): Promise<Movable> => {
    const { database } = await onServer(template)
    if (database.dialect !== 'postgres') throw new Error('a server has an address')
    return { database, written: database.url.reveal() }
  }
  return {
    folder,
    /** A place without a journal: a file that is not there, or a database without a table. */
    place: async (name: string) =>
      name.endsWith('.db') ? inFile(join(folder, name)) : inDatabase('template0'),
    /** A place with a journal that has rows in every table, and archives beside it. */
    async filled(name: string) {
      const model = await modelOf(name.endsWith('.db') ? 'sqlite' : 'postgres')
      cpSync(join(model.folder, 'archives'), join(folder, 'archives'), { recursive: true })
      if (model.at.database.dialect === 'postgres')
        return inDatabase(new URL(model.at.written).pathname.slice(1))
      const at = inFile(join(folder, name))
      cpSync(model.at.database.path, join(folder, name))
      return at
    },
    /** `ballast` with the journal at a place. */
    call: (at: Movable, argv: readonly string[], to?: Movable) =>
      callCli(argv, {
        cwd: folder,
        environment: {
          DATABASE_URL: at.written,
          ...(to === undefined ? {} : { MIGRATE_TO: to.written }),
        },
        columns: 80,
      }),
  }
}

/** One of each dialect is filled, and the others are copies of it. */
const models = new Map<Database['dialect'], Promise<{ folder: string; at: Movable }>>()

function modelOf(dialect: Database['dialect']) {
  const known = models.get(dialect)
  if (known !== undefined) return known
  const made = (async () => {
    const desk = makeDesk()
    const at = await desk.place(dialect === 'sqlite' ? 'ballast.db' : 'a server')
    await fillEveryTable(desk, at)
    return { folder: desk.folder, at }
  })()
  models.set(dialect, made)
  return made
}

/** Real swaps, some of them archived, and everything beside them. */
async function fillEveryTable({ folder, call }: Desk, at: Movable): Promise<void> {
  const { database } = at
  await fillPast(folder, database)
  const day = new Date(begin - 5 * yearMs).toISOString().slice(0, 10)
  const archived = await call(at, ['archive', '--before', day])
  if (archived.code !== 0) throw new Error(archived.stderr)

  const { journal, sell, decide, clock } = await openTraded(folder, database)
  const slot = Date.UTC(2026, 10, 20, 9)
  const sale = { indicated: '3000', decided: '3001', firm: '2999' }
  await sell({ ...sale, slot, received: '2999' })
  await sell({ ...sale, slot: slot + 60_000 })
  await decide(slot + 120_000, '2900')
  const { intent } = samplePlan()
  await journal.decisions.noteRefusal({
    ...{ decision: 1, strategy: 'sell-strength', intent, code: 'POLICY_A' },
    reason: 'a \\ backslash, an \u00e9, a tab\t.',
  })
  await fillBeside(journal, clock.now())
  await journal.shut()
  await fillRows(database)
}

/** Two years that are long over, with approvals and long texts as the demo had them. */
async function fillPast(folder: string, database: Database): Promise<void> {
  const clock = createVirtualClock()
  const journal = await openJournal({ database, clock, haltFile: join(folder, 'HALT') })
  await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  const trader = createTrader(journal, clock)
  for (const year of [-6, -5]) await tradeYear(trader, { year, swaps: 4 })
  await journal.shut()
}

async function fillBeside(
  journal: Awaited<ReturnType<typeof openJournal>>,
  now: number,
): Promise<void> {
  const pause = { kind: 'pause', scope: 'strategy another', code: 'BY_OPERATOR' } as const
  const { lock } = await journal.locks.open({ ...pause, reason: 'one', expiresAt: undefined })
  await journal.locks.release({ id: lock.id, reason: 'seen' })
  await journal.locks.open({ ...pause, reason: 'two', expiresAt: undefined })
  await journal.slots.close({
    ...{ strategy: 'test', slot: now - 60_000, upto: now, slots: 2, calendar: '0 9 * * *' },
    ...{ state: 'missed', reason: 'it was away' },
  })
  await journal.valuations.record({
    ...{ chainId: 31_337, wallet, at: now, unit: usdc },
    holdings: [{ held: { token: usdc, wei: 5n }, worth: { token: usdc, wei: 5n } }],
  })
}

/** The tables that take a whole bot to fill: rows as it would write them. */
async function fillRows(database: Database): Promise<void> {
  const db = await openDatabase(database)
  const owner = { chain_id: 31_337, wallet, token: weth.address }
  const pair = { sell_token: weth.address, buy_token: usdc.address }
  await db.transaction().execute(async (trx) => {
    const { id } = await trx.selectFrom('swap').select('id').limit(1).executeTakeFirstOrThrow()
    const { hash } = await trx
      .selectFrom('event')
      .select('hash')
      .where('seq', '=', 1)
      .executeTakeFirstOrThrow()
    const spender = `0x${'3'.repeat(40)}`
    await trx
      .insertInto('allowance')
      .values({ ...owner, spender, wei: '5', swap_id: id, at: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await trx
      .insertInto('permit')
      .values({
        ...{ ...owner, kind: 'TOKEN', digest: '0xd1', swap_id: id, spender, wei: '5' },
        ...{ nonce: '4', deadline: 7, signature: '0x1b', sent: 1, created_at: 1 },
      })
      .execute()
    await trx
      .insertInto('price')
      .values({ chain_id: 31_337, ...pair, hour: 7, at: 7, sold: '1', bought: '3000' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await trx
      .insertInto('baseline')
      .values({ ...owner, wei: '7', seq: 1, at: 7 })
      .execute()
    await trx
      .insertInto('reconciled')
      .values({
        chain_id: 31_337,
        wallet,
        block: 7,
        seq: 1,
        hash,
        at: 7,
        limits: '[]',
        totals: '[]',
      })
      .execute()
    await trx
      .insertInto('paper_balance')
      .values({ ...owner, opening: '7', origin: 'given', wei: '7', opened_at: 7 })
      .execute()
    await trx
      .insertInto('alert')
      .values({
        id: 'a',
        topic: 'GAS_LOW x',
        severity: 'warning',
        body: '{}',
        at: 7,
        over_at: null,
      })
      .execute()
    await trx
      .insertInto('alert_delivery')
      .values({ alert_id: 'a', channel: 'desk', tries: 1, next_at: 7, delivered_at: null })
      .execute()
    for (const table of copiedTables) {
      const row = await trx.selectFrom(table).selectAll().limit(1).executeTakeFirst()
      if (row === undefined) throw new Error(`${table} has a row`)
    }
  })
  await db.destroy()
}
