import type { Amount } from '../../core/amount.ts'

/** An amount less so many basis points. Rounds up: as a minimum it favours the seller. */
export function lessBps({ token, wei }: Amount, bps: number): Amount {
  return { token, wei: (wei * BigInt(10_000 - bps) + 9_999n) / 10_000n }
}
