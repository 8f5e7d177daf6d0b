import type { Amount } from '../../core/amount.ts'
import type { Address } from '../../core/token.ts'
import type { Decision, WatchedAccount } from './strategy.ts'

/** A portfolio of a dozen assets takes eleven swaps. Each costs a question to the references and the lane meanwhile. */
export const intentsMax = 100

/**
 * Passes on what a strategy answered if it is a decision, and throws a sentence if it is not. Types are gone when it
 * runs: a wrong answer that passes here is journaled, and breaks the next decision after every start.
 */
export function checkDecision(answer: unknown): Decision {
  const { kind, reason, intents, memory } = fieldsOf(answer, 'the answer')
  if (kind === 'swap') checkIntents(intents)
  else if (kind !== 'wait' && kind !== 'postpone')
    throw new TypeError(
      typeof (answer as { then?: unknown }).then === 'function'
        ? 'the answer is a promise, and has to be there at once'
        : "the answer is no decision: write wait('…'), postpone('…') or swap(…)",
    )
  else if (typeof reason !== 'string') throw new TypeError(`${kind} has no reason`)
  if (memory !== undefined) checkMemory(memory)
  return answer as Decision
}

function checkIntents(intents: unknown): void {
  if (!Array.isArray(intents) || intents.length === 0)
    throw new TypeError("swap has no intents: write wait('…')")
  if (intents.length > intentsMax)
    throw new RangeError(`swap has ${intents.length} intents, and ${intentsMax} are the most`)
  for (const intent of intents) {
    const { sell, buy, floor, reason, recipient, expiryBps } = fieldsOf(intent, 'an intent')
    checkAmount(sell, 'sell')
    checkToken(buy, 'buy')
    checkAmount(floor, 'floor')
    if (typeof reason !== 'string') throw new TypeError('an intent has no reason')
    if (recipient !== undefined && !isAddress(recipient))
      throw new TypeError('recipient is no address')
    const isPart = Number.isInteger(expiryBps) && Number(expiryBps) > 0 && Number(expiryBps) <= 1e4
    if (expiryBps !== undefined && !isPart) throw new RangeError('expiryBps is no part in bps')
  }
}

const isAddress = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)

function checkMemory(memory: unknown): void {
  for (const [key, value] of Object.entries(fieldsOf(memory, 'memory'))) {
    const isPlain = value === null || ['string', 'boolean'].includes(typeof value)
    if (!isPlain && !Number.isFinite(value))
      throw new TypeError(`memory.${key} is no text, number, boolean or null`)
  }
}

function checkAmount(amount: unknown, name: string): void {
  const { token, wei } = fieldsOf(amount, name)
  checkToken(token, `${name}.token`)
  if (typeof wei !== 'bigint') throw new TypeError(`${name}.wei is no bigint`)
}

function checkToken(token: unknown, name: string): void {
  const { address, symbol, chainId, decimals } = fieldsOf(token, name)
  if (typeof address !== 'string' || typeof symbol !== 'string')
    throw new TypeError(`${name} is no token`)
  if (!Number.isInteger(chainId) || !Number.isInteger(decimals))
    throw new TypeError(`${name} is no token`)
}

function fieldsOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${name} is ${value === null ? 'null' : typeof value}`)
  return value as Readonly<Record<string, unknown>>
}

/**
 * Passes on what a strategy keeps for itself if that is amounts, and throws a sentence if it is not: the others would
 * see what was taken off their balances, and with less than nothing more than there is.
 */
export function checkReserves(answer: unknown): readonly Amount[] {
  if (!Array.isArray(answer)) throw new TypeError('the answer is no list of amounts')
  for (const amount of answer as readonly (Partial<Amount> | null | undefined)[])
    if (typeof amount?.wei !== 'bigint' || amount.wei < 0n || typeof amount.token !== 'object')
      throw new TypeError('the answer is no list of amounts, each of nothing or more')
  return answer
}

/** Passes on the accounts that a strategy watches, and throws a sentence where an answer is something else. */
export function checkAccounts(answer: unknown): readonly WatchedAccount[] {
  if (!Array.isArray(answer)) throw new TypeError('the answer is no list of accounts')
  for (const one of answer) {
    const { account, token } = fieldsOf(one, 'an account')
    if (!isAddress(account)) throw new TypeError('account is no address')
    checkToken(token, 'token')
  }
  return answer
}
