import type { Amount } from '../../core/amount.ts'
import type { Address, Token } from '../../core/token.ts'
import { readCron, readTimeZone } from './readText.ts'
import type {
  Decision,
  Intent,
  Memory,
  Schedule,
  Target,
  TypicalSwap,
  Watch,
  WatchedAccount,
} from './strategy.ts'

/** A portfolio of a dozen assets takes eleven swaps. Each costs a question to the references and the lane meanwhile. */
export const intentsMax = 100

/** It is stored with each decision. The strategies of this repository note far less. */
const memoryBytesMax = 65_536

/** A screen of text. It is stored, logged and shown. */
const reasonLengthMax = 4_000

/** A symbol of the configuration has 16 letters at most. */
const symbolLengthMax = 64

/**
 * The decision that a strategy answered, or a sentence if it is none. Types are gone when it runs: a wrong answer that
 * passes here is journaled, and breaks the next decision after every start. It is a copy of the known fields, frozen:
 * what the strategy keeps and changes later is no part of a swap.
 */
export function checkDecision(answer: unknown): Decision {
  const { kind, reason, intents, memory } = fieldsOf(answer, 'the answer')
  const kept = memory === undefined ? {} : { memory: memoryOf(memory) }
  if (kind === 'swap') return Object.freeze({ kind, intents: intentsOf(intents), ...kept })
  if (kind !== 'wait' && kind !== 'postpone')
    throw new TypeError(
      typeof (answer as { then?: unknown }).then === 'function'
        ? 'the answer is a promise, and has to be there at once'
        : "the answer is no decision: write wait('…'), postpone('…') or swap(…)",
    )
  return Object.freeze({ kind, reason: reasonOf(reason, kind), ...kept })
}

function intentsOf(intents: unknown): readonly Intent[] {
  if (!Array.isArray(intents) || intents.length === 0)
    throw new TypeError("swap has no intents: write wait('…')")
  if (intents.length > intentsMax)
    throw new RangeError(`swap has ${intents.length} intents, and ${intentsMax} are the most`)
  return Object.freeze(Array.from(intents, intentOf))
}

function intentOf(intent: unknown): Intent {
  const { sell, buy, floor, reason, recipient, expiryBps } = fieldsOf(intent, 'an intent')
  const amounts = {
    sell: amountOf(sell, 'sell'),
    buy: tokenIn(buy, 'buy'),
    floor: amountOf(floor, 'floor'),
  }
  if (recipient !== undefined && !isAddress(recipient))
    throw new TypeError('recipient is no address')
  if (expiryBps !== undefined && !isPart(expiryBps))
    throw new RangeError('expiryBps is no part in bps')
  return Object.freeze({
    ...{ ...amounts, reason: reasonOf(reason, 'an intent') },
    ...(recipient === undefined ? {} : { recipient }),
    ...(expiryBps === undefined ? {} : { expiryBps }),
  })
}

const isPart = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 10_000

const isAddress = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)

function reasonOf(reason: unknown, name: string): string {
  if (typeof reason !== 'string') throw new TypeError(`${name} has no reason`)
  if (reason.length > reasonLengthMax)
    throw new RangeError(
      `the reason of ${name} has ${reason.length} characters, and ${reasonLengthMax} are the most`,
    )
  return reason
}

function memoryOf(memory: unknown): Memory {
  const notes = fieldsOf(memory, 'memory')
  for (const [key, value] of Object.entries(notes)) {
    const isPlain = value === null || ['string', 'boolean'].includes(typeof value)
    if (!isPlain && !Number.isFinite(value))
      throw new TypeError(`memory.${key} is no text, number, boolean or null`)
  }
  const copy = Object.freeze({ ...notes }) as Memory
  const bytes = Buffer.byteLength(JSON.stringify(copy))
  if (bytes > memoryBytesMax)
    throw new RangeError(`memory takes ${bytes} bytes, and ${memoryBytesMax} are the most`)
  return copy
}

function amountOf(amount: unknown, name: string): Amount {
  const { token, wei } = fieldsOf(amount, name)
  if (typeof wei !== 'bigint') throw new TypeError(`${name}.wei is no bigint`)
  return Object.freeze({ token: tokenIn(token, `${name}.token`), wei })
}

function tokenIn(token: unknown, name: string): Token {
  const { address, symbol, chainId, decimals } = fieldsOf(token, name)
  const isNamed = typeof symbol === 'string' && symbol.length <= symbolLengthMax
  if (!isAddress(address) || !isNamed || !Number.isSafeInteger(chainId))
    throw new TypeError(`${name} is no token`)
  // A contract says them in one byte. Ten to the power of more than that is no number to count with.
  if (!isWhole(decimals) || Number(decimals) > 255)
    throw new RangeError(`${name}.decimals is no whole number from 0 to 255`)
  return Object.freeze({ chainId, address, symbol, decimals }) as Token
}

function fieldsOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${name} is ${value === null ? 'null' : typeof value}`)
  return value as Readonly<Record<string, unknown>>
}

/**
 * The amounts that a strategy keeps for itself, copied, or a sentence where an answer is something else: the others
 * see what was taken off their balances, and with less than nothing more than there is.
 */
export function checkReserves(answer: unknown): readonly Amount[] {
  return listOf(answer, 'amounts').map((one) => {
    const amount = amountOf(one, 'an amount')
    if (amount.wei < 0n)
      throw new RangeError('the answer is no list of amounts, each of nothing or more')
    return amount
  })
}

/** The accounts that a strategy watches, copied, or a sentence where an answer is something else. */
export function checkAccounts(answer: unknown): readonly WatchedAccount[] {
  return listOf(answer, 'accounts').map((one) => {
    const { account, token } = fieldsOf(one, 'an account')
    if (!isAddress(account)) throw new TypeError('account is no address')
    return { account, token: tokenIn(token, 'token') }
  })
}

/** The prices that a strategy watches, copied, or a sentence where an answer is something else. */
export function checkWatches(answer: unknown): readonly Watch[] {
  return listOf(answer, 'watches').map((one) => {
    const { sell, buy, wants } = fieldsOf(one, 'a watch')
    const watched = { sell: amountOf(sell, 'sell'), buy: tokenIn(buy, 'buy') }
    if (wants === undefined) return watched
    if (!Array.isArray(wants) || !wants.every(isWanted))
      throw new TypeError("wants is no list of 'depth' and 'reference'")
    return { ...watched, wants: [...wants] }
  })
}

/** Passes on foreseen swaps: whoever tells of a price finds its key by the very price of the parameters. */
export function checkTypicalSwaps(answer: unknown): readonly TypicalSwap[] {
  for (const one of listOf(answer, 'swaps')) {
    const { sell, buy, price, market, recipient } = fieldsOf(one, 'a swap')
    amountOf(sell, 'sell')
    tokenIn(buy, 'buy')
    if (price !== undefined) checkPrice(price, 'price')
    if (market !== undefined) checkPrice(market, 'market')
    if (recipient !== undefined && !isAddress(recipient))
      throw new TypeError('recipient is no address')
  }
  return answer as readonly TypicalSwap[]
}

function checkPrice(price: unknown, name: string): void {
  const { sold, bought } = fieldsOf(price, name)
  amountOf(sold, `${name}.sold`)
  amountOf(bought, `${name}.bought`)
}

/** The tokens that a strategy weighs, copied, or a sentence where an answer is something else. */
export const checkWeighs = (answer: unknown): readonly Token[] =>
  listOf(answer, 'tokens').map((one) => tokenIn(one, 'a token'))

/** What a strategy has spent, copied, or a sentence where an answer is something else. */
export const checkSpent = (answer: unknown): Amount => amountOf(answer, 'the answer')

/** The parts of the whole that a strategy keeps, copied, or a sentence where an answer is something else. */
export const checkTargets = (answer: unknown): readonly Target[] =>
  listOf(answer, 'targets').map((one) => {
    const { token, parts, share, band } = fieldsOf(one, 'a target')
    if (typeof share !== 'bigint' || typeof band !== 'bigint')
      throw new TypeError('share or band is no bigint')
    const amounts = listOf(parts, 'amounts').map((part) => amountOf(part, 'a part'))
    return { token: tokenIn(token, 'token'), parts: amounts, share, band }
  })

function listOf(answer: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(answer)) throw new TypeError(`the answer is no list of ${what}`)
  return Array.from(answer)
}

const isWanted = (word: unknown): word is 'depth' | 'reference' =>
  word === 'depth' || word === 'reference'

/**
 * Passes on a schedule whose every slot can be found, and throws a sentence if it is none: a period that is misspelled
 * would be read as a calendar, and one without a time of day as every minute.
 */
export function checkSchedule(answer: unknown): Schedule {
  const { kind, ...parts } = fieldsOf(answer, 'the answer')
  if (kind === 'every') {
    if (!isWhole(parts.seconds) || parts.seconds === 0)
      throw new RangeError('every takes whole seconds, one or more')
  } else if (kind === 'cron') {
    const { expression, timeZone } = parts
    if (typeof expression !== 'string') throw new TypeError('cron takes an expression, as text')
    if (typeof timeZone !== 'string') throw new TypeError('cron takes a timeZone, as text')
    readCron(expression)
    readTimeZone(timeZone)
  } else throw new TypeError("the answer is no schedule: its kind is 'every' or 'cron'")
  for (const name of ['jitter', 'late', 'makeUp'])
    if (parts[name] !== undefined && !isWhole(parts[name]))
      throw new RangeError(`${name} is no whole number, 0 or more`)
  return answer as Schedule
}

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
