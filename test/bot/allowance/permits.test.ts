import { readFileSync, writeFileSync } from 'node:fs'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { printOutcomes, wouldSwap } from '../../../src/app/outcome.ts'
import { readingStages } from '../../../src/app/readingStages.ts'
import { createSigner } from '../../../src/bot/sign/createSigner.ts'
import { localKey } from '../../../src/bot/sign/localKey.ts'
import { preview } from '../../../src/bot/swap.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { getReceipt } from '../../../src/chain/calls/getReceipt.ts'
import { readContract } from '../../../src/chain/calls/readContract.ts'
import { simulateByProbe } from '../../../src/chain/calls/simulateByProbe.ts'
import { decodeSwapCall } from '../../../src/chain/settlement/codec.ts'
import { isTransfer, permitAbi } from '../../../src/chain/settlement/permit.ts'
import { ballastError } from '../../../src/core/errors.ts'
import { secret } from '../../../src/core/secret.ts'
import type { Address } from '../../../src/core/token.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'
import { placeToken } from '../../support/placeToken.ts'
import { planned } from '../../support/planned.ts'
import { transact } from '../../support/transact.ts'

/** How contracts/src/tokens/MoodyPermitToken.sol counts its moods. */
const moods = {
  honest: 0,
  'of another chain': 1,
  'of another contract': 2,
  'that grants more': 4,
  'that lets a thief take as well': 5,
  'that does nothing': 6,
  'that reverts': 7,
  'that comes back': 8,
  'as DAI has it': 9,
  'that explodes': 10,
  'that takes something': 11,
  'that can be given again': 12,
  'that grants less': 13,
  // The last: while the permit it led to can still be used, none of a lower nonce is signed.
  'that lies about its nonce': 3,
} as const

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
let feel: (mood: keyof typeof moods) => Promise<unknown>
const usdc = () => fork.ready.tokens.USDC?.address as Address

beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  const { config } = fork.ready
  const yaml = readFileSync(config, 'utf8')
  writeFileSync(config, yaml.replace('policy:\n', 'policy:\n  permits: [USDC]\n'))
  const { store } = await placeToken(fork, 'USDC', 'MoodyPermitToken')
  feel = (mood) => store(5, BigInt(moods[mood]))
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})
beforeEach(() => feel('honest'))

const wallet = () => bot.config.wallet.address
const ask = (functionName: 'allowance' | 'nonces') =>
  fork.rpc.request(
    functionName === 'nonces'
      ? readContract({ address: usdc(), abi: permitAbi, functionName, args: [wallet()] })
      : readContract({
          ...{ address: usdc(), abi: erc20Abi, functionName },
          args: [wallet(), fork.ready.router],
        }),
  )

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
  return attempts.map(({ bytes }) => {
    const { kind, transaction } = bytes
    if (kind !== 'SWAP') return kind
    return decodeSwapCall(transaction.data).permit === undefined ? 'SWAP' : 'SWAP WITH PERMIT'
  })
}

async function swapNow(bent: Parameters<typeof bot.swap>[1] = {}) {
  const { record, failure, swapId } = await bot.swap(wish, { ...fast, ...bent })
  return { state: record.state, failure, swapId, signed: await signedFor(swapId) }
}

test('a swap brings its allowance along, uses it up, and the books agree', async () => {
  const { state, signed } = await swapNow()
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['SWAP WITH PERMIT'] })
  expect([await ask('allowance'), await ask('nonces')]).toEqual([0n, 1n])
  expect(await bot.verdicts()).toEqual([])
})

test('a dry run plays an approval in its place, signs nothing, and says what would come along', async () => {
  const plan = await planned(bot, wish)
  const seen = await preview(plan, bot.train.reading)
  expect(seen.approvals).toHaveLength(1)
  expect(seen.signedPermit).toBeUndefined()
  expect(bot.permitsOf(seen.swapId)).toEqual([])
  const outcome = wouldSwap(plan, seen)
  expect(outcome.sends).toMatchObject({ transactions: 1, permit: { text: '30', token: 'USDC' } })
  expect(printOutcomes([outcome], false)).toContain(
    '\n  permit      30 USDC come along in the one transaction, where the key signs it; unsigned, an approval was played in its place, and its gas counts for it\n',
  )
})

