import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { attemptsOf } from '../../src/bot/journal/swaps/load.ts'
import type { Drivetrain } from '../../src/bot/life/train.ts'
import { bumpsMax } from '../../src/bot/next.ts'
import { createSigner } from '../../src/bot/sign/createSigner.ts'
import { localKey } from '../../src/bot/sign/localKey.ts'
import { openDayCount } from '../../src/bot/sign/process/openDayCount.ts'
import { openProcessSigner } from '../../src/bot/sign/process/openProcessSigner.ts'
import { serveSigner } from '../../src/bot/sign/process/serveSigner.ts'
import { pass, type Simulated } from '../../src/bot/stages.ts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import { getBlock } from '../../src/chain/calls/node.ts'
import { readSignerConfig } from '../../src/config/signer/readSignerConfig.ts'
import { assert } from '../../src/core/assert.ts'
import { ballastError } from '../../src/core/errors.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
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

const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
const call = (method: string, ...params: unknown[]) =>
  fork.rpc.request({ method, params, parse: (answer) => answer })
/** The next block, and with it those after, cost this much. */
const priceBlocks = (wei: bigint) =>
  call('anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`)

/**
 * Signs with a fee that no block above today's price takes: what a lasting fee is there to prevent. `feeMost` is what
 * policy allows beside that fee.
 */
function tight(
  feeMost: (signed: bigint) => bigint = () => bot.train.gasPriceMax,
): Partial<Drivetrain> {
  const { reading } = bot.train
  return {
    reading: {
      ...reading,
      async simulate(permitted) {
        const simulated = await reading.simulate(permitted)
        const head = await fork.rpc.request(getBlock('latest'))
        const maxFeePerGas = (head?.baseFeePerGas ?? 0n) * 2n + 2n
        return pass<Simulated>({
          ...simulated,
          fees: { ...simulated.fees, maxFeePerGas, maxPriorityFeePerGas: 1n },
          simulation: { ...simulated.simulation, feeMost: feeMost(maxFeePerGas) },
        })
      },
    },
  }
}

/** Makes blocks dearer than each of the first so many bids, before it is offered. */
function outbidding(times: number, kind: 'SWAP' | 'CANCEL' = 'SWAP'): Drivetrain['broadcast'] {
  const seen = new Set<string>()
  return async (bytes) => {
    if (bytes.kind === kind && !seen.has(bytes.hash) && seen.size < times) {
      // What is offered is on disk by then: bytes that are lost now would be lost for ever.
      const { attempts } = await bot.journal.swaps.load(bytes.swapId)
      expect(attempts.map((attempt) => attempt.bytes.hash)).toContain(bytes.hash)
      seen.add(bytes.hash)
      await priceBlocks(bytes.transaction.maxFeePerGas * 3n)
      await call('evm_mine')
    }
    return bot.train.broadcast(bytes)
  }
}

const bids = async (swapId: string, kind: 'SWAP' | 'CANCEL' | 'APPROVE') =>
  attemptsOf(await bot.journal.swaps.load(swapId), kind).map(({ bytes }) => bytes.transaction)

describe('bump', () => {
  test('blocks that outgrow the fee: the same call, the same nonce, more for gas; it settles once', async () => {
    const { record, swapId } = await bot.swap(oneWeth, { ...tight(), broadcast: outbidding(1) })
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
    const [first, second, ...more] = await bids(swapId, 'SWAP')
    expect(more).toEqual([])
    expect({ ...second, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }).toEqual({
      ...first,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
    })
    expect(second?.maxFeePerGas).toBeGreaterThan((first?.maxFeePerGas ?? 0n) * 3n)
    expect(second?.maxPriorityFeePerGas).toBeGreaterThan(first?.maxPriorityFeePerGas ?? 0n)
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
    expect(record.gasPaidWei).not.toBeNull()
  })

  /** Outbid three times, it is left to its deadline, and its nonce is closed. */
  async function expire(changes: Partial<Drivetrain> = {}): Promise<string> {
    const base = outbidding(4)
    const broadcast: Drivetrain['broadcast'] = async (bytes) => {
      const last = bytes.kind === 'SWAP' && (await bids(bytes.swapId, 'SWAP')).length > bumpsMax
      if (last) await call('evm_increaseTime', 60)
      return base(bytes)
    }
    const { record, swapId } = await bot.swap(oneWeth, { ...tight(), broadcast, ...changes })
    expect(record).toMatchObject({ state: 'EXPIRED_DEAD' })
    const offered = await bids(swapId, 'SWAP')
    expect(offered).toHaveLength(1 + bumpsMax)
    const [cancel] = await bids(swapId, 'CANCEL')
    expect(cancel?.nonce).toBe(offered[0]?.nonce)
    expect(cancel?.maxFeePerGas).toBeGreaterThan(offered.at(-1)?.maxFeePerGas ?? 0n)
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
    return swapId
  }

  test('three times and no more; then it is left to its deadline, and its nonce is closed', async () => {
    await expire()
  })

  test('a signer process signs all of it within the limits that a new file has', async () => {
    const { treasury } = fork.ready.wallets
    const { WETH, USDC } = fork.ready.tokens
    const folder = mkdtempSync(join(tmpdir(), 'ballast-signer-'))
    const yaml = {
      chainId: fork.ready.chainId,
      wallet: treasury?.address,
      key: { kind: 'environment' },
      socket: './signer.sock',
      router: fork.ready.router,
      feeSigner: fork.ready.feeSigner.address,
      makers: Object.values(fork.ready.makers).map(({ address }) => address),
      tokens: { WETH: { ...WETH, perTransaction: '1', perDay: '1' }, USDC: { ...USDC } },
      minimumPrices: ['2000 USDC per WETH'],
      maxGas: '1500000',
      maxGasPrice: '200 gwei',
    }
    writeFileSync(join(folder, 'signer.yaml'), JSON.stringify(yaml))
    const environment = { WALLET_KEY: treasury?.privateKey }
    const config = readSignerConfig({ file: 'signer.yaml', environment, cwd: folder })
    assert(config.key.kind === 'environment', 'its key is in the environment')
    const { socket, limits, countFile } = config
    const dayCount = openDayCount({ file: countFile, clock: bot.train.clock })
    const answers: string[] = []
    const server = await serveSigner({
      socket,
      limits,
      dayCount,
      clock: bot.train.clock,
      holder: localKey(config.key.key),
      onDecision: ({ answered, kind, rule }) => answers.push(`${answered} ${kind ?? rule}`),
    })
    try {
      const signer = createSigner(await openProcessSigner({ socket }), config.wallet)
      const swapId = await expire({ signer })
      expect(answers).toEqual([
        'signed APPROVE',
        ...(await bids(swapId, 'SWAP')).map(() => 'signed SWAP'),
        ...(await bids(swapId, 'CANCEL')).map(() => 'signed CANCEL'),
      ])
    } finally {
      await server.close()
      dayCount.close()
    }
  })

  test('not above what policy lets its gas cost: the bytes it has wait for a cheaper block', async () => {
    const mean = tight((signed) => signed)
    let outbids = 0
    const broadcast = outbidding(1)
    const { record, swapId } = await bot.swap(oneWeth, {
      ...mean,
      broadcast: async (bytes) => {
        const answer = await broadcast(bytes)
        if (bytes.kind === 'SWAP' && ++outbids === 2) {
          await priceBlocks(1n)
          await call('evm_mine')
        }
        return answer
      },
    })
    expect(record.state).toBe('SETTLED')
    expect(await bids(swapId, 'SWAP')).toHaveLength(1)
  })

  test('not with a fee that no block of now takes: a bid is not spent on it', async () => {
    let offers = 0
    const { record, swapId } = await bot.swap(oneWeth, {
      ...tight((signed) => signed * 2n),
      async broadcast(bytes) {
        if (bytes.kind !== 'SWAP' || ++offers > 2) return bot.train.broadcast(bytes)
        await priceBlocks(offers === 1 ? bytes.transaction.maxFeePerGas * 10n : 1n)
        await call('evm_mine')
        return { verdict: 'ambiguous', words: 'lost' }
      },
    })
    expect(record.state).toBe('SETTLED')
    expect(await bids(swapId, 'SWAP')).toHaveLength(1)
  })

  test('bytes that are not the same call are never stored: the first ones wait for a cheaper block', async () => {
    const { signer } = bot.train
    let swaps = 0
    const sign: typeof signer.sign = async (what) => {
      const { transaction } = what
      if (what.kind !== 'SWAP' || ++swaps === 1) return signer.sign(what)
      await priceBlocks(1n)
      await call('evm_mine')
      return signer.sign({ ...what, transaction: { ...transaction, gas: transaction.gas + 1n } })
    }
    const train = { ...tight(), broadcast: outbidding(1), signer: { ...signer, sign } }
    const { record, swapId } = await bot.swap(oneWeth, train)
    expect(record.state).toBe('SETTLED')
    expect(swaps).toBeGreaterThan(1)
    expect(await bids(swapId, 'SWAP')).toHaveLength(1)
  })

  /** A signer that fails to sign a dearer bid, a block later each time. */
  const failing = (code: 'SIGNED_DIFFERS' | 'SIGNER_UNAVAILABLE'): Partial<Drivetrain> => {
    const { signer } = bot.train
    let swaps = 0
    const sign: typeof signer.sign = async (what) => {
      if (what.kind !== 'SWAP' || ++swaps === 1) return signer.sign(what)
      await call('evm_mine')
      throw ballastError(code, 'The signer failed.')
    }
    return { ...tight(), signer: { ...signer, sign } }
  }

  test('a signer that signs something else ends the bot', async () => {
    const train = { ...failing('SIGNED_DIFFERS'), broadcast: outbidding(1) }
    const { failure, record } = await bot.swap(oneWeth, train)
    expect(failure).toMatchObject({ code: 'SIGNED_DIFFERS' })
    expect(record.state).toBe('SIGNED')
  })

  test('while the signer is away the bytes that are out are offered again', async () => {
    const base = outbidding(1)
    const offered: string[] = []
    const broadcast: Drivetrain['broadcast'] = async (bytes) => {
      if (bytes.kind === 'SWAP') offered.push(bytes.hash)
      if (offered.length === 2) {
        await priceBlocks(1n)
        await call('evm_mine')
      }
      return base(bytes)
    }
    const { record, swapId } = await bot.swap(oneWeth, {
      ...failing('SIGNER_UNAVAILABLE'),
      broadcast,
    })
    expect(record.state).toBe('SETTLED')
    // How often depends on how many blocks go by before the node has it: always the same bytes.
    expect(offered.length).toBeGreaterThanOrEqual(2)
    expect(new Set(offered)).toEqual(new Set([record.txHash]))
    expect(await bids(swapId, 'SWAP')).toHaveLength(1)
  })

  test('a pause stops it and ends nothing; an approval is outbid like a swap', async () => {
    let paused = false
    const base = outbidding(1)
    const broadcast: Drivetrain['broadcast'] = async (bytes) => {
      if (bytes.kind === 'APPROVE' && (await bids(bytes.swapId, 'APPROVE')).length === 1) {
        await priceBlocks(bytes.transaction.maxFeePerGas * 2n)
        await call('evm_mine')
      }
      if (bytes.kind === 'SWAP' && !paused) {
        paused = true
        const pause = { kind: 'pause', scope: 'all', code: 'BY_PERSON', reason: 'x' } as const
        await bot.journal.locks.open({ ...pause, expiresAt: undefined })
      }
      return base(bytes)
    }
    const { record, swapId } = await bot.swap(oneWeth, { ...tight(), broadcast })
    expect(await bids(swapId, 'APPROVE')).toHaveLength(2)
    expect(await bids(swapId, 'SWAP')).toHaveLength(1)
    expect(record.state).toBe('SETTLED')
  })
})

describe('cancel', () => {
  const unsent: Drivetrain['broadcast'] = async (bytes) => {
    if (bytes.kind !== 'SWAP') return outbidCancel(bytes)
    await call('evm_increaseTime', 60)
    return { verdict: 'ambiguous', words: 'lost' }
  }
  let outbidCancel: Drivetrain['broadcast']

  test('one that blocks outgrow is outbid by another, and the nonce is closed', async () => {
    outbidCancel = outbidding(1, 'CANCEL')
    const { record, swapId } = await bot.swap(oneWeth, { broadcast: unsent })
    expect(record.state).toBe('EXPIRED_DEAD')
    const [first, second, ...more] = await bids(swapId, 'CANCEL')
    expect(more).toEqual([])
    expect(second?.maxFeePerGas).toBeGreaterThan(first?.maxFeePerGas ?? 0n)
    expect(second?.nonce).toBe(first?.nonce)
  })

  test('a chain that charges more gas for it gets more, within the policy', async () => {
    outbidCancel = bot.train.broadcast
    const { record, swapId } = await bot.swap(oneWeth, {
      broadcast: unsent,
      gasOf: async () => 77_000n,
    })
    expect(record.state).toBe('EXPIRED_DEAD')
    expect((await bids(swapId, 'CANCEL')).map(({ gas }) => gas)).toEqual([77_000n])
  })
})

describe('what a refusal says of the wallet', () => {
  const once = (verdict: 'insufficient-funds' | 'nonce-high' | 'replacement-underpriced') => {
    let said = false
    const broadcast: Drivetrain['broadcast'] = async (bytes) => {
      if (said || bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
      said = true
      return { verdict, words: `the node says ${verdict}` }
    }
    return broadcast
  }
  const locks = async () =>
    (await bot.journal.locks.live()).map(({ kind, scope, code, openedAt, expiresAt }) => ({
      kind,
      code,
      minutes: expiresAt === undefined ? undefined : Math.round((expiresAt - openedAt) / 60_000),
      wallet: scope === `wallet ${bot.config.wallet.address.toLowerCase()}`,
    }))

  test('no gas money, or a gap below: nothing new begins for a while, and what is signed goes on', async () => {
    expect((await bot.swap(oneWeth, { broadcast: once('insufficient-funds') })).record.state).toBe(
      'SETTLED',
    )
    expect(await locks()).toEqual([
      { kind: 'breaker', code: 'GAS_MONEY_SHORT', minutes: 10, wallet: true },
    ])
    await bot.journal.locks.release({ id: undefined, reason: 'a test' })
    expect((await bot.swap(oneWeth, { broadcast: once('nonce-high') })).record.state).toBe(
      'SETTLED',
    )
    expect(await locks()).toMatchObject([{ kind: 'breaker', code: 'NONCE_GAP' }])
  })

  test('a stranger’s transaction under our nonce: the wallet is halted, and the swap stays undecided', async () => {
    const { record, failure } = await bot.swap(oneWeth, {
      broadcast: once('replacement-underpriced'),
    })
    expect(failure).toMatchObject({ code: 'NONCE_SHARED', remedy: 'halt', fault: 'locked' })
    expect(record.state).toBe('SIGNED')
    expect(await locks()).toEqual([
      { kind: 'halt', code: 'NONCE_SHARED', minutes: undefined, wallet: true },
    ])
  })
})

describe('liabilities', () => {
  test('an allowance that its swap did not use is owed until a swap uses it', async () => {
    const stop = new AbortController()
    const sign: typeof bot.train.signer.sign = async (what) => {
      if (what.kind === 'SWAP') stop.abort()
      return bot.train.signer.sign(what)
    }
    const { swapId } = await bot.swap(
      oneWeth,
      { signer: { ...bot.train.signer, sign } },
      stop.signal,
    )
    const { address } = bot.config.wallet
    expect(await bot.journal.allowances.liabilities({ chainId: 31_337, wallet: address })).toEqual([
      {
        token: fork.ready.tokens.WETH?.address.toLowerCase(),
        spender: fork.ready.router.toLowerCase(),
        wei: 10n ** 18n,
        swapId,
        at: expect.any(Number),
      },
    ])
    expect((await bot.swap(oneWeth)).record.state).toBe('SETTLED')
    expect(await bot.journal.allowances.liabilities({ chainId: 31_337, wallet: address })).toEqual(
      [],
    )
    expect(await fork.rpc.request(getTransactionCount(address))).toBe(2)
  })
})
