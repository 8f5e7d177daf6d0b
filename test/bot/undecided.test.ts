import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sendManualSwap } from '../../src/app/manualSwap.ts'
import { resume } from '../../src/bot/life/drive.ts'
import type { Drivetrain } from '../../src/bot/life/train.ts'
import type { Observation } from '../../src/bot/next.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { parseAmount, tokenOf } from '../../src/core/amount.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { BallastError, ballastError } from '../../src/core/errors.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startLyingNode } from '../support/lyingNode.ts'
import { openBot } from '../support/openBot.ts'

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

/** Our clock, which runs on by ten seconds with every pause from the moment it is let go. */
function hurrying() {
  let [ahead, isFree] = [0, false]
  const clock: Clock = {
    now: () => systemClock.now() + ahead,
    async sleep(ms, signal) {
      if (isFree) ahead += 10_000
      await systemClock.sleep(isFree ? 5 : ms, signal)
    },
  }
  const letGo = () => {
    isFree = true
  }
  return { clock, letGo, ahead: () => ahead }
}

/** Drives until a dispute is told, and stops there. */
async function disputed(wish: Parameters<typeof bot.swap>[0], bent: Partial<Drivetrain>) {
  const stop = new AbortController()
  const codes: string[] = []
  const onTrouble: Drivetrain['onTrouble'] = (_, error) => {
    if (!(error instanceof BallastError)) return
    codes.push(error.code)
    if (error.code === 'SWAP_DISPUTED') stop.abort()
  }
  const { record, swapId } = await bot.swap(wish, { ...bent, onTrouble }, stop.signal)
  return { record, swapId, codes, locks: await bot.journal.locks.live() }
}
const until = (reason: RegExp) => [
  {
    kind: 'breaker',
    code: 'SWAP_DISPUTED',
    expiresAt: undefined,
    reason: expect.stringMatching(reason),
  },
]

const oneEth = { sell: '1 ETH', buy: 'USDC', floor: '2990 USDC', expirySeconds: 10 }
const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }

describe('a chain that stands still behind a signed swap', () => {
  test('our clock ends the wait with a lock; the swap is followed on and settles', async () => {
    const { clock, letGo, ahead } = hurrying()
    let frozen: Observation<never> | undefined
    const observe: Drivetrain['observe'] = async (watched) => {
      frozen ??= await bot.train.observe(watched as never)
      letGo()
      return { ...frozen, receipts: [] }
    }
    const { record, swapId, locks } = await disputed(oneEth, { observe, clock })
    expect(record.state).toBe('SENT')
    expect(locks).toMatchObject(
      until(/waits for a head later than the deadline: the newest block, \d+, is of 2\d{3}-/),
    )
    // Until the head is 120 s old nothing is odd, and then it is for 120 s more.
    expect(ahead()).toBeGreaterThan(230_000)
    expect((await resume(swapId, bot.train)).state).toBe('SETTLED')
  })

  test('a cancellation that may not be outbid hides it no more than a wait does', async () => {
    const { clock, letGo } = hurrying()
    let frozen: Observation<never> | undefined
    let isCancelled = false
    const observe: Drivetrain['observe'] = async (watched) => {
      if (!isCancelled) return bot.train.observe(watched)
      const { head, ...seen } = await bot.train.observe(watched as never)
      // One block behind the cancellation, dearer than any bid, and none after it.
      const last = { ...head, number: head.number + 1, baseFeePerGas: 10n ** 15n }
      frozen ??= { ...seen, receipts: [], head: last }
      letGo()
      return frozen
    }
    const broadcast: Drivetrain['broadcast'] = async (bytes) => {
      if (bytes.kind === 'SWAP') {
        await fork.rpc.request({ method: 'evm_increaseTime', params: [60], parse: () => undefined })
        await fork.rpc.request({ method: 'evm_mine', params: [], parse: () => undefined })
        return { verdict: 'ambiguous', words: 'lost' }
      }
      isCancelled = true
      return { verdict: 'accepted', words: '' }
    }
    const { record, locks } = await disputed(oneEth, { observe, broadcast, clock })
    expect(record.state).toBe('CANCELLING')
    expect(locks).toMatchObject(until(/has no dearer bid to cancel with: the newest block, /))
  })
})

