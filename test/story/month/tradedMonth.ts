import type { Database } from '../../../src/bot/journal/store/database.ts'
import { minuteMs } from '../../../src/core/spans.ts'
import { nativeAddress, type Token } from '../../../src/core/token.ts'
import { openTraded } from '../../cli/tradedJournal.ts'

const october = Date.UTC(2026, 9, 31, 23)
export const december = Date.UTC(2026, 11, 1)

/** What the wallet holds of each token, in its smallest unit, and the price of the coin in dollars. */
type Held = { eth: bigint; weth: bigint; usdc: bigint; price: bigint }

const one = 10n ** 18n

/**
 * A journal of November and its neighbours, written by the journal itself: valuations, two sales, a deposit, a withdrawal, a lock,
 * a refusal and missed slots. `foreign` stands in every text that comes from outside.
 */
export async function openMonth(
  cwd: string,
  { database, foreign = 'a node was away' }: { database?: Database; foreign?: string } = {},
) {
  const traded = await openTraded(cwd, database)
  const { journal, weth, usdc, chainId, wallet, waitUntil, sell, config } = traded
  const eth: Token = { chainId, address: nativeAddress, symbol: 'ETH', decimals: 18 }
  const unit = config.policy.notional.perSwap.token
  const held: Held = { eth: one, weth: 10n * one, usdc: 5_000_000_000n, price: 3_000n }

  /** Values what the wallet holds; the coin is 18 decimals, a dollar 8. */
  const value = async (at: number) => {
    const worth = (wei: bigint, decimals: bigint, price: bigint) => ({
      token: unit,
      wei: (wei * price * 10n ** 8n) / 10n ** decimals,
    })
    const sources = [`pool ${foreign}`]
    const holdings = [
      { held: { token: eth, wei: held.eth }, worth: worth(held.eth, 18n, held.price), sources },
      { held: { token: weth, wei: held.weth }, worth: worth(held.weth, 18n, held.price), sources },
      { held: { token: usdc, wei: held.usdc }, worth: worth(held.usdc, 6n, 1n), sources },
    ]
    await journal.valuations.record({
      ...{ chainId, wallet, at, unit },
      holdings: holdings.filter((one) => one.held.wei > 0n),
    })
  }
  const sale = async (slot: number, dollars: string) => {
    await sell({
      ...{ slot, indicated: dollars, decided: dollars, firm: dollars, received: dollars },
      strategy: `${foreign} sell`,
    })
    held.weth -= one
    held.usdc += BigInt(Math.round(Number(dollars) * 1e6))
    held.eth -= 200_000_000_000_000n
  }

  for (let hour = 0; hour < 4; hour += 1) await value(october + hour * 60 * minuteMs + 2_000)
  const november = (day: number, hour = 12) => Date.UTC(2026, 10, day, hour)
  await sale(november(20, 9), '3010.5')
  await value(november(20, 10))
  held.weth += 2n * one
  await value(november(21))
  held.price = 3_100n
  await sale(november(22), '3099.123456')
  await value(november(23))
  held.usdc -= 1_000_000_001n
  await value(november(24))
  await sell({ slot: november(25), indicated: '3000', firm: '2960', strategy: `${foreign} sell` })
  const { lock } = await journal.locks.open({
    ...{ kind: 'halt', scope: 'all', code: 'BY_HAND', expiresAt: undefined },
    reason: `because ${foreign}`,
  })
  await journal.slots.close({
    strategy: `${foreign} sell`,
    ...{ slot: november(26), upto: november(26, 13), slots: 2, calendar: '', state: 'missed' },
    reason: foreign,
  })
  await value(november(27))
  await value(december - 60 * minuteMs)
  waitUntil(december)
  await value(december + 3_000)
  return { ...traded, value, held, lock }
}
