import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, keccak256, numberToHex, parseAbi, toFunctionSelector } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { getBlock } from '../../src/chain/calls/node.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import { slotOf } from '../../src/chain/storage/layout.ts'
import { systemClock } from '../../src/core/clock.ts'
import { formatDecimal } from '../../src/core/decimal.ts'
import type { Address } from '../../src/core/token.ts'
import { createBreakers } from '../../src/engine/createBreakers.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import { balances } from '../support/balances.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBotAt } from '../support/openBotAt.ts'
import { openOpaqueBot } from '../support/openOpaqueBot.ts'
import { codeOf, placeToken } from '../support/placeToken.ts'
import { silent } from '../support/silent.ts'

const router: Address = '0x00000000000000000000000000000000f0e1611a'
const abi = parseAbi([
  'function swap(address sold, uint256 amount, address bought, uint256 out, uint256 minimum, uint256 deadline)',
])

let fork: Fork
let token: Awaited<ReturnType<typeof placeToken>>
let bot: Awaited<ReturnType<typeof openOpaqueBot>> | undefined
let plain: string
beforeAll(async () => {
  fork = await forkOrigin()
  plain = readFileSync(fork.ready.config, 'utf8')
  token = await placeToken(fork, 'USDC', 'RoundingToken')
  // So that hardly any amount is a whole number of shares.
  await token.store(5, price)
  await fork.rpc.request(anvilCalls.setCode(router, codeOf('MeasuringRouter')))
  const weth = fork.ready.tokens.WETH?.address ?? '0x'
  const base = numberToHex(3, { size: 32 })
  await fork.rpc.request({
    method: 'anvil_setStorageAt',
    params: [
      weth,
      slotOf({ base, keyFirst: true }, [router]),
      numberToHex(100n * 10n ** 18n, { size: 32 }),
    ],
    parse: (answer) => answer,
  })
})
afterEach(async () => {
  await bot?.close()
  bot = undefined
  await token.store(7, 0n)
})
afterAll(() => fork.close())

const price = 1_000_000_333n
const scale = 1_000_000_000n

/** A sale of which the wallet's balance shows so many units more than its amount. */
async function wishOff(by: bigint, fee = 0n) {
  const shares = await fork.rpc.request(
    readContract({
      address: token.address,
      abi: parseAbi(['function sharesOf(address) view returns (uint256)']),
      functionName: 'sharesOf',
      args: [fork.ready.wallets.treasury?.address ?? '0x'],
    }),
  )
  const held = (own: bigint) => (own * price) / scale
  for (let wei = 1_000_000_001n; ; wei += 1n) {
    const left = held(shares) - held(shares - (wei * scale) / price - fee)
    if (left === wei + by)
      return { sell: `${formatDecimal(wei, 6)} USDC`, buy: 'WETH', floor: '0.3 WETH' }
  }
}