describe('a witness that contradicts an end long after the deadline', () => {
  const long = 3_600
  const late: Drivetrain['observe'] = async (watched) => {
    const seen = await bot.train.observe(watched)
    const { deep } = seen
    return { ...seen, deep: deep && { ...deep, timestamp: deep.timestamp + long } }
  }
  const failing: Drivetrain['observe'] = async (watched) => {
    const { receipts, ...seen } = await bot.train.observe(watched)
    const failed = receipts.map((one) => ({ ...one, receipt: { ...one.receipt, success: false } }))
    return { ...seen, consumed: false, receipts: failed }
  }

  test('at every look for two minutes: locked with both ends, nothing is booked', async () => {
    const { clock, letGo, ahead } = hurrying()
    const witness: Drivetrain['observe'] = async (watched) => {
      letGo()
      return late(watched)
    }
    const { record, locks, codes } = await disputed(oneEth, { observe: failing, witness, clock })
    expect(locks).toMatchObject(until(/REVERTED by 0x\w+ in block 0x\w+, but the witness: /))
    expect(record.state).toBe('INCLUDED')
    expect(ahead()).toBeGreaterThan(110_000)
    expect([...new Set(codes)]).toEqual(['DEATH_UNCONFIRMED', 'SWAP_DISPUTED'])
  })

  test('never for two minutes on end: no lock', async () => {
    const { clock, letGo, ahead } = hurrying()
    let looks = 0
    const observe: Drivetrain['observe'] = async (watched) => {
      if (ahead() > 200_000) return bot.train.observe(watched)
      // Every tenth look of its own is not yet at depth: the doubt begins anew.
      const seen = await failing(watched)
      return looks++ % 10 === 9 ? { ...seen, deep: undefined } : seen
    }
    const witness: Drivetrain['observe'] = async (watched) => {
      letGo()
      return late(watched)
    }
    const { record, locks } = await disputed(oneEth, { observe, witness, clock })
    expect([record.state, locks]).toEqual(['SETTLED', []])
  })
})

test('answers that differ, with a success between them that cannot be measured yet: no lock', async () => {
  const { clock, letGo, ahead } = hurrying()
  let looks = 0
  const isLong = () => ahead() > 200_000
  const observe: Drivetrain['observe'] = async (watched) => {
    const seen = await bot.train.observe(watched)
    const { deep } = seen
    const [mined] = seen.receipts
    if (isLong() || deep === undefined || mined === undefined) return seen
    if (deep.number < mined.receipt.blockNumber) return seen
    letGo()
    const late = { ...seen, deep: { ...deep, timestamp: deep.timestamp + 3_600 } }
    return looks++ % 10 === 9 ? late : { ...late, consumed: false }
  }
  const measure: Drivetrain['measure'] = async (...given) => {
    if (isLong()) return bot.train.measure(...given)
    throw ballastError('CONFIRMATION_UNAVAILABLE', 'The endpoint is away.')
  }
  const { record, locks, codes } = await disputed(oneEth, { observe, measure, clock })
  expect([record.state, locks]).toEqual(['SETTLED', []])
  expect(codes).toContain('CONFIRMATION_UNAVAILABLE')
})

