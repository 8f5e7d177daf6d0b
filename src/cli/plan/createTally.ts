import type { Amount } from '../../core/amount.ts'
import { sameToken, type Token } from '../../core/token.ts'

/** Sums by token, in the order in which the tokens came. */
export function createTally() {
  const sums: { token: Token; wei: bigint }[] = []
  const of = (token: Token): Amount => ({
    token,
    wei: sums.find((one) => sameToken(one.token, token))?.wei ?? 0n,
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
