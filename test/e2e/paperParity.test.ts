import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onPaper } from '../../src/app/onPaper.ts'
import { openMarket } from '../../src/app/openMarket.ts'
import { openPaper } from '../../src/app/openPaper.ts'
import { findSlots } from '../../src/bot/paper/findSlots.ts'
import { parityOf } from '../../src/bot/report/createParityTally.ts'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { parseAmount } from '../../src/core/amount.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { planned, type Wish } from '../support/planned.ts'

/** The same market twice: what one of them fills on paper, the other settles for real. */
let paperFork: Fork
let liveFork: Fork

beforeEach(async () => {
  ;[paperFork, liveFork] = await Promise.all([forkOrigin(), forkOrigin()])
})
afterEach(async () => {
  await Promise.all([paperFork.close(), liveFork.close()])
})

/** Fills wishes one after another on paper, with no key in sight. */
async function fillOnPaper({ ready, dataDir }: Fork, wishes: readonly Wish[]) {
  const file = join(dataDir, 'paper.yaml')
  writeFileSync(file, readFileSync(ready.config, 'utf8'))
  const environment = {}
  const config = onPaper(loadConfig({ file, environment, cwd: dataDir, needs: 'market' }))
  const market = await openMarket(config, systemClock)
  const engine = await openPaper({ config, market, clock: systemClock, balances: undefined })
  const { journal } = engine
  const driver = engine.driverFor(config)
  try {
    const fills = []
    for (const wish of wishes) {
      const plan = await planned({ config, market }, wish)
      const { swapId } = plan
      await journal.swaps.reserve(plan, () => {})
      await driver.drive(plan, new AbortController().signal)
      fills.push({
        record: await journal.swaps.record(swapId),
        proof: await journal.swaps.evidence(swapId),
      })
    }
    return fills
  } finally {
    await engine.close()
    await market.close()
  }
}

/** What the router may take of what is sold, as somebody left it: written where the token keeps it. */
async function allow({ rpc }: Fork, { wallet, service, tokens }: Config, amount: string) {
  const { token, wei } = parseAmount(amount, tokens.bySymbol)
  const slots = await findSlots(rpc, {
    wallet: wallet.address,
    router: service.router,
    tokens: [token],
  })
  const slot = slots.allowances.get(token.address.toLowerCase())
  const word = `0x${wei.toString(16).padStart(64, '0')}`
  const method = 'anvil_setStorageAt'
  await rpc.request({ method, params: [token.address, slot, word], parse: (answer) => answer })
}

type Way = Wish & {
  /** What the router may take before the first of two swaps. */
  readonly standing?: string
  /** Approvals of the first, and of the second. */
  readonly approvals: readonly [number, number]
}

const ways: readonly Way[] = [
  { sell: '1 WETH', buy: 'USDC', floor: '1 USDC', approvals: [1, 1] },
  { sell: '1 WETH', buy: 'USDC', floor: '1 USDC', standing: '1 WETH', approvals: [0, 1] },
  { sell: '1 WETH', buy: 'USDC', floor: '1 USDC', standing: '5 WETH', approvals: [2, 1] },
  { sell: '1000 USDC', buy: 'WETH', floor: '0.0001 WETH', approvals: [1, 1] },
  { sell: '1 ETH', buy: 'USDC', floor: '1 USDC', approvals: [0, 0] },
  { sell: '1000 USDC', buy: 'ETH', floor: '0.0001 ETH', approvals: [1, 1] },
]

describe('parity', () => {
  for (const { approvals, standing, ...wish } of ways)
    test(`${wish.sell} for ${wish.buy}${standing === undefined ? '' : `, ${standing} allowed`}: on paper it is what it is for real, twice, to the wei`, async () => {
      const bot = await openBot(liveFork)
      try {
        if (standing !== undefined)
          for (const fork of [paperFork, liveFork]) await allow(fork, bot.config, standing)
        // The second finds what the first left behind: money moved, and no allowance.
        const fills = await fillOnPaper(paperFork, [wish, wish])
        for (const [index, { record: fill, proof }] of fills.entries()) {
          const { record, failure } = await bot.swap(wish)
          expect([failure, record.state, fill?.state]).toEqual([undefined, 'SETTLED', 'SETTLED'])
          expect({ sold: fill?.sold, received: fill?.received }).toEqual({
            sold: record.sold,
            received: record.received,
          })
          expect(fill?.txHash).toBe(null)

          // Of one and the same quote nothing differs, gas included.
          const parity = parityOf(record, await bot.journal.swaps.evidence(record.id))
          for (const compared of [parity?.sold, parity?.received, parity?.gasUsed])
            expect(compared?.realised).toBe(compared?.predicted)
          // Two quotes have other signatures, and a byte of them that is zero costs 12 gas less.
          const apart = Number(BigInt(fill?.gasUsed ?? 0) - BigInt(record.gasUsed ?? 0))
          expect(Math.abs(apart)).toBeLessThanOrEqual(12 * 8)

          // Approvals cost what the real ones cost.
          const real = record.attempts.filter(({ kind }) => kind === 'APPROVE')
          expect(real).toHaveLength(approvals[index] ?? -1)
          const used = await Promise.all(real.map(({ hash }) => gasUsedBy(liveFork, hash)))
          const sum = used.reduce((all, one) => all + one, 0n)
          expect(BigInt(proof?.simulation.approvalGas ?? -1)).toBe(sum)
        }
      } finally {
        await bot.close()
      }
    })
})

const gasUsedBy = ({ rpc }: Fork, hash: string): Promise<bigint> =>
  rpc.request({
    method: 'eth_getTransactionReceipt',
    params: [hash],
    parse: (answer) => BigInt((answer as { gasUsed: string }).gasUsed),
  })