describe('a cancellation mined minutes after the deadline', () => {
  /** The swap is lost, and its cancellation waits until the deadline is long past at depth. */
  const broadcast: Drivetrain['broadcast'] = async (bytes, ...given) => {
    const isSwap = bytes.kind === 'SWAP'
    const seconds = isSwap ? 60 : 600
    await fork.rpc.request({
      method: 'evm_increaseTime',
      params: [seconds],
      parse: () => undefined,
    })
    await fork.rpc.request({ method: 'anvil_mine', params: ['0x5'], parse: () => undefined })
    if (isSwap) return { verdict: 'ambiguous', words: 'lost' }
    return bot.train.broadcast(bytes, ...given)
  }

  test('a witness one block behind, and one that lacks its block: EXPIRED_DEAD without a lock', async () => {
    let looks = 0
    const witness: Drivetrain['observe'] = async (watched) => {
      const { deep, receipts, ...seen } = await bot.train.observe(watched)
      const [mined] = receipts
      const look = looks++
      if (look > 1 || deep === undefined || mined === undefined) return { deep, receipts, ...seen }
      const behind = { ...deep, number: mined.receipt.blockNumber - 1 }
      return { ...seen, deep: behind, receipts: look === 0 ? receipts : [] }
    }
    const { record, locks, codes } = await disputed(oneEth, { broadcast, witness })
    expect([record.state, locks]).toEqual(['EXPIRED_DEAD', []])
    const unconfirmed = codes.filter((code) => code === 'DEATH_UNCONFIRMED')
    expect(unconfirmed).toHaveLength(2)
  })

  test('a witness that stays behind: no lock, however long', async () => {
    const { clock, letGo, ahead } = hurrying()
    const witness: Drivetrain['observe'] = async (watched) => {
      const { deep, receipts, ...seen } = await bot.train.observe(watched)
      const [mined] = receipts
      letGo()
      if (ahead() > 200_000 || deep === undefined || mined === undefined)
        return { deep, receipts, ...seen }
      return { ...seen, deep: { ...deep, number: mined.receipt.blockNumber - 1 }, receipts }
    }
    const { record, locks } = await disputed(oneEth, { broadcast, witness, clock })
    expect([record.state, locks]).toEqual(['EXPIRED_DEAD', []])
  })

  test('contradictions with an agreement between them that the journal could not store: no lock', async () => {
    const { clock, letGo, ahead } = hurrying()
    let looks = 0
    const witness: Drivetrain['observe'] = async (watched) => {
      const seen = await bot.train.observe(watched)
      letGo()
      return looks++ % 10 === 9 || ahead() > 200_000 ? seen : { ...seen, receipts: [] }
    }
    const close: typeof bot.journal.attempts.close = async (end) => {
      if (ahead() > 200_000) return bot.journal.attempts.close(end)
      throw ballastError('JOURNAL_UNREACHABLE', 'The server is away.')
    }
    const journal = { ...bot.journal, attempts: { ...bot.journal.attempts, close } }
    const bent = { broadcast, witness, clock, journal }
    const { record, locks, codes } = await disputed(oneEth, bent)
    expect([record.state, locks]).toEqual(['EXPIRED_DEAD', []])
    expect(codes).toContain('JOURNAL_UNREACHABLE')
  })

  test('a null block at one look: EXPIRED_DEAD without a lock', async () => {
    let isSeen = false
    const observe: Drivetrain['observe'] = async (watched) => {
      const seen = await bot.train.observe(watched)
      if (isSeen || seen.receipts.length === 0) return seen
      isSeen = true
      return { ...seen, unsettled: true, receipts: [] }
    }
    const { record, locks } = await disputed(oneEth, { broadcast, observe })
    expect([record.state, locks, isSeen]).toEqual(['EXPIRED_DEAD', [], true])
  })

  test('a receipt that comes and goes between contradictions is no agreement: locked', async () => {
    const { clock, letGo, ahead } = hurrying()
    let looks = 0
    const observe: Drivetrain['observe'] = async (watched) => {
      const now = await bot.train.observe(watched)
      if (now.receipts.length === 0) return now
      letGo()
      // The chain goes on with our clock; the receipt is there, gone, and contradicted, over and over.
      const seen = { ...now, head: { ...now.head, timestamp: Math.floor(clock.now() / 1_000) } }
      if (ahead() > 400_000) return seen
      return looks++ % 3 === 0 ? seen : { ...seen, unsettled: true, receipts: [] }
    }
    const { record, swapId, locks } = await disputed(oneEth, { broadcast, observe, clock })
    expect(locks).toMatchObject(until(/waits until receipts and blocks agree/))
    expect(record.state).not.toBe('EXPIRED_DEAD')
    expect(ahead()).toBeGreaterThan(110_000)
    expect((await resume(swapId, bot.train)).state).toBe('EXPIRED_DEAD')
  })

  test('a null block at every look: locked after two minutes, and it ends when the block is there', async () => {
    const { clock, letGo, ahead } = hurrying()
    const observe: Drivetrain['observe'] = async (watched) => {
      const seen = await bot.train.observe(watched)
      if (seen.receipts.length === 0) return seen
      letGo()
      return { ...seen, unsettled: true, receipts: [] }
    }
    const { record, swapId, locks, codes } = await disputed(oneEth, { broadcast, observe, clock })
    // Whoever looks once hears of it too.
    expect(codes).toContain('DEATH_UNCONFIRMED')
    expect(locks).toMatchObject(until(/waits until receipts and blocks agree: the receipt is miss/))
    expect(record.state).toBe('CANCELLING')
    expect(ahead()).toBeGreaterThan(110_000)
    expect((await resume(swapId, bot.train)).state).toBe('EXPIRED_DEAD')
  })
})