test('the gas that a dry run shows is what a swap with a permit uses, or up to 8 % more', async () => {
  // The first of a wallet writes slots that later ones change.
  await swapNow()
  const plan = await planned(bot, wish)
  const { simulation } = wouldSwap(plan, await preview(plan, bot.train.reading))
  const { swapId } = await swapNow()
  const [attempt] = (await bot.journal.swaps.load(swapId)).attempts
  const used = (await fork.rpc.request(getReceipt(attempt?.bytes.hash ?? '0x')))?.gasUsed ?? 0n
  expect(Number(simulation?.gas)).toBeGreaterThanOrEqual(Number(used))
  expect(Number(simulation?.gas)).toBeLessThan(Number(used) * 1.08)
})

test('it is stored before any endpoint sees it, and only its own call brings it along', async () => {
  const stored: number[] = []
  const reading: typeof bot.train.reading = {
    ...bot.train.reading,
    simulate(permitted) {
      stored.push(bot.permitsOf(permitted.swapId).length)
      return bot.train.reading.simulate(permitted)
    },
  }
  const { swapId } = await swapNow({ reading })
  expect(stored).toEqual([1])
  expect(bot.permitsOf(swapId)).toMatchObject([{ sent: 1, wei: '30000000' }])
})

test('the probe plays it too', async () => {
  const reading = readingStages({
    config: bot.config,
    market: { ...bot.market, play: simulateByProbe },
    spending: { spent: bot.journal.limits.spent, quoteSeen: bot.journal.swaps.quoteSeen },
    nextNonce: undefined,
    clock: bot.train.clock,
  })
  const { state, signed } = await swapNow({ reading })
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['SWAP WITH PERMIT'] })
})

test('under a halt none is signed', async () => {
  const { id } = (
    await bot.journal.locks.open({
      ...{ kind: 'halt', scope: 'all', code: 'BY_HAND', reason: 'x', expiresAt: undefined },
    })
  ).lock
  const late: typeof bot.train.signer.signPermit = () => expect.unreachable('it was signed')
  const { failure } = await swapNow({ signer: { ...bot.train.signer, signPermit: late } })
  expect(failure).toMatchObject({ code: 'LOCKED' })
  await bot.journal.locks.release({ id, reason: 'seen' })
})

test('a holder of the key that signs none: an approval does instead', async () => {
  const { address, sign } = bot.train.signer
  const { state, signed } = await swapNow({ signer: { address, sign } })
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
})

test('a holder of the key that refuses one: an approval does instead, and the log says why', async () => {
  const key = localKey(secret(fork.ready.wallets.treasury?.privateKey ?? '0x'))
  const refuses = async () => {
    throw ballastError('SIGNER_REFUSED', 'Not this one.', { rule: 'FAR_DEADLINE' })
  }
  const troubles: unknown[] = []
  const { state, signed, swapId } = await swapNow({
    signer: createSigner({ ...key, signPermit: refuses }, wallet()),
    onTrouble: (_, error) => troubles.push(error),
  })
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
  expect(bot.permitsOf(swapId)).toEqual([])
  expect(troubles).toMatchObject([{ code: 'PERMIT_UNUSABLE', facts: { rule: 'FAR_DEADLINE' } }])
})

test('one transaction uses less gas than two', async () => {
  const gasOf = async (swapId: string) => {
    const { attempts } = await bot.journal.swaps.load(swapId)
    const receipts = attempts.map(({ bytes }) => fork.rpc.request(getReceipt(bytes.hash)))
    return (await Promise.all(receipts)).reduce((sum, one) => sum + (one?.gasUsed ?? 0n), 0n)
  }
  const { address, sign } = bot.train.signer
  const two = await gasOf((await swapNow({ signer: { address, sign } })).swapId)
  const one = await gasOf((await swapNow()).swapId)
  expect(one).toBeLessThan(two)
})

