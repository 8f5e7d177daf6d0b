import type { Policy } from '../bot/policy/policy.ts'
import { screen } from '../bot/policy/screen.ts'
import type { Intent, Plan } from '../bot/stages.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Amount } from '../core/amount.ts'
import { Refused } from '../core/check.ts'
import type { Price } from '../core/price.ts'
import { type Address, sameToken, type Token } from '../core/token.ts'
import type { Assumptions, createChance } from './assumptions.ts'
import type { Book } from './createBookReader.ts'
import type { Ledger } from './createLedger.ts'
import type { TapeMarket } from './createTapeMarket.ts'
import { count, type Tally } from './tally.ts'

/** What a replay takes from the configuration. */
export type Setting = {
  readonly chain: { readonly name: string; readonly chainId: number; readonly blockTimeMs: number }
  readonly tokens: {
    readonly bySymbol: ReadonlyMap<string, Token>
    readonly native: Token
    readonly wrapped: Token
  }
  readonly wallet: { readonly address: Address }
  readonly quote: { readonly expirySeconds: number; readonly slippageBps: number }
  readonly policy: Policy & { readonly unit: Token }
}

type World = {
  readonly setting: Setting
  readonly market: TapeMarket
  readonly assumptions: Assumptions
  readonly ledger: Ledger
  readonly chance: ReturnType<typeof createChance>
}

/** What was decided, when, and on what. */
type Decided = {
  readonly slot: number
  readonly at: number
  readonly book: Book
  readonly indication: Price | undefined
  /** Tells the draws of one slot apart. */
  readonly attempt: number
}

type End = {
  /** What time it is now. */
  readonly at: number
  /** Whether it came past the policy: a slot is begun only so often. */
  readonly begun: boolean
  readonly settled: boolean
}

const bps = 10_000n

/** A chance is never a certainty, however far the market moves. */
const fadeMax = 0.95

/** How a service fails, each as likely. */
const failures = ['429', '503', 'no answer'] as const

/**
 * Carries out an intent on the tape: screened by policy as it was decided, priced by the first book that came at least
 * the latency later, held to its floor, included some blocks after.
 */
export function createExecute(
  { setting, market, assumptions, ledger, chance }: World,
  { loaded, index, tally }: { loaded: LoadedStrategy; index: number; tally: Tally },
) {
  const { chain, tokens, wallet, quote, policy } = setting
  let swaps = 0

  function gasAt(now: number): Amount {
    const { gas, tip, baseFee } = assumptions
    const perGas = (market.headAt(now)?.baseFeePerGas ?? baseFee) + tip
    return Object.freeze({ token: tokens.native, wei: gas * perGas })
  }

  function planOf(intent: Intent, { slot, book, indication, attempt }: Decided): Plan {
    swaps += 1
    return {
      swapId: `replay-${loaded.name}-${swaps}`,
      key: `${loaded.name}:${slot}:${attempt}`,
      strategy: loaded.name,
      intent,
      wallet: wallet.address,
      recipient: wallet.address,
      slippageBps: quote.slippageBps,
      expirySeconds: quote.expirySeconds,
      indication,
      notional: market.worth(book, intent.sell),
    }
  }

  /** The policy's word on a plan: the check that failed, or nothing. */
  function refusal(plan: Plan, now: number): string | undefined {
    const spent = ledger.spent(plan, now)
    try {
      screen(plan, { policy, spent, now, absent: [] })
      return undefined
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return `refused by ${error.checks.find(({ ok }) => !ok)?.name ?? error.code}`
    }
  }

  /** What the wallet lacks, which a simulation would find. */
  function lack(sell: Amount, gas: Amount): string | undefined {
    const needed = sameToken(sell.token, gas.token) ? sell.wei + gas.wei : sell.wei
    const holds = (token: Token) =>
      ledger.balances().find((one) => sameToken(one.token, token))?.wei ?? 0n
    if (holds(sell.token) < needed) return `not enough ${sell.token.symbol}`
    return holds(gas.token) < gas.wei ? `not enough ${gas.token.symbol} for gas` : undefined
  }

  function swap(intent: Intent, decided: Decided): End {
    const { slot, at: now, book, attempt } = decided
    const plan = planOf(intent, decided)
    const unsent = (reason: string, end: Partial<End> = {}): End => {
      count(tally.unsent, reason)
      return { at: now, begun: true, settled: false, ...end }
    }
    const refused = refusal(plan, now) ?? lack(intent.sell, gasAt(now))
    if (refused !== undefined) return unsent(refused, { begun: false })

    const draw = (purpose: Parameters<typeof chance>[0]) =>
      chance(purpose, { strategy: index, slot, attempt })
    const askedUntil = now + assumptions.latencyMs
    if (draw('quote') < assumptions.fail) {
      const how = failures[Math.floor(draw('which') * failures.length)] ?? failures[0]
      return unsent(`firm quote failed: ${how}, by injection`, { at: askedUntil })
    }
    const look = market.firstFrom(askedUntil)
    if (look === undefined || look.at > askedUntil + quote.expirySeconds * 1_000)
      return unsent('no book to quote from before the quote had expired', { at: askedUntil })
    const { at: quotedAt } = look
    if (look.book === undefined)
      return unsent(`firm quote failed: the service ${look.why}, says the tape`, { at: quotedAt })
    const received = market.sell(look.book, intent)
    if (received === undefined) return unsent('no liquidity', { at: quotedAt })
    const minimum = (received.wei * (bps - BigInt(quote.slippageBps)) + bps - 1n) / bps
    if (minimum < intent.floor.wei)
      return unsent('expired unsent: the quote was below the floor', { at: quotedAt })

    const delay = 1 + Math.floor(draw('delay') * assumptions.delayBlocksMax)
    const includedAt = quotedAt + delay * chain.blockTimeMs
    const gas = gasAt(quotedAt)
    if (draw('fade') < fadeChance(plan, { quoted: look.book, includedAt })) {
      ledger.revert(plan, { at: includedAt, gas })
      tally.reverted += 1
      tally.revertedGas += gas.wei
      return { at: includedAt, begun: true, settled: false }
    }
    const price: Price = Object.freeze({ sold: intent.sell, bought: Object.freeze(received) })
    ledger.settle(plan, { at: includedAt, price, gas })
    tally.executions.push({
      slot,
      decidedAt: now,
      includedAt,
      price,
      middle: market.middle(book, intent.sell.token, intent.buy),
      gas,
      gasWorth: market.convert(look.book, gas, intent.buy),
    })
    return { at: includedAt, begun: true, settled: true }
  }

  /** The maker buys what is sold: the more that loses until it is included, the rather he would not. */
  function fadeChance(
    { intent: { sell, buy } }: Plan,
    { quoted, includedAt }: { quoted: Book; includedAt: number },
  ): number {
    const look = market.firstFrom(includedAt)
    // A tape with holes says nothing of the blocks inside of them.
    const isNear = look !== undefined && look.at <= includedAt + quote.expirySeconds * 1_000
    const later = isNear ? look.book : undefined
    const pair = market.pairOf(sell.token, buy)
    if (assumptions.fadePerBps === 0 || later === undefined || pair === undefined) return 0
    const [then, thereafter] = [market.rateAt(quoted, pair), market.rateAt(later, pair)]
    if (then === undefined || thereafter === undefined) return 0
    const moved = pair.side === 'sell' ? 1 - thereafter / then : thereafter / then - 1
    return Math.min(fadeMax, Math.max(0, moved * 1e4) * assumptions.fadePerBps)
  }

  return { swap, gasAt }
}