describe('an approval that is never decided', () => {
  const approving = (
    bend: (seen: Observation<never>, looks: number) => Partial<Observation<never>>,
  ) => {
    const { clock, letGo } = hurrying()
    let looks = 0
    const observe: Drivetrain['observe'] = async (watched) => {
      const seen = await bot.train.observe(watched)
      if (watched.consumes !== undefined) return seen
      letGo()
      // A head as young as our clock: it is not the chain that stands still.
      const timestamp = Math.floor(clock.now() / 1_000)
      return { ...seen, head: { ...seen.head, timestamp }, ...bend(seen as never, looks++) }
    }
    return { clock, observe }
  }
  test('for a receipt of a block that is not on the chain: locked, and nothing is given up', async () => {
    const bent = approving(() => ({ unsettled: true, receipts: [] }))
    const { record, locks, codes } = await disputed(oneWeth, bent)
    expect(locks).toMatchObject(
      until(/its approval is not decided: receipts and blocks do not agree/),
    )
    expect({ state: record.state, codes }).toEqual({ state: 'PLANNED', codes: ['SWAP_DISPUTED'] })
  })
  test('for a nonce that is spent at every other look', async () => {
    const bent = approving((_, looks) => ({ receipts: [], deepNonce: looks % 2 === 0 ? 99 : 0 }))
    const { record, locks } = await disputed(oneWeth, bent)
    expect(locks).toMatchObject(until(/its approval is not decided: the nonce is spent at depth/))
    expect(record.state).toBe('PLANNED')
  })
  test('swap --live ends with the dispute, not with the stop that it caused', async () => {
    await bot.close()
    const { clock, letGo } = hurrying()
    const node = await startLyingNode(fork.ready.rpcUrl)
    node.lie({
      bend({ method }, answer) {
        if (method !== 'eth_getTransactionReceipt' || answer.result == null) return answer
        letGo()
        return { ...answer, result: { ...answer.result, blockHash: `0x${'d'.repeat(64)}` } }
      },
    })
    const environment = { RPC_URL: node.url }
    const config = loadConfig({ file: fork.ready.config, environment, cwd: fork.dataDir })
    const { bySymbol } = config.tokens
    const wanted = {
      ...{ sell: parseAmount('1 WETH', bySymbol), buy: tokenOf('USDC', bySymbol) },
      floor: parseAmount('2900 USDC', bySymbol),
      ...{ recipient: undefined, slippageBps: undefined, expirySeconds: undefined },
    }
    const never = new AbortController().signal
    const sent = sendManualSwap(wanted, {
      config,
      clock,
      signal: never,
      halt: never,
      note: () => {},
    })
    await expect(sent).rejects.toMatchObject({ code: 'SWAP_DISPUTED', fault: 'unsettled' })
    await node.close()
  })
})
