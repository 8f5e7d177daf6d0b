import type { Amount } from './amount.ts'
import { sameToken, type Token } from './token.ts'

/** The balance of a token, in its smallest unit; 0 where it is not listed. */
export function balanceIn(balances: readonly Amount[], token: Token): bigint {
  return balances.find((one) => sameToken(one.token, token))?.wei ?? 0n
}

/** Balances without promised amounts: 0 where more is promised than is there. Frozen. */
export function withoutPromised(
  balances: readonly Amount[],
  promised: readonly Amount[],
): readonly Amount[] {
  if (promised.length === 0) return balances
  return mapWei(balances, ({ token, wei }) => {
    const left = wei - sumIn(promised, token)
    return left > 0n ? left : 0n
  })
}

/** Balances after changes, which may be negative; a token that was not listed comes last. Frozen. */
export function afterChanges(
  balances: readonly Amount[],
  changes: readonly Amount[],
): readonly Amount[] {
  const isListed = ({ token }: Amount) => balances.some((one) => sameToken(one.token, token))
  const added = changes.filter((one) => !isListed(one)).map(({ token }) => ({ token, wei: 0n }))
  return mapWei([...balances, ...added], ({ token, wei }) => wei + sumIn(changes, token))
}

/** The opposite of an amount: what leaves a balance. */
export const negative = ({ token, wei }: Amount): Amount => ({ token, wei: -wei })

/** What the amounts of one token come to among amounts of several. */
export const sumIn = (amounts: readonly Amount[], token: Token): bigint =>
  sumWei(amounts.filter((one) => sameToken(one.token, token)))

const mapWei = (balances: readonly Amount[], weiOf: (amount: Amount) => bigint) =>
  Object.freeze(
    balances.map((amount) => Object.freeze({ token: amount.token, wei: weiOf(amount) })),
  )

/** `Math.min` and `Math.max` for amounts: those take no bigint. */
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Sums by token, in the order in which the tokens came. */
export function createTotals() {
  const sums: { token: Token; wei: bigint }[] = []
  const of = (token: Token): Amount => ({
    token,
    wei: balanceIn(sums, token),
  })
  return {
    add({ token, wei }: Amount): void {
      const sum = sums.find((one) => sameToken(one.token, token))
      if (sum === undefined) sums.push({ token, wei })
      else sum.wei += wei
    },
    of,
    all: (): readonly Amount[] => sums.map((sum) => ({ ...sum })),
  }
}

/** What amounts of one token come to, in its smallest unit. */
export const sumWei = (amounts: readonly Pick<Amount, 'wei'>[]): bigint =>
  amounts.reduce((sum, { wei }) => sum + wei, 0n)
