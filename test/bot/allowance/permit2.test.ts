import { readFileSync, writeFileSync } from 'node:fs'
import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readingStages } from '../../../src/app/readingStages.ts'
import { revoke } from '../../../src/bot/life/approvals.ts'
import { preview } from '../../../src/bot/swap.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { getCode } from '../../../src/chain/calls/account.ts'
import { getReceipt } from '../../../src/chain/calls/getReceipt.ts'
import { callAs, readContract } from '../../../src/chain/calls/readContract.ts'
import { simulateByProbe } from '../../../src/chain/calls/simulateByProbe.ts'
import { decodeSwapCall } from '../../../src/chain/settlement/codec.ts'
import { isTransfer } from '../../../src/chain/settlement/permit.ts'
import {
  nonceBit,
  nonceSlotOf,
  permit2Abi,
  permit2Address,
} from '../../../src/chain/settlement/permit2.ts'
import { slotOf } from '../../../src/chain/storage/layout.ts'
import { ballastError } from '../../../src/core/errors.ts'
import type { Address } from '../../../src/core/token.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'
import { planned } from '../../support/planned.ts'

/** A token without permits of its own, as USDT and WETH are, and what may stand of it: three swaps and a bit. */
let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
const usdc = () => fork.ready.tokens.USDC?.address as Address
const standing = 100_000_000n

beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  const { config } = fork.ready
  const yaml = readFileSync(config, 'utf8')
  const keys = 'policy:\n  permits: [USDC]\n  allowances: [100 USDC]\n'
  writeFileSync(config, yaml.replace('policy:\n', keys))
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})

const wallet = () => bot.config.wallet.address
const allowedTo = (spender: Address) =>
  fork.rpc.request(
    readContract({
      ...{ address: usdc(), abi: erc20Abi, functionName: 'allowance' },
      args: [wallet(), spender],
    }),
  )
const allowed = async () => ({
  router: await allowedTo(fork.ready.router),
  permit2: await allowedTo(permit2Address),
})

/** The depth at which an end counts is two blocks, and none comes by itself. */
const observe: typeof bot.train.observe = async (watched) => {
  await fork.rpc.request(anvilCalls.mine)
  return bot.train.observe(watched)
}
const fast = { pollMs: 1, observe }
const wish = { sell: '30 USDC', buy: 'WETH', floor: '0.009 WETH' }

/** What was signed for a swap, in order. */
async function signedFor(swapId: string) {
  const { attempts } = await bot.journal.swaps.load(swapId)
  return attempts.map(({ bytes: { kind, transaction } }) =>
    kind === 'SWAP' && isTransfer(decodeSwapCall(transaction.data).permit)
      ? 'SWAP THROUGH PERMIT2'
      : kind,
  )
}

async function swapNow(bent: Parameters<typeof bot.swap>[1] = {}) {
  const { record, failure, swapId } = await bot.swap(wish, { ...fast, ...bent })
  return { state: record.state, failure, swapId, signed: await signedFor(swapId) }
}

const store = (account: Address, slot: Hex, word: bigint) =>
  fork.rpc.request({
    method: 'anvil_setStorageAt',
    params: [account, slot, numberToHex(word, { size: 32 })],
    parse: (answer) => answer,
  })

/** Where the sandbox's tokens keep what a spender may take: their fifth variable. */
const allowanceSlot = (spender: Address) =>
  slotOf({ base: numberToHex(4, { size: 32 }), keyFirst: true }, [wallet(), spender])

const takeBack = async () => {
  for (const one of await bot.journal.allowances.liabilities({ chainId: 31_337, wallet: wallet() }))
    await revoke(one, { ...bot.train, ...fast })
}

