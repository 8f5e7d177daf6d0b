import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openMarket } from '../../src/app/openMarket.ts'
import { openTrain } from '../../src/app/openTrain.ts'
import { reconcileWallet } from '../../src/app/reconcileWallet.ts'
import { recover } from '../../src/app/recover.ts'
import type { Database } from '../../src/bot/journal/store/database.ts'
import { drive } from '../../src/bot/life/drive.ts'
import type { Drivetrain } from '../../src/bot/life/train.ts'
import { draft } from '../../src/bot/policy/checkPlan.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { parseAmount, tokenOf } from '../../src/core/amount.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Address } from '../../src/core/token.ts'
import { planOf } from '../../src/engine/planOf.ts'
import type { Fork } from './forkOrigin.ts'

/** The bot's own parts over a fork, composed as `ballast swap --live` composes them; a test may bend one of them. */
export async function openBot({
  ready,
  dataDir,
  database,
  also = ['TETHER', 'LEAKY'],
}: Pick<Fork, 'ready' | 'dataDir'> & {
  readonly database?: Database
  /** Tokens of the world that its configuration does not allow. */
  readonly also?: readonly string[]
}) {
  const file = join(dataDir, 'every-token.yaml')
  writeFileSync(file, allowing(readFileSync(ready.config, 'utf8'), also))
  const read = loadConfig({ file, environment: {}, cwd: dataDir })
  const config = { ...read, database: database ?? read.database }
  const market = await openMarket(config, systemClock)
  const troubles: unknown[] = []
  const warnings: string[] = []
  let closed = false
  const { train, journal, close } = await openTrain({
    config,
    market,
    clock: systemClock,
    onTrouble: (_swapId, error) => troubles.push(error),
  })
  const fast: Drivetrain = { ...train, pollMs: 250 }
  await recover({
    config,
    market,
    train: fast,
    signal: new AbortController().signal,
    onResumed: async () => {},
    warn: (line) => warnings.push(line),
  }).catch(async (error: unknown) => {
    await close()
    await market.close()
    throw error
  })
  return {
    config,
    market,
    journal,
    train: fast,
    troubles,
    warnings,
    /** Plans and drives one swap; returns its record even when driving it threw. */
    async swap(
      {
        sell,
        buy,
        floor,
        expirySeconds,
        recipient,
      }: {
        sell: string
        buy: string
        floor: string
        expirySeconds?: number
        recipient?: Address
      },
      bent: Partial<Drivetrain> = {},
      signal?: AbortSignal,
    ) {
      const { bySymbol } = config.tokens
      const intent = {
        sell: parseAmount(sell, bySymbol),
        buy: tokenOf(buy, bySymbol),
        floor: parseAmount(floor, bySymbol),
        reason: 'a test',
        recipient,
      }
      const { plan, rules } = await planOf(
        { config, market },
        { strategy: 'test', intent, indication: undefined, expirySeconds },
      )
      const spent = await journal.limits.spent(plan)
      const planned = draft(plan, { ...rules, spent, now: systemClock.now() })
      await journal.swaps.reserve(planned, () => {})
      const failure = await drive(planned, { ...fast, ...bent }, signal).then(
        () => undefined,
        (error: unknown) => error,
      )
      const record = await journal.swaps.record(plan.swapId)
      if (record === undefined) throw new Error('a planned swap has a record')
      return { record, failure, swapId: plan.swapId }
    },
    /** The permits of a swap, by the table itself. */
    permitsOf(swapId: string) {
      if (config.database.dialect !== 'sqlite') throw new Error('it is a file')
      const db = new DatabaseSync(config.database.path, { readOnly: true })
      const rows = db.prepare('SELECT * FROM permit WHERE swap_id = ?').all(swapId)
      db.close()
      return rows
    },
    /** What `reconcile` finds: breaks by their codes, and what it could not know. */
    async verdicts() {
      const at = { config, rpc: market.rpc, journal, clock: train.clock }
      const { checks } = await reconcileWallet(at, {
        since: 0,
        logDefects: journal.books.logDefects,
      })
      return checks.flatMap(({ breaks, unknown }) => [
        ...breaks.map(({ code }) => code),
        ...unknown,
      ])
    },
    async close() {
      if (closed) return
      closed = true
      await close()
      await market.close()
    },
  }
}

/** A policy that lets badly behaved tokens through, so that what comes after it is seen to hold. */
function allowing(yaml: string, symbols: readonly string[]): string {
  return symbols.reduce(
    (text, symbol) =>
      text
        .replace(/(tokens: \[ETH)/, `$1, ${symbol}`)
        .replace(/(pairs: \[)/, `$1${symbol}/USDC, `)
        .replace(/(per[A-Z]\w+: \[)/g, `$11000 ${symbol}, `),
    yaml,
  )
}