/** Sells through a router of somebody else's that pays for what arrives. */
async function open(rounding = '') {
  const config = join(fork.dataDir, 'rounding.yaml')
  writeFileSync(
    config,
    plain
      .replace(/^( {2}USDC: \{)/m, `$1${rounding}`)
      .replace(/^ {2}router: .*$/m, `  router: "${router}"`)
      .replace(
        /^ {2}routerCodeHash: .*$/m,
        `  routerCodeHash: "${keccak256(codeOf('MeasuringRouter'))}"`,
      ),
  )
  const deadlineOf = (orders: unknown) =>
    BigInt((orders as { deadlineTimestamp: number }[])[0]?.deadlineTimestamp ?? 0)
  const amount = (text: unknown) => BigInt(String(text))
  bot = await openOpaqueBot(
    { ...fork, ready: { ...fork.ready, config } },
    {
      selectors: [toFunctionSelector(abi[0])],
      bend: (body) => ({
        ...body,
        txRequest: {
          ...(body.txRequest as object),
          target: router,
          calldata: encodeFunctionData({
            abi,
            functionName: 'swap',
            args: [
              fork.ready.tokens.USDC?.address ?? '0x',
              amount(body.amountIn),
              fork.ready.tokens.WETH?.address ?? '0x',
              amount(body.amountOut),
              (amount(body.amountOut) * 999n) / 1_000n,
              deadlineOf(body.orders),
            ],
          }),
        },
      }),
    },
  )
  return bot
}

const failed = (failure: unknown) =>
  ((failure as { checks?: { name: string; ok: boolean; actual: string }[] }).checks ?? []).filter(
    ({ ok }) => !ok,
  )

describe('a token that rounds', () => {
  test('is refused in a sentence that names the key, and nothing but an approval is signed', async () => {
    const { swap } = await open()
    const { failure, record } = await swap(await wishOff(-1n))
    expect(failed(failure)).toMatchObject([{ name: 'simulate.spent' }])
    expect(failed(failure)[0]?.actual).toMatch(
      /^1000[.\d]* USDC, 1 wei off: where USDC rounds, as stETH and aTokens do, write rounding: 2 wei at tokens\.USDC$/,
    )
    expect(record.attempts.filter(({ kind }) => kind === 'SWAP')).toEqual([])
  })

  test('settles with its rounding declared, locks nothing, and the books agree with the chain', async () => {
    const { swap, journal, config, market, where } = await open(' rounding: 2 wei,')
    // One more than the transfer says, which would be a loss of any other token.
    await token.store(7, 1n)
    const wish = await wishOff(1n, 1n)
    const look = async () => {
      const { USDC: wei = 0n } = await balances(fork.rpc, fork.ready)
      const { number } = z
        .object({ number: z.number() })
        .parse(await fork.rpc.request(getBlock('latest')))
      const usdc = config.tokens.bySymbol.get('USDC')
      if (usdc === undefined) throw new Error('the sandbox has USDC')
      const { chain, wallet, tokens } = config
      const missing = await journal.wallet.balanceLedger({
        ...{ chainId: chain.chainId, wallet: wallet.address, rounding: tokens.rounding },
        ...{ balances: [{ token: usdc, wei }], block: number },
      })
      return { wei, missing }
    }
    const before = await look()
    const { record, failure, swapId } = await swap(wish)
    expect(failure).toBeUndefined()
    expect(record).toMatchObject({ state: 'SETTLED', agrees: false })
    const after = await look()
    expect(before.wei - after.wei).toBe(BigInt(record.sold?.wei ?? 0) + 1n)
    expect(after.missing).toEqual([])
    const log = silent
    await createBreakers({ config, journal, market, clock: systemClock, log }).atEnd(swapId)
    expect(await journal.locks.live()).toEqual([])
    const settled = (await journal.log.ofSwap(swapId)).find(({ type }) => type === 'SETTLED')
    expect(settled?.facts).toMatchObject({ short: false, rounded: true })
    await bot?.close()
    bot = undefined
    const { code, stdout } = await callCli(['reconcile', '--config', where.ready.config], {
      cwd: fork.dataDir,
    })
    expect([code, stdout]).toEqual([0, expect.stringContaining('I5')])
  })

  test('that takes more than it rounds is refused all the same', async () => {
    const { swap } = await open(' rounding: 2 wei,')
    await token.store(7, 50n)
    const { failure } = await swap(await wishOff(50n, 50n))
    expect(failed(failure)).toMatchObject([{ name: 'simulate.spent' }])
    expect(failed(failure)[0]?.actual).toContain('takes a fee or changes balances in a transfer')
  })

  test('is refused by a router that takes exact amounts only, and the sentence says so', async () => {
    const config = join(fork.dataDir, 'exact.yaml')
    writeFileSync(config, plain.replace(/^( {2}USDC: \{)/m, '$1 rounding: 2 wei,'))
    const own = await openBotAt({ ...fork, ready: { ...fork.ready, config } }, fork.ready.rpcUrl)
    const { failure } = await own.swap(await wishOff(-1n))
    await own.close()
    const words = failed(failure).map(({ actual }) => actual)
    expect(words.join()).toContain('this router takes exact amounts only')
  })
})
