import { keccak256 } from 'viem'
import type { OpaqueQuote } from '../../api/opaqueQuote.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { type Amount, show } from '../../core/amount.ts'
import { type Checklist, createChecklist } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { type Rounding, roundingOf } from '../../core/rounding.ts'
import { type Address, isNative, sameAddress, sameToken } from '../../core/token.ts'
import { pass, type Quoted, type Verified } from '../stages.ts'

/** The known facts about a foreign router, without understanding it. */
export type OpaquePins = {
  readonly router: Address
  /** Functions that may be called. */
  readonly selectors: readonly Hex[]
  /** The most one swap may be worth, in the unit of account. */
  readonly notionalMax: Amount
  readonly timeToDeadlineSecondsMin: number
  /** How far transfers of a token may be off by its own rounding. */
  readonly rounding?: Rounding
}

const bps = 10_000n

/** Bytes: call data is looked through for every address in it, and no router of the field needs so much. */
const calldataMax = 16_384

/** The service's clock may run this far ahead of ours, in seconds. */
const clockSlackSeconds = 5

/**
 * Holds the quote of a foreign router to the facts that can be known without reading its calldata: target, function,
 * value, amounts as claimed, deadlines as claimed. The simulation must prove the real effect of the call, and the
 * amount at stake is limited.
 */
export function createVerifyOpaque({ pins, clock }: { pins: OpaquePins; clock: Clock }) {
  return async function verifyOpaque(quoted: Quoted): Promise<Verified> {
    const quote: OpaqueQuote = quoted.quote
    const { intent, wallet, recipient, slippageBps, notional } = quoted
    const { target, calldata, value } = quote.txRequest
    const checks = createChecklist('verify', { remedy: 'requote' })
    const selector = calldata.slice(0, 10).toLowerCase()
    checks.equal('router', pins.router, target)
    checks.holds(
      'selector',
      pins.selectors.some((one) => one === selector),
      `one of ${pins.selectors.join(', ') || 'none'}`,
      selector,
    )
    const bytes = calldata.length / 2 - 1
    checks.holds('calldata-size', bytes <= calldataMax, `at most ${calldataMax} bytes`, bytes)
    checks.equal('value', isNative(intent.sell.token) ? intent.sell.wei : 0n, value)
    checks.equal('amount-in', intent.sell.wei, quote.amountIn)
    checks.holds(
      'json-recipient',
      quote.recipient === undefined ||
        [wallet, recipient].some((one) => sameAddress(one, quote.recipient ?? '')),
      recipient,
      quote.recipient,
    )
    checks.holds(
      'opaque-notional',
      notional !== undefined &&
        sameToken(notional.token, pins.notionalMax.token) &&
        notional.wei <= pins.notionalMax.wei,
      `at most ${show(pins.notionalMax)} through a router that cannot be read`,
      notional === undefined ? 'not valued' : show(notional),
    )

    const amountOut = { token: intent.buy, wei: BigInt(quote.amountOut) }
    const tolerated = amountOut.wei * (bps - BigInt(slippageBps))
    const least = { token: intent.buy, wei: (tolerated + bps - 1n) / bps }
    checks.holds(
      'floor',
      least.wei >= intent.floor.wei,
      `at least ${show(intent.floor)}`,
      show(least),
    )
    // Routers round their own minimum down, and deliver it by a transfer of the token.
    const delivered = tolerated / bps - roundingOf(pins.rounding, intent.buy)
    const minimum = { token: intent.buy, wei: delivered > 1n ? delivered : 1n }
    const deadline = checkDeadlines(quoted, { pins, now: Math.floor(clock.now() / 1_000) }, checks)
    return pass<Verified>({
      ...quoted,
      call: { to: target, data: calldata, value: BigInt(value) },
      swap: undefined,
      orders: [],
      authorization: undefined,
      // Its own id means nothing to a router that we cannot read, and a service may repeat it: the same call is never made twice.
      quoteId: keccak256(calldata),
      deadline,
      amountOut,
      minimum,
      checks: checks.conclude(),
    })
  }
}

/** The first of the deadlines claimed: all of them are late enough to be mined by, and none is further than asked for. */
function checkDeadlines(
  { quote, expirySeconds }: Quoted,
  { pins, now }: { pins: OpaquePins; now: number },
  checks: Checklist,
): number {
  const claimed: OpaqueQuote = quote
  const deadlines = claimed.orders.map(({ deadlineTimestamp }) => deadlineTimestamp)
  const deadline = Math.min(...deadlines)
  const soonest = now + pins.timeToDeadlineSecondsMin
  const furthest = now + expirySeconds + clockSlackSeconds
  checks.holds(
    'deadline-far-enough',
    deadline >= soonest,
    `at least ${soonest}, ${pins.timeToDeadlineSecondsMin} s (policy.minTimeToDeadline) from now`,
    deadline,
  )
  checks.holds(
    'deadline-near-enough',
    Math.max(...deadlines) <= furthest,
    `at most ${furthest}, the ${expirySeconds} s that were asked for`,
    Math.max(...deadlines),
  )
  return deadline
}
