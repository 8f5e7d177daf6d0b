import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recoverBooks } from '../../src/app/recoverBooks.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import type { Simulated } from '../../src/bot/stages.ts'
import { systemClock } from '../../src/core/clock.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { placeToken } from '../support/placeToken.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
let folder: string
/** The journal when the permit of the swap was stored, and nothing signed. */
let permitted: string
let simulated: Simulated
const mine = () => fork.rpc.request(anvilCalls.mine)

function copy(name: string): string {
  const file = join(folder, name)
  const journal = new DatabaseSync((bot.config.database as { path: string }).path, {
    readOnly: true,
  })
  journal.exec(`VACUUM INTO '${file}'`)
  journal.close()
  return file
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-permits-'))
  fork = await forkOrigin({ mining: 'auto' })
  const yaml = readFileSync(fork.ready.config, 'utf8')
  writeFileSync(fork.ready.config, yaml.replace('policy:\n', 'policy:\n  permits: [USDC]\n'))
  await placeToken(fork, 'USDC', 'MoodyPermitToken')
  bot = await openBot(fork)
  const observe: typeof bot.train.observe = async (watched) => {
    await mine()
    return bot.train.observe(watched)
  }
  const { address, sign } = bot.train.signer
  const wish = { sell: '50 USDC', buy: 'WETH', floor: '0.009 WETH' }
  // An approval that no swap uses: what stands is not what the permit after it grants.
  const stop = new AbortController()
  const stopping: typeof sign = (what) => {
    if (what.kind === 'SWAP') stop.abort()
    return sign(what)
  }
  const approving = { observe, pollMs: 1, signer: { address, sign: stopping } }
  await bot.swap(wish, approving, stop.signal)
  const permitting: typeof sign = (what) => {
    permitted ??= copy('permitted.db')
    return sign(what)
  }
  const signer = { ...bot.train.signer, sign: permitting }
  const simulate: typeof bot.train.reading.simulate = async (given) => {
    simulated = await bot.train.reading.simulate(given)
    return simulated
  }
  const reading = { ...bot.train.reading, simulate }
  const bent = { observe, pollMs: 1, signer, reading }
  const { record } = await bot.swap({ ...wish, sell: '30 USDC' }, bent)
  expect(record.state).toBe('SETTLED')
  await mine()
  await mine()
})
afterAll(async () => {
  await bot.close()
  await fork.close()
  rmSync(folder, { recursive: true })
})

/** What is booked from the chain, and what does not hold then. */
async function recover(path: string) {
  const { swaps, approvals, found } = await recoverBooks({
    config: {
      ...bot.config,
      database: { dialect: 'sqlite', path },
      stateFolder: join(folder, 'recovering'),
    },
    ...{ strategies: [], reason: 'a test', clock: systemClock, note: () => {} },
    signal: new AbortController().signal,
  })
  const journal = new DatabaseSync(path, { readOnly: true })
  const permits = journal.prepare('SELECT swap_id, token, wei, sent FROM permit').all()
  journal.close()
  return {
    swaps,
    approvals,
    permits,
    broken: found.checks.filter((one) => one.verdict !== 'holds'),
  }
}

test('books begun anew know that a permit took the place of what stood', async () => {
  const { permits, ...rest } = await recover(join(folder, 'anew.db'))
  expect(rest).toEqual({ swaps: 1, approvals: 1, broken: [] })
  expect(permits).toMatchObject([{ wei: '30000000', sent: 1 }])
})

test('books that had the permit have it as brought along', async () => {
  const path = join(folder, 'restored.db')
  copyFileSync(permitted, path)
  const { permits, ...rest } = await recover(path)
  expect(rest).toEqual({ swaps: 1, approvals: 0, broken: [] })
  expect(permits).toMatchObject([{ wei: '30000000', sent: 1 }])
})

test('books that had its quote as well, from a version that stored it before the bytes, know the swap by that', async () => {
  const path = join(folder, 'quoted.db')
  copyFileSync(permitted, path)
  const journal = await openJournal({
    database: { dialect: 'sqlite', path },
    haltFile: join(folder, 'HALT'),
    clock: systemClock,
  })
  await journal.attempts.commitQuote(simulated)
  await journal.shut()
  const { permits, ...rest } = await recover(path)
  expect(rest).toEqual({ swaps: 1, approvals: 0, broken: [] })
  expect(permits).toMatchObject([{ swap_id: simulated.swapId, wei: '30000000', sent: 1 }])
})