test('the first swap approves Permit2 for what may stand, the next ones bring a transfer alone', async () => {
  const first = await swapNow()
  expect(first).toMatchObject({ state: 'SETTLED', signed: ['APPROVE', 'SWAP THROUGH PERMIT2'] })
  expect(await allowed()).toEqual({ router: 0n, permit2: standing - 30_000_000n })
  expect(await bot.verdicts()).toEqual([])
  const second = await swapNow()
  expect(second).toMatchObject({ state: 'SETTLED', signed: ['SWAP THROUGH PERMIT2'] })
  expect(await allowed()).toEqual({ router: 0n, permit2: standing - 60_000_000n })
  expect(await bot.verdicts()).toEqual([])
})

test('it is stored before any endpoint sees it, for this swap alone, and used up', async () => {
  const stored: number[] = []
  const { swapId } = await swapNow({
    reading: {
      ...bot.train.reading,
      simulate(permitted) {
        stored.push(bot.permitsOf(permitted.swapId).length)
        return bot.train.reading.simulate(permitted)
      },
    },
  })
  expect(stored).toEqual([1])
  const [row] = bot.permitsOf(swapId)
  expect(row).toMatchObject({ kind: 'PERMIT2', sent: 1, wei: '30000000' })
  const { word, bit } = nonceBit(BigInt(String(row?.nonce)))
  const read = readContract({
    ...{ address: permit2Address, abi: permit2Abi, functionName: 'nonceBitmap' },
    args: [wallet(), word],
  } as const)
  expect(await fork.rpc.request(read)).toBe(bit)
})

test('its bytes settle nothing a second time', async () => {
  const { swapId } = await swapNow()
  const { attempts } = await bot.journal.swaps.load(swapId)
  const { to, data } = attempts.at(-1)?.bytes.transaction ?? { to: wallet(), data: '0x' as Hex }
  const again = callAs(wallet(), { to, data, gas: 2_000_000n })
  await expect(fork.rpc.request(again)).rejects.toMatchObject({ code: 'RPC_REFUSED' })
})

test('a dry run plays an approval of the router in its place, and signs nothing', async () => {
  await takeBack()
  const seen = await preview(await planned(bot, wish), bot.train.reading)
  expect(seen.approvals).toHaveLength(1)
  expect(seen.signedPermit).toBeUndefined()
  expect(bot.permitsOf(seen.swapId)).toEqual([])
})

test('what stands is taken back as the router’s is, and the books agree', async () => {
  await swapNow()
  expect(
    await bot.journal.allowances.liabilities({ chainId: 31_337, wallet: wallet() }),
  ).toMatchObject([{ spender: permit2Address.toLowerCase(), wei: standing - 30_000_000n }])
  await takeBack()
  expect(await allowed()).toEqual({ router: 0n, permit2: 0n })
  expect(await bot.verdicts()).toEqual([])
})

test('an allowance of Permit2 that the books do not have is found', async () => {
  await swapNow()
  const left = standing - 30_000_000n
  await store(usdc(), allowanceSlot(permit2Address), left + 1n)
  expect(await allowedTo(permit2Address)).toBe(left + 1n)
  expect(await bot.verdicts()).toContain('ALLOWANCE_DIFFERS')
  await store(usdc(), allowanceSlot(permit2Address), left)
  for (const { id } of await bot.journal.locks.at(bot.train.clock.now()))
    await bot.journal.locks.release({ id, reason: 'seen' })
})

test('where nothing may stand, the router is approved exactly: Permit2 would save nothing', async () => {
  await takeBack()
  const { config, market } = bot
  const exact = readingStages({
    config: { ...config, policy: { ...config.policy, allowances: [] } },
    market,
    spending: { spent: bot.journal.limits.spent, quoteSeen: bot.journal.swaps.quoteSeen },
    nextNonce: undefined,
    clock: bot.train.clock,
  })
  const { state, signed } = await swapNow({ reading: exact })
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
  expect(await allowed()).toEqual({ router: 0n, permit2: 0n })
  expect(await bot.verdicts()).toEqual([])
})

