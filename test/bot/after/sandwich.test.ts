import { encodeFunctionData as encode, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readBlock } from '../../../src/bot/after/readBlock.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { getTransactionCount } from '../../../src/chain/calls/account.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { getBlock } from '../../../src/chain/calls/node.ts'
import { readContract } from '../../../src/chain/calls/readContract.ts'
import { sendRawTransaction } from '../../../src/chain/calls/sendRawTransaction.ts'
import type { Address } from '../../../src/core/token.ts'
import { accountsOf, type SandboxAccount } from '../../../src/sandbox/accounts.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>

beforeAll(async () => {
  // No maker buys WETH, so pools take all of it.
  fork = await forkOrigin({
    world: (world) => ({
      ...world,
      makers: world.makers.map((maker) => ({
        ...maker,
        books: [{ pair: ['WETH', 'USDC'], bid: [], ask: [['1', '9000']], minimumInBase: '0.01' }],
      })) as typeof world.makers,
    }),
  })
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot.close()
  await fork.close()
})

const pairAbi = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
  'function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)',
])

const transfer = { abi: erc20Abi, functionName: 'transfer' } as const

/** What a pair gives for a sale: its own formula. */
const boughtFor = (sold: bigint, [into, from]: readonly [bigint, bigint]) =>
  (sold * 997n * from) / (into * 1000n + sold * 997n)

/** One sale before what waits, and one behind it; `way` of the second: back, or the same once more. */
async function surround(pool: Address, second: 'back' | 'same') {
  const { rpc, world, ready } = fork
  const { arbitrageur, makers } = accountsOf(world)
  const other = makers.values().next().value
  if (other === undefined) throw new Error('the world has makers')
  const [weth, usdc] = [ready.tokens.WETH?.address ?? '0x', ready.tokens.USDC?.address ?? '0x']
  const [reserve0, reserve1] = await rpc.request(
    readContract({ address: pool, abi: pairAbi, functionName: 'getReserves', args: [] }),
  )
  const isWethFirst = BigInt(weth) < BigInt(usdc)
  const reserves = isWethFirst ? [reserve0, reserve1] : [reserve1, reserve0]
  const wei = 10n ** 17n
  const usdcOut = boughtFor(wei, reserves as [bigint, bigint])
  const out = (token: Address, amount: bigint) =>
    (token === weth) === isWethFirst ? [amount, 0n] : [0n, amount]
  const latest = await rpc.request(getBlock('latest'))
  const base = latest?.baseFeePerGas ?? 0n
  /** anvil puts those who would pay the most first. */
  const trade = async (
    { account }: SandboxAccount,
    {
      perGas,
      ...sale
    }: { perGas: bigint; sell: Address; sold: bigint; buy: Address; bought: bigint },
  ) => {
    const nonce = await rpc.request(getTransactionCount(account.address, 'latest'))
    const swap = [...out(sale.buy, sale.bought), account.address, '0x'] as const
    return Promise.all(
      [
        { to: sale.sell, data: encode({ ...transfer, args: [pool, sale.sold] }) },
        { to: pool, data: encode({ abi: pairAbi, functionName: 'swap', args: swap as never }) },
      ].map((call, place) =>
        account.signTransaction({
          ...{ ...call, type: 'eip1559', chainId: world.chain.chainId, nonce: nonce + place },
          ...{ gas: 300_000n, maxFeePerGas: perGas, maxPriorityFeePerGas: perGas - base },
        }),
      ),
    )
  }
  const front = { perGas: 100n * base + 50_000_000_000n, sell: weth, sold: wei, buy: usdc }
  const behind = (base * 9n) / 8n + 1n
  const raws = [
    ...(await trade(arbitrageur, { ...front, bought: usdcOut })),
    // The pool has moved: less than it would have given is taken.
    ...(second === 'back'
      ? await trade(other, {
          perGas: behind,
          sell: usdc,
          sold: usdcOut,
          buy: weth,
          bought: wei / 2n,
        })
      : await trade(other, { ...front, perGas: behind, bought: usdcOut / 2n })),
  ]
  for (const outcome of await rpc.batch(raws.map(sendRawTransaction)))
    if (!outcome.ok) throw outcome.error
}

test.each([
  { second: 'back', suspected: true },
  { second: 'same', suspected: false },
] as const)(
  'a real block: a sale before the swap, $second behind it: like a sandwich is $suspected',
  async ({ second, suspected }) => {
    const { router } = bot.config.service
    const pool = inject('origin').deployment.pools[0]
    if (pool === undefined) throw new Error('the world has pools')
    let isSurrounded = false
    const broadcast: typeof bot.train.broadcast = async (bytes) => {
      if (bytes.kind !== 'SWAP' || isSurrounded) return bot.train.broadcast(bytes)
      isSurrounded = true
      // No block comes before somebody is at both sides of it.
      await fork.rpc.request(anvilCalls.mineEvery(0))
      try {
        const answer = await bot.train.broadcast(bytes)
        await surround(pool, second)
        return answer
      } finally {
        await fork.rpc.request(anvilCalls.mineEvery(1))
      }
    }
    const { record, swapId } = await bot.swap(
      { sell: '2 WETH', buy: 'USDC', floor: '1 USDC', expirySeconds: 60 },
      { broadcast },
    )
    expect(record.state).toBe('SETTLED')
    const [dossier] = await bot.journal.swaps.dossiers([swapId])
    const block = await fork.rpc.request(getBlock(dossier?.block ?? 0))
    const hash = dossier?.attempts.at(-1)?.hash as Hex | undefined
    if (block === undefined || hash === undefined) throw new Error('it was mined')
    const { neighbours } = await readBlock(fork.rpc, { blockHash: block.hash, hash, router })
    expect(neighbours).toMatchObject({ before: 1, after: 1, suspected })
    expect(neighbours.nearest).toMatchObject([
      { pool: pool.toLowerCase(), place: 'before', side: 'same' },
      { pool: pool.toLowerCase(), place: 'after', side: suspected ? 'opposite' : 'same' },
    ])
  },
)