/** Gives the permit of a call to the token, as anybody can who saw it. */
async function giveFirst(data: Hex) {
  const { permit, swap } = decodeSwapCall(data)
  if (permit === undefined || isTransfer(permit)) throw new Error('it brings a permit along')
  const { deadline, v, r, s } = permit
  await transact(fork.rpc, {
    privateKey: fork.ready.makers[Object.keys(fork.ready.makers)[0] ?? '']?.privateKey ?? '0x',
    to: usdc(),
    data: encodeFunctionData({
      abi: parseAbi(['function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)']),
      args: [wallet(), fork.ready.router, swap.amountIn, deadline, v, r, s],
    }),
  })
}

test('somebody who gives it to the token first changes nothing', async () => {
  const before = await ask('nonces')
  const { state, signed } = await swapNow({
    async broadcast(bytes) {
      await giveFirst(bytes.transaction.data)
      return bot.train.broadcast(bytes)
    },
  })
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['SWAP WITH PERMIT'] })
  expect([await ask('allowance'), await ask('nonces')]).toEqual([0n, (before ?? 0n) + 1n])
})

test('what a dead swap’s permit left behind is told, locks nothing, and the next swap uses it', async () => {
  const { failure } = await swapNow({
    reading: {
      ...bot.train.reading,
      async simulate(permitted) {
        await bot.train.reading.simulate(permitted)
        await giveFirst(permitted.call.data)
        throw ballastError('INTERRUPTED', 'The test ends it here.')
      },
    },
  })
  expect(failure).toMatchObject({ code: 'INTERRUPTED' })
  expect(await ask('allowance')).toBe(30_000_000n)
  expect(await bot.verdicts()).toEqual(['PERMIT_LEFT'])
  const { state, signed } = await swapNow()
  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['SWAP'] })
  expect(await ask('allowance')).toBe(0n)
  expect(await bot.verdicts()).toEqual([])
})

test('a swap that dies before anybody saw its permit leaves nothing, and the next one signs for the same nonce', async () => {
  const dead = await swapNow({
    reading: {
      ...bot.train.reading,
      async simulate() {
        throw ballastError('INTERRUPTED', 'The test ends it here.')
      },
    },
  })
  expect(dead).toMatchObject({ failure: { code: 'INTERRUPTED' }, signed: [] })
  expect(await ask('allowance')).toBe(0n)
  const next = await swapNow()
  expect(next).toMatchObject({ state: 'SETTLED', signed: ['SWAP WITH PERMIT'] })
  const [unused, used] = [...bot.permitsOf(dead.swapId), ...bot.permitsOf(next.swapId)]
  expect([unused?.sent, used?.sent, used?.nonce]).toEqual([0, 1, unused?.nonce])
  expect(await ask('allowance')).toBe(0n)
  expect(await bot.verdicts()).toEqual([])
})

test('a nonce that was used up already, of an endpoint that lags: none is stored for it', async () => {
  await swapNow()
  const reading: typeof bot.train.reading = {
    ...bot.train.reading,
    async fund(one) {
      const funded = await bot.train.reading.fund(one)
      const { tokenPermit } = funded
      if (tokenPermit === undefined) return funded
      return { ...funded, tokenPermit: { ...tokenPermit, nonce: tokenPermit.nonce - 1n } }
    },
  }
  const { state, signed, swapId } = await swapNow({ reading })

  expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
  expect(bot.permitsOf(swapId)).toEqual([])
})

const told: readonly string[] = ['of another chain', 'of another contract', 'as DAI has it']

describe('a permit', () => {
  for (const mood of Object.keys(moods).slice(1) as (keyof typeof moods)[])
    test(`${mood}: is not used, and an approval does instead`, async () => {
      await feel(mood)
      const { state, signed, swapId } = await swapNow()
      expect({ state, signed }).toEqual({ state: 'SETTLED', signed: ['APPROVE', 'SWAP'] })
      expect(await ask('allowance')).toBe(0n)
      // Those that can be told from what the token says of itself are never signed for.
      expect(bot.permitsOf(swapId)).toHaveLength(told.includes(mood) ? 0 : 1)
    })
})