test('the probe plays it too', async () => {
  const { config, market } = bot
  const probed = readingStages({
    ...{ config, market: { ...market, play: simulateByProbe }, clock: bot.train.clock },
    spending: { spent: bot.journal.limits.spent, quoteSeen: bot.journal.swaps.quoteSeen },
    nextNonce: undefined,
  })
  const { state, signed } = await swapNow({ reading: probed })
  expect({ state, signed }).toEqual({
    state: 'SETTLED',
    signed: ['APPROVE', 'SWAP THROUGH PERMIT2'],
  })
})

test('a holder of the key that signs none: the router is approved, and Permit2 is not', async () => {
  await takeBack()
  const { address, sign } = bot.train.signer
  const { state, signed } = await swapNow({ signer: { address, sign } })
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
  expect(await allowed()).toEqual({ router: standing - 30_000_000n, permit2: 0n })
  expect(await bot.verdicts()).toEqual([])
  await takeBack()
})

test('a holder that refuses a transfer, as the signer process does: Permit2 is not approved either', async () => {
  const signPermit = async () => {
    throw ballastError('PERMIT_UNUSABLE', 'The holder of the key signs no such permit.')
  }
  const { state, signed } = await swapNow({ signer: { ...bot.train.signer, signPermit } })
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
  expect(await allowed()).toMatchObject({ permit2: 0n })
  await takeBack()
})

test('a token that says more than it lets Permit2 take: the router is approved instead', async () => {
  const { reading } = bot.train
  const { state, signed, swapId } = await swapNow({
    reading: {
      ...reading,
      async fund(one) {
        const { permit2, ...funded } = await reading.fund(one)
        return { ...funded, permit2: permit2 && { ...permit2, approvals: [] } }
      },
    },
  })
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
  expect(bot.permitsOf(swapId)).toMatchObject([{ sent: 0 }])
  await takeBack()
})

test('a Permit2 that marks more than the nonce of the swap: the router is approved instead', async () => {
  const { reading } = bot.train
  const { state, signed } = await swapNow({
    reading: {
      ...reading,
      async fund(one) {
        const { permit2, ...funded } = await reading.fund(one)
        // As if it had read otherwise before: what the swap marks is then not its nonce alone.
        return { ...funded, permit2: permit2 && { ...permit2, word: permit2.word ^ (2n ** 200n) } }
      },
    },
  })
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
  await takeBack()
})

const never: typeof bot.train.signer.signPermit = () => expect.unreachable('it was signed')

test('a nonce that was used: nothing is signed for it', async () => {
  const one = await planned(bot, wish)
  const { permit2 } = await bot.train.reading.fund(one)
  const nonce = permit2?.nonce ?? 0n
  await store(permit2Address, nonceSlotOf(wallet(), nonce), nonceBit(nonce).bit)
  expect((await bot.train.reading.fund(one)).permit2).toBeUndefined()
})

test('other code at the address of Permit2: the router is approved, and no permit is signed', async () => {
  const real = await fork.rpc.request(getCode(permit2Address))
  for (const code of ['0x', `${real.slice(0, -2)}00` as Hex, '0x60206000f3'] as const) {
    await fork.rpc.request(anvilCalls.setCode(permit2Address, code))
    const { state, signed, swapId } = await swapNow({
      signer: { ...bot.train.signer, signPermit: never },
    })
    expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
    expect(bot.permitsOf(swapId)).toEqual([])
    await takeBack()
  }
  await fork.rpc.request(anvilCalls.setCode(permit2Address, real))
})

test('a transfer uses less gas than an approval and a swap', async () => {
  const gasOf = async (swapId: string) => {
    const { attempts } = await bot.journal.swaps.load(swapId)
    const receipts = attempts.map(({ bytes }) => fork.rpc.request(getReceipt(bytes.hash)))
    return (await Promise.all(receipts)).reduce((sum, one) => sum + (one?.gasUsed ?? 0n), 0n)
  }
  const { address, sign } = bot.train.signer
  const two = await gasOf((await swapNow({ signer: { address, sign } })).swapId)
  await takeBack()
  await swapNow()
  const one = await gasOf((await swapNow()).swapId)
  expect(one).toBeLessThan(two)
})
