import type { FirmQuote } from '../../api/firmQuote.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import {
  decodeExactInput,
  decodeOrders,
  encodeExactInput,
  encodeOrders,
  exactInputSelector,
} from '../../chain/settlement/codec.ts'
import type { ExactInput, SignedOrder } from '../../chain/settlement/order.ts'
import { assert } from '../../core/assert.ts'
import type { Checklist } from '../../core/check.ts'
import type { Quoted } from '../stages.ts'
import type { Pins } from './pins.ts'

/** The real content of the calldata. */
export type Decoded = { readonly swap: ExactInput; readonly orders: readonly SignedOrder[] }

/** As many as the router runs. */
const ordersMax = 8

/** `0x` and 8 kB in hex; eight orders with fallbacks take six. A list that points at one long text many times decodes to gigabytes. */
const callDigitsMax = 2 + 2 * 8_192

/**
 * Reads the transaction. Concludes at once when it is not a call of `exactInput` with orders inside,
 * since nothing further could be compared.
 *
 * viem's decoder tolerates trailing bytes and dirty address bits, so both layers are encoded again
 * and must come out byte for byte.
 */
export function decode({ quote }: Quoted, pins: Pins, checks: Checklist): Decoded {
  const { target, calldata } = quote.txRequest
  checks.equal('router', pins.router, target)
  checks.equal('selector', exactInputSelector, calldata.slice(0, 10))

  const swap =
    calldata.length > callDigitsMax ? undefined : attempt(() => decodeExactInput(calldata))
  if (swap === undefined) {
    checks.equal('canonical-call', 'arguments that decode', `${calldata.length / 2 - 1} bytes`)
    checks.conclude()
  }
  assert(swap !== undefined, 'an undecodable call was refused')
  checkBytes(
    'canonical-call',
    { expected: argumentsOf(encodeExactInput(swap)), actual: argumentsOf(calldata) },
    checks,
  )

  const orders = attempt(() => decodeOrders(swap.orders))
  if (orders === undefined) {
    checks.equal('canonical-orders', 'orders that decode', swap.orders)
    checks.conclude()
  }
  assert(orders !== undefined, 'undecodable orders were refused')
  checkBytes('canonical-orders', { expected: encodeOrders(orders), actual: swap.orders }, checks)

  const count = orders.length
  checks.holds('orders-present', count >= 1 && count <= ordersMax, `1 to ${ordersMax}`, count)
  checks.conclude()
  return { swap, orders }
}

/** The selector is a comparison of its own. */
const argumentsOf = (call: Hex): Hex => `0x${call.slice(10)}`

function attempt<result>(read: () => result): result | undefined {
  try {
    return read()
  } catch {
    // Why it cannot be decoded is of no use to anyone: the caller's check names the bytes.
    return undefined
  }
}

/** A quote of this project's router: all of it can be read. */
export type Legible = Quoted & { readonly quote: FirmQuote }

/** The service's profile decides which kind of quote is requested, and which verifier it meets. */
export function legible(quoted: Quoted): Legible {
  assert(isLegible(quoted), 'the verifier of this router is given quotes of this router')
  return quoted
}

const isLegible = (quoted: Quoted): quoted is Legible => 'widgetFeeSignature' in quoted.quote

/**
 * Holds bytes to be equal and shows the first word that is not: where bytes differ is seldom where they begin,
 * and more than the beginning of them no reader of a check sees.
 */
export function checkBytes(
  name: string,
  { expected, actual }: { expected: Hex; actual: Hex },
  checks: Checklist,
): void {
  const [wanted, got] = [expected.toLowerCase(), actual.toLowerCase()]
  if (wanted === got) {
    checks.equal(name, `${bytesOf(wanted)} bytes`, `${bytesOf(got)} bytes`)
    return
  }
  let word = 0
  while (wordOf(wanted, word) === wordOf(got, word)) word += 1
  checks.equal(name, shown(wanted, word), shown(got, word))
}

const bytesOf = (hex: string) => hex.length / 2 - 1

const wordOf = (hex: string, word: number) => hex.slice(2 + 64 * word, 66 + 64 * word)

const shown = (hex: string, word: number) =>
  `${bytesOf(hex)} bytes, at ${32 * word}: ${wordOf(hex, word) || 'nothing'}`
