import { encodeFunctionData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openMarket } from '../../src/app/openMarket.ts'
import { openTrain } from '../../src/app/openTrain.ts'
import { resume } from '../../src/bot/life/drive.ts'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import { sendRawTransaction } from '../../src/chain/calls/sendRawTransaction.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { systemClock } from '../../src/core/clock.ts'
import { ballastError } from '../../src/core/errors.ts'
import type { Address } from '../../src/core/token.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { busyAtFirst } from '../support/busyAtFirst.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { swappedEvents } from '../support/swappedEvents.ts'
import { transact } from '../support/transact.ts'

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
const call = (rpc: Rpc, method: string, ...params: unknown[]) =>
  rpc.request({ method, params, parse: (answer) => answer })
const allowance = (symbol: string) =>
  fork.rpc.request(
    readContract({
      address: fork.ready.tokens[symbol]?.address as Address,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [treasury().address, fork.ready.router],
    }),
  )
const treasury = () => fork.ready.wallets.treasury as { address: Address; privateKey: Hex }
const states = async () =>
  (await bot.journal.swaps.history({ limit: 50 })).map(({ state }) => state)

describe('drive', () => {
  test('default: settles, spends the allowance it set, and leaves none behind', async () => {
    const { record, failure } = await bot.swap(oneWeth)
    expect(failure).toBeUndefined()
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true, code: null })
    expect(record.attempts.map(({ kind }) => kind)).toEqual(['APPROVE', 'SWAP'])
    expect(await allowance('WETH')).toBe(0n)
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
  })

  test('allowance: another one that stands is set to zero first, then to exactly the amount', async () => {
    // The process ends after its approval: the allowance stands, and the swap does not happen.
    const sign: typeof bot.train.signer.sign = async (what) => {
      if (what.kind === 'SWAP') throw new Error('the process ends here')
      return bot.train.signer.sign(what)
    }
    const halfway = { sell: '500 TETHER', buy: 'USDC', floor: '490 USDC' }
    await bot.swap(halfway, { signer: { ...bot.train.signer, sign } })
    expect(await allowance('TETHER')).toBe(500_000_000n)
    const { record } = await bot.swap({ sell: '900 TETHER', buy: 'USDC', floor: '890 USDC' })
    expect(record.state).toBe('SETTLED')
    expect(record.attempts.map(({ kind }) => kind)).toEqual(['APPROVE', 'APPROVE', 'SWAP'])
    expect(await allowance('TETHER')).toBe(0n)
  })

  test('nothing is signed, not even an approval, for a swap that would be refused', async () => {
    const hopeless = {
      'a floor above the market': { sell: '1 WETH', buy: 'USDC', floor: '3001 USDC' },
      'more than the wallet holds': { sell: '1000 WETH', buy: 'USDC', floor: '1 USDC' },
    }
    for (const [name, wish] of Object.entries(hopeless)) {
      const { record, failure } = await bot
        .swap(wish)
        .catch((failure) => ({ failure, record: undefined }))
      expect(failure, name).toMatchObject({ fault: 'refused' })
      expect(record?.attempts ?? [], name).toEqual([])
    }
    await fork.rpc.request(anvilCalls.setBalance(treasury().address, 0n))
    const { record, failure } = await bot.swap(oneWeth)
    expect(failure).toMatchObject({ code: 'FUND_GAS_MONEY' })
    expect(record.attempts).toEqual([])
    expect(await fork.rpc.request(getTransactionCount(treasury().address))).toBe(0)
  })

  test('a token that keeps a part of every transfer is refused before anything is signed for it', async () => {
    const { record, failure } = await bot.swap({ sell: '100 LEAKY', buy: 'USDC', floor: '1 USDC' })
    expect(failure).toMatchObject({ fault: 'refused' })
    expect(record.attempts.filter(({ kind }) => kind === 'SWAP')).toEqual([])
  })

  test('[CHAIN-18] [CHAIN-21] reverted: a maker that takes its money back costs gas and is told as it is', async () => {
    const maker = Object.values(fork.ready.makers)[0] as { address: Address; privateKey: Hex }
    const { address: usdc = '0x' } = fork.ready.tokens.USDC ?? {}
    const broadcast: typeof bot.train.broadcast = async (bytes) => {
      if (bytes.kind === 'SWAP')
        await transact(fork.rpc, {
          privateKey: maker.privateKey,
          to: usdc as Address,
          data: encodeFunctionData({
            abi: erc20Abi,
            functionName: 'approve',
            args: [fork.ready.router, 0n],
          }),
        })
      return bot.train.broadcast(bytes)
    }
    const { record, failure } = await bot.swap(oneWeth, { broadcast })
    expect(failure).toBeUndefined()
    expect(record).toMatchObject({
      state: 'REVERTED',
      code: 'REVERTED',
      sold: null,
      received: null,
    })
    expect(BigInt(record.gasPaidWei ?? 0)).toBeGreaterThan(0n)
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
  })

  test('[CHAIN-08] expired: bytes that never arrive are cancelled after the deadline, and their nonce is closed', async () => {
    const dropSwaps: typeof bot.train.broadcast = async (bytes) => {
      if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
      await call(fork.rpc, 'evm_increaseTime', 60)
      return { verdict: 'ambiguous', words: 'lost' }
    }
    const { record } = await bot.swap(oneWeth, { broadcast: dropSwaps })
    expect(record).toMatchObject({ state: 'EXPIRED_DEAD', code: 'EXPIRED' })
    expect(bot.troubles[0]).toMatchObject({
      code: 'BROADCAST_UNCLEAR',
      facts: { hash: record.attempts[1]?.hash, verdict: 'ambiguous', words: 'lost' },
    })
    expect(record.attempts.map(({ kind, nonce }) => [kind, nonce])).toEqual([
      ['APPROVE', 0],
      ['SWAP', 1],
      ['CANCEL', 1],
    ])
    expect(await fork.rpc.request(getTransactionCount(treasury().address))).toBe(2)
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
  })

  test('a witness that is away lets nothing end as dead, and what it confirms does', async () => {
    const dropSwaps: typeof bot.train.broadcast = async (bytes) => {
      if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
      await call(fork.rpc, 'evm_increaseTime', 60)
      return { verdict: 'ambiguous', words: 'lost' }
    }
    let asked = 0
    const witness: typeof bot.train.observe = async (watched) => {
      asked += 1
      expect(await states()).toEqual(['INCLUDED'])
      if (asked > 2) return bot.train.observe(watched)
      const { createRpc } = await import('../../src/chain/rpc/createRpc.ts')
      await call(createRpc({ url: 'http://127.0.0.1:9' }), 'eth_chainId')
      throw new Error('nobody answers there')
    }
    const { record } = await bot.swap(oneWeth, { broadcast: dropSwaps, witness })
    expect(record).toMatchObject({ state: 'EXPIRED_DEAD', code: 'EXPIRED' })
    expect(asked).toBe(3)
  })

  test('one node alone cannot declare a settled swap dead', async () => {
    // By the endpoint the swap was reverted, and its router knows nothing of it; the witness is the honest chain.
    const observe: typeof bot.train.observe = async (watched) => {
      const seen = await bot.train.observe(watched)
      if (watched.consumes === undefined || bot.troubles.length >= 2) return seen
      const receipts = seen.receipts.map((one) => ({
        ...one,
        receipt: { ...one.receipt, success: false },
      }))
      return { ...seen, consumed: false, receipts }
    }
    const { record } = await bot.swap(oneWeth, { observe, witness: bot.train.observe })
    expect(bot.troubles).toMatchObject([
      { code: 'DEATH_UNCONFIRMED', fault: 'upstream' },
      { code: 'DEATH_UNCONFIRMED', fault: 'upstream' },
    ])
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
  })

  test('one node alone cannot take a nonce: a displacement that the witness does not see is none', async () => {
    const observe: typeof bot.train.observe = async (watched) => {
      const seen = await bot.train.observe(watched)
      if (watched.consumes === undefined || bot.troubles.length > 0) return seen
      const { deep, deepNonce = 0 } = seen
      const late = deep && { ...deep, timestamp: deep.timestamp + 3_600 }
      return { ...seen, deep: late, deepNonce: deepNonce + 2, consumed: false, receipts: [] }
    }
    const { record, failure } = await bot.swap(oneWeth, { observe, witness: bot.train.observe })
    expect(failure).toBeUndefined()
    expect(bot.troubles).toMatchObject([{ code: 'DEATH_UNCONFIRMED' }])
    expect(record).toMatchObject({ state: 'SETTLED' })
  })

  test('[CHAIN-11] displaced: a foreign transaction on our nonce ends the swap and halts the wallet', async () => {
    const foreign: typeof bot.train.broadcast = async (bytes) => {
      if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
      const { address, privateKey } = treasury()
      const raw = await privateKeyToAccount(privateKey).signTransaction({
        type: 'eip1559',
        chainId: 31_337,
        nonce: bytes.transaction.nonce,
        to: address,
        value: 1n,
        gas: 21_000n,
        maxFeePerGas: 100_000_000_000n,
        maxPriorityFeePerGas: 2_000_000_000n,
      })
      await fork.rpc.request(sendRawTransaction(raw))
      return { verdict: 'ambiguous', words: 'lost' }
    }
    // It is not concluded before the deadline is deep: until then the lost bytes could be mined after all.
    const brief = { ...oneWeth, expirySeconds: 10 }
    // Another process has the journal when the lock is to be stored: the halt must not be lost over it.
    const { journal, wasBusy } = busyAtFirst(bot)
    const { record, failure } = await bot.swap(brief, { broadcast: foreign, journal })
    expect(failure).toMatchObject({ code: 'NONCE_TAKEN', remedy: 'halt', fault: 'locked' })
    expect(wasBusy()).toBe(true)
    expect(record).toMatchObject({ state: 'DISPLACED' })
    await bot.close()
    await expect(openBot(fork)).rejects.toMatchObject({ code: 'LOCKED' })
  })

  test('[CHAIN-01] reorganised: a swap that a reorganisation removes is sent again, and settles once', async () => {
    // Snapshot and revert: anvil's own reorg does not take back the storage of a fork.
    let snapshot: unknown
    let removed = 0
    const broadcast: typeof bot.train.broadcast = async (bytes) => {
      if (bytes.kind === 'SWAP') snapshot ??= await call(fork.rpc, 'evm_snapshot')
      return bot.train.broadcast(bytes)
    }
    const observe: typeof bot.train.observe = async (watched) => {
      const seen = await bot.train.observe(watched)
      if (removed === 0 && watched.consumes !== undefined && seen.receipts.length > 0) {
        removed = seen.receipts.length
        await call(fork.rpc, 'evm_revert', snapshot)
      }
      return seen
    }
    const { record } = await bot.swap(oneWeth, { broadcast, observe })
    expect(removed).toBe(1)
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
    expect(record.attempts.map(({ kind }) => kind)).toEqual(['APPROVE', 'SWAP'])
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
  })

  test('[RPC-38] an endpoint that is away moves nothing and ends nothing', async () => {
    let failures = 0
    const observe: typeof bot.train.observe = async (watched) => {
      if (watched.consumes !== undefined && failures < 3) {
        failures += 1
        const { createRpc } = await import('../../src/chain/rpc/createRpc.ts')
        const gone = createRpc({ url: 'http://127.0.0.1:9' })
        await call(gone, 'eth_chainId')
      }
      return bot.train.observe(watched)
    }
    const { record } = await bot.swap(oneWeth, { observe })
    expect(record.state).toBe('SETTLED')
    expect(failures).toBe(3)
  })

  test('stopped between signature and commit: nothing is stored, so nothing can be sent', async () => {
    const stop = new AbortController()
    const sign: typeof bot.train.signer.sign = async (what) => {
      if (what.kind === 'SWAP') stop.abort()
      return bot.train.signer.sign(what)
    }
    const signer = { ...bot.train.signer, sign }
    const { record, failure } = await bot.swap(oneWeth, { signer }, stop.signal)
    expect(failure).toMatchObject({ code: 'INTERRUPTED' })
    expect(record).toMatchObject({ state: 'ABANDONED', code: 'INTERRUPTED' })
    expect(record.attempts.map(({ kind }) => kind)).toEqual(['APPROVE'])
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
  })

  test('[LOCAL-04] resume: a plan without signed bytes is abandoned, never signed late', async () => {
    const sign: typeof bot.train.signer.sign = async (what) => {
      if (what.kind === 'SWAP') throw new Error('the process ends here')
      return bot.train.signer.sign(what)
    }
    const close = async () => {}
    const journal = { ...bot.journal, swaps: { ...bot.journal.swaps, close } }
    const { swapId } = await bot.swap(oneWeth, { signer: { ...bot.train.signer, sign }, journal })
    expect(await states()).toEqual(['VERIFIED'])
    await resume(swapId, bot.train)
    expect(await states()).toEqual(['ABANDONED'])
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
  })

  test('resume: a swap is judged by the router that it was signed for, not by one configured since', async () => {
    let blind = true
    const observe: typeof bot.train.observe = async (watched) => {
      if (blind && watched.consumes !== undefined) throw new Error('the process ends here')
      return bot.train.observe(watched)
    }
    const { swapId } = await bot.swap(oneWeth, { observe })
    blind = false
    expect(await states()).toEqual(['SENT'])
    await bot.close()
    // One that never saw the swap says of everything that it was not done: a dispute, or a death.
    const router = '0x00000000000000000000000000000000000000a7'
    await call(fork.rpc, 'anvil_setCode', router, '0x600060005260206000f3')
    const { config } = bot
    const service = { ...config.service, router } as const
    const market = await openMarket(config, systemClock)
    const opened = await openTrain({
      ...{ config: { ...config, service }, market, clock: systemClock },
      onTrouble: () => {},
    })
    await resume(swapId, opened.train)
    expect(await opened.journal.swaps.record(swapId)).toMatchObject({
      ...{ state: 'SETTLED', agrees: true },
    })
    await opened.close()
    await market.close()
  })

  test('resume: an approval under way is finished before anything else', async () => {
    const lost: typeof bot.train.broadcast = async () => {
      throw new Error('the process ends here')
    }
    const { swapId, failure } = await bot.swap(oneWeth, { broadcast: lost })
    expect(failure).toMatchObject({ message: 'the process ends here' })
    expect(await states()).toEqual(['PLANNED'])
    await resume(swapId, bot.train)
    expect(await states()).toEqual(['ABANDONED'])
    expect(await fork.rpc.request(getTransactionCount(treasury().address))).toBe(1)
    expect((await bot.swap(oneWeth)).record.state).toBe('SETTLED')
  })

  test('a journal that is away for a moment, once bytes are out, is read again in the same drive', async () => {
    const { load } = bot.journal.swaps
    let sent = false
    let failures = 0
    const journal = {
      ...bot.journal,
      swaps: {
        ...bot.journal.swaps,
        async load(swapId: string) {
          if (sent && failures < 2) {
            failures += 1
            throw ballastError('JOURNAL_UNREACHABLE', 'The server is away.')
          }
          return load(swapId)
        },
      },
    }
    const broadcast: typeof bot.train.broadcast = async (...given) => {
      sent = true
      return bot.train.broadcast(...given)
    }
    const { record, failure } = await bot.swap(oneWeth, { broadcast, journal })
    expect([failure, record.state, failures]).toEqual([undefined, 'SETTLED', 2])
  })

  test('the nonce is taken with the bytes: nothing is signed for a nonce the journal would not give', async () => {
    await bot.swap(oneWeth)
    const { privateKey, address } = treasury()
    await transact(fork.rpc, { privateKey, to: address, data: '0x', value: 1n })
    const { record, failure } = await bot.swap(oneWeth)
    expect(failure).toMatchObject({ code: 'NONCE_DIVERGED', remedy: 'halt' })
    expect(record.attempts).toEqual([])
  })
})
