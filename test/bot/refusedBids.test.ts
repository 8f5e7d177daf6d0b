import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { attemptsOf } from '../../src/bot/journal/swaps/load.ts'
import { leftOutMs } from '../../src/bot/next.ts'
import { pass, type Simulated } from '../../src/bot/stages.ts'
import { getBlock } from '../../src/chain/calls/node.ts'
import { BallastError, ballastError } from '../../src/core/errors.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
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

const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
const call = (method: string, ...params: unknown[]) =>
  fork.rpc.request({ method, params, parse: (answer) => answer })

const tooDear = () =>
  new BallastError('Gas costs more than policy.maxGasPrice, less room for a replacement.', {
    code: 'GAS_PRICE_ABOVE_POLICY',
    remedy: 'retry',
    fault: 'refused',
  })

describe('a bid that may not be made', () => {
  test('of a swap: the chain is asked again after a pause, not at once', async () => {
    const { reading, observe, clock } = bot.train
    let [looks, pauses, offered] = [0, 0, false]
    const { record } = await bot.swap(oneWeth, {
      reading: {
        ...reading,
        async simulate(permitted) {
          const simulated = await reading.simulate(permitted)
          const head = await fork.rpc.request(getBlock('latest'))
          const maxFeePerGas = (head?.baseFeePerGas ?? 0n) * 2n + 2n
          return pass<Simulated>({
            ...simulated,
            fees: { ...simulated.fees, maxFeePerGas, maxPriorityFeePerGas: 1n },
          })
        },
      },
      async fees(gas) {
        if (offered) throw tooDear()
        return bot.train.fees(gas)
      },
      async broadcast(bytes) {
        if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
        if (!offered) {
          offered = true
          return { verdict: 'underpriced', words: 'transaction underpriced' }
        }
        return bot.train.broadcast(bytes)
      },
      async observe(watched) {
        if (offered) looks += 1
        return observe(watched)
      },
      clock: {
        ...clock,
        async sleep(ms, signal) {
          if (offered && ++pauses % 4 === 0) await call('evm_mine')
          return clock.sleep(Math.min(ms, 5), signal)
        },
      },
    })
    expect(record.state).toBe('SETTLED')
    // Each look that moves nothing is followed by a pause; what moved was few.
    expect(looks).toBeLessThan(pauses + 12)
  })

  test('of a cancellation: the one that was signed is offered again', async () => {
    const blind = ballastError('FEES_UNAVAILABLE', 'The chain could not be read for its fees.')
    let cancels = 0
    const { clock } = bot.train
    const { record, swapId } = await bot.swap(
      oneWeth,
      {
        async fees(gas) {
          if (cancels > 0) throw blind
          return bot.train.fees(gas)
        },
        async broadcast(bytes) {
          if (bytes.kind === 'APPROVE') return bot.train.broadcast(bytes)
          if (bytes.kind === 'SWAP') {
            await call('evm_increaseTime', 60)
            await call('evm_mine')
            return { verdict: 'ambiguous', words: 'lost' }
          }
          cancels += 1
          if (cancels === 1) return { verdict: 'underpriced', words: 'the pool is full' }
          return bot.train.broadcast(bytes)
        },
        clock: {
          ...clock,
          async sleep(ms, signal) {
            await call('evm_mine')
            return clock.sleep(Math.min(ms, 20), signal)
          },
        },
      },
      AbortSignal.timeout(240_000),
    )
    expect(record.state).toBe('EXPIRED_DEAD')
    expect(attemptsOf(await bot.journal.swaps.load(swapId), 'CANCEL')).toHaveLength(1)
  })

  test('of a cancellation: the room that was left for it is used, up to policy.maxGasPrice', async () => {
    const { gasPriceMax } = bot.train
    let isLost = false
    const { record, swapId } = await bot.swap(oneWeth, {
      async fees(gas) {
        if (isLost) throw tooDear()
        return bot.train.fees(gas)
      },
      async broadcast(bytes) {
        if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
        isLost = true
        await call('evm_increaseTime', 60)
        const price = (gasPriceMax * 95n) / 100n
        await call('anvil_setNextBlockBaseFeePerGas', `0x${price.toString(16)}`)
        await call('evm_mine')
        return { verdict: 'ambiguous', words: 'lost' }
      },
    })
    expect(record.state).toBe('EXPIRED_DEAD')
    const swap = await bot.journal.swaps.load(swapId)
    expect(attemptsOf(swap, 'CANCEL').map((one) => one.bytes.transaction.maxFeePerGas)).toEqual([
      gasPriceMax,
    ])
  })

  test('of an approval, which has no deadline: it is outbid for longer than a swap', async () => {
    let first: bigint | undefined
    const { clock } = bot.train
    const { record } = await bot.swap(
      oneWeth,
      {
        async broadcast(bytes) {
          if (bytes.kind !== 'APPROVE') return bot.train.broadcast(bytes)
          const { maxPriorityFeePerGas: tip } = bytes.transaction
          first ??= tip
          // A pool that has filled up with dearer ones since the price was asked for.
          return tip * 10n < first * 17n
            ? { verdict: 'underpriced', words: 'transaction underpriced' }
            : bot.train.broadcast(bytes)
        },
        clock: {
          ...clock,
          async sleep(ms, signal) {
            await call('evm_mine')
            return clock.sleep(Math.min(ms, 20), signal)
          },
        },
      },
      AbortSignal.timeout(240_000),
    )
    expect(record.state).toBe('SETTLED')
  })

  test.each(['APPROVE', 'CANCEL'] as const)(
    'an %s that the pool keeps and no block takes is outbid after three minutes',
    async (kind) => {
      const { clock } = bot.train
      let [waited, offers] = [0, 0]
      const { record, swapId } = await bot.swap(
        oneWeth,
        {
          async broadcast(bytes) {
            const { attempts } = await bot.journal.swaps.load(bytes.swapId)
            const ofKind = attempts.filter((one) => one.bytes.kind === kind)
            if (bytes.kind === 'SWAP' && kind === 'CANCEL') {
              await call('evm_increaseTime', 60)
              await call('evm_mine')
              return { verdict: 'ambiguous', words: 'lost' }
            }
            if (bytes.kind !== kind || ofKind.length > 1) return bot.train.broadcast(bytes)
            offers += 1
            return { verdict: 'already-known', words: 'already known' }
          },
          clock: {
            ...clock,
            now: () => clock.now() + waited,
            async sleep(ms, signal) {
              if (offers > 2) waited = leftOutMs
              await call('evm_mine')
              return clock.sleep(Math.min(ms, 20), signal)
            },
          },
        },
        AbortSignal.timeout(240_000),
      )
      // A swap is not begun so long behind its quote.
      expect(record.state).toBe(kind === 'CANCEL' ? 'EXPIRED_DEAD' : 'ABANDONED')
      expect(attemptsOf(await bot.journal.swaps.load(swapId), kind)).toHaveLength(2)
      // Until then the same bytes are offered again.
      expect(offers).toBeGreaterThan(2)
    },
  )
})
