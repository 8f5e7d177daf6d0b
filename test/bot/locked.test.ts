import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { resume } from '../../src/bot/life/drive.ts'
import type { LockKind } from '../../src/bot/lock.ts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Address } from '../../src/core/token.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { pathOf } from '../support/pathOf.ts'
import { swappedEvents } from '../support/swappedEvents.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>

beforeEach(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterEach(async () => {
  await bot.close()
  await fork.close()
})

/** The chain's own currency needs no approval; the token does. */
const oneEth = { sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' }
const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }

const lock = (kind: LockKind) =>
  bot.journal.locks.open({
    kind,
    scope: 'all',
    code: 'TEST',
    reason: 'a test',
    expiresAt: undefined,
  })
const jump = {
  kind: 'breaker',
  code: 'PRICE_JUMP',
  reason: 'a test',
  expiresAt: undefined,
} as const
/** Transactions of the wallet that the node took. */
const reached = () =>
  fork.rpc.request(getTransactionCount(fork.ready.wallets.treasury?.address as Address, 'pending'))
/** The chain's clock jumps, and a block shows it. */
const later = async (seconds: number) => {
  await fork.rpc.request({
    method: 'evm_increaseTime',
    params: [seconds],
    parse: (answer) => answer,
  })
  await fork.rpc.request(anvilCalls.mine)
}

/** The bot's parts, counting signatures, with something that happens before or after one of them. */
function watched({
  beforeSigning = async () => {},
  afterSigning = async () => {},
}: {
  beforeSigning?: (kind: string) => Promise<unknown>
  afterSigning?: (kind: string) => Promise<unknown>
}) {
  const signed: string[] = []
  const { signer, reading } = bot.train
  return {
    signed,
    bent: {
      reading: {
        ...reading,
        simulate: async (permitted: Parameters<typeof reading.simulate>[0]) => {
          const simulated = await reading.simulate(permitted)
          await beforeSigning('SWAP')
          return simulated
        },
      },
      signer: {
        ...signer,
        sign: async (what: Parameters<typeof signer.sign>[0]) => {
          signed.push(what.kind)
          const bytes = await signer.sign(what)
          await afterSigning(what.kind)
          return bytes
        },
      },
    },
  }
}

const ways = {
  lock: () => lock('halt'),
  file: async () => writeFileSync(bot.journal.haltFile, ''),
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('halted by a %s', (way) => {
  test('between quote and signature: nothing is signed', async () => {
    const { signed, bent } = watched({ beforeSigning: ways[way] })
    const { failure, record } = await bot.swap(oneEth, bent)
    expect(failure).toMatchObject({ code: 'LOCKED', remedy: 'halt', fault: 'locked' })
    expect(record).toMatchObject({ state: 'ABANDONED', code: 'LOCKED', attempts: [] })
    expect([signed, await reached()]).toEqual([[], 0])
  })

  test('before an approval: not even that is signed', async () => {
    const { signed, bent } = watched({ beforeSigning: ways[way] })
    const { record } = await bot.swap(oneWeth, bent)
    expect(record).toMatchObject({ state: 'ABANDONED', code: 'LOCKED', attempts: [] })
    expect([signed, await reached()]).toEqual([[], 0])
  })

  test('while an approval that never arrived is waited for: it is not sent again', async () => {
    let offered = 0
    const broadcast: typeof bot.train.broadcast = async () => {
      offered += 1
      await ways[way]()
      return { verdict: 'ambiguous', words: 'lost' }
    }
    const { failure } = await bot.swap(oneWeth, { broadcast })
    expect(failure).toMatchObject({ code: 'LOCKED' })
    expect([offered, await reached()]).toEqual([1, 0])
  })

  test('between signature and commit: the bytes are dropped', async () => {
    const { signed, bent } = watched({ afterSigning: ways[way] })
    const { failure, record } = await bot.swap(oneEth, bent)
    expect(failure).toMatchObject({ code: 'LOCKED' })
    expect(record).toMatchObject({ state: 'ABANDONED', code: 'LOCKED', attempts: [] })
    // Its quote is evidence.
    expect(record.checks?.passed).toBeGreaterThan(0)
    expect([signed, await reached()]).toEqual([['SWAP'], 0])
  })

  test('between an approval’s signature and its commit: not even that is sent', async () => {
    const { signed, bent } = watched({ afterSigning: ways[way] })
    const { record } = await bot.swap(oneWeth, bent)
    expect(record).toMatchObject({ state: 'ABANDONED', code: 'LOCKED', attempts: [] })
    expect([signed, await reached()]).toEqual([['APPROVE'], 0])
  })

  test('while an approval is mined: it is observed, and the swap is not signed', async () => {
    const { signed, bent } = watched({})
    const broadcast: typeof bot.train.broadcast = async (bytes) => {
      const answer = await bot.train.broadcast(bytes)
      await ways[way]()
      return answer
    }
    const { record } = await bot.swap(oneWeth, { ...bent, broadcast })
    expect(record).toMatchObject({ state: 'ABANDONED', code: 'LOCKED' })
    expect([signed, await reached()]).toEqual([['APPROVE'], 1])
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
  })

  test('between commit and send: the bytes stay where they are, and are not sent by a restart', async () => {
    const { signed, bent } = watched({})
    const commitSwap: typeof bot.journal.attempts.commitSwap = async (...given) => {
      const bytes = await bot.journal.attempts.commitSwap(...given)
      await ways[way]()
      return bytes
    }
    const journal = { ...bot.journal, attempts: { ...bot.journal.attempts, commitSwap } }
    const { failure, swapId } = await bot.swap(oneEth, { ...bent, journal })
    expect(failure).toMatchObject({ code: 'LOCKED' })
    await expect(resume(swapId, { ...bot.train, ...bent })).rejects.toMatchObject({
      code: 'LOCKED',
    })
    expect((await bot.journal.swaps.load(swapId)).state).toBe('SIGNED')
    expect([signed, await reached()]).toEqual([['SWAP'], 0])
  })

  test('while bytes that never arrived are followed: neither sent again nor cancelled', async () => {
    const { signed, bent } = watched({})
    let offered = 0
    const broadcast: typeof bot.train.broadcast = async () => {
      offered += 1
      await ways[way]()
      return { verdict: 'ambiguous', words: 'lost' }
    }
    const { failure, swapId } = await bot.swap(oneEth, { ...bent, broadcast })
    expect(failure).toMatchObject({ code: 'LOCKED' })
    await later(60)
    await expect(resume(swapId, { ...bot.train, ...bent, broadcast })).rejects.toMatchObject({
      code: 'LOCKED',
    })
    expect([signed, offered, await reached()]).toEqual([['SWAP'], 1, 0])
  })
})

test('halted while followed: what the chain already has is observed to its end', async () => {
  const broadcast: typeof bot.train.broadcast = async (bytes) => {
    const answer = await bot.train.broadcast(bytes)
    await lock('halt')
    return answer
  }
  const { record } = await bot.swap(oneEth, { broadcast })
  expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
})

test('halted, then resumed: the swap that was left is cancelled and closed', async () => {
  const lose: typeof bot.train.broadcast = async () => {
    await lock('halt')
    return { verdict: 'ambiguous', words: 'lost' }
  }
  const { swapId } = await bot.swap(oneEth, { broadcast: lose })
  await later(60)
  await bot.journal.locks.release({ id: undefined, reason: 'looked' })
  expect(await resume(swapId, bot.train)).toMatchObject({ state: 'EXPIRED_DEAD' })
  expect(await reached()).toBe(1)
})

test('paused: what is signed is followed, its cancellation included', async () => {
  const { signed, bent } = watched({})
  const broadcast: typeof bot.train.broadcast = async (bytes) => {
    if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
    await lock('pause')
    await later(60)
    return { verdict: 'ambiguous', words: 'lost' }
  }
  const { record } = await bot.swap(oneEth, { ...bent, broadcast })
  expect(record).toMatchObject({ state: 'EXPIRED_DEAD' })
  expect(signed).toEqual(['SWAP', 'CANCEL'])
})

test('paused before the signature: abandoned', async () => {
  const { signed, bent } = watched({ beforeSigning: () => lock('pause') })
  const { record, failure } = await bot.swap(oneEth, bent)
  expect(failure).toMatchObject({ code: 'LOCKED', remedy: 'skip' })
  expect(record).toMatchObject({ state: 'ABANDONED', code: 'LOCKED' })
  expect(signed).toEqual([])
})

test('a pair’s lock in the name of the wrapped coin holds for the coin', async () => {
  const scope = 'pair WETH/USDC'
  await bot.journal.locks.open({ ...jump, scope })
  const { record, failure } = await bot.swap(oneEth)
  expect(failure).toMatchObject({ code: 'LOCKED', facts: { scope } })
  expect(record).toMatchObject({ state: 'ABANDONED', attempts: [] })
})

test('a halt that somebody deleted: the start is refused, until a person has looked', async () => {
  await lock('halt')
  await bot.close()
  const file = new DatabaseSync(pathOf(bot.config))
  file.exec('DELETE FROM lock')
  file.close()
  await expect(openBot(fork)).rejects.toMatchObject({
    code: 'LOCKS_CHANGED',
    fault: 'locked',
    remedy: 'halt',
    facts: {
      differences: expect.stringContaining('lock 1 (halt all, TEST): the log says it holds'),
    },
  })
  const journal = await openJournal({ ...bot.config, clock: systemClock })
  expect(await journal.locks.release({ id: 1, reason: 'looked' })).toMatchObject([{ id: 1 }])
  await journal.shut()
  bot = await openBot(fork)
  expect((await bot.swap(oneEth)).record).toMatchObject({ state: 'SETTLED' })
})

test('drained: what has begun finishes', async () => {
  const { bent } = watched({ beforeSigning: () => lock('drain') })
  const { record } = await bot.swap(oneEth, bent)
  expect(record).toMatchObject({ state: 'SETTLED' })
})
