import { type BallastError, ballastError } from './errors.ts'

/** The whole, in basis points. */
const everything = 10_000

/** The same for sums. */
export const wholeBps = BigInt(everything)

/** A share of a sum, rounded down. */
export const bpsOf = (wei: bigint, bps: number): bigint => (wei * BigInt(bps)) / wholeBps

/** A share of a sum, rounded up. */
export const bpsOfUp = (wei: bigint, bps: number): bigint =>
  (wei * BigInt(bps) + wholeBps - 1n) / wholeBps

/** Reads `25 bps` (a quarter of a percent) as 25. Percents and bare numbers are refused: both were mistaken for the other before. */
export function parseBps(text: string): number {
  const match = /^(\d{1,9}) ?bps$/.exec(text)
  if (match === null) throw refusal(advice(text.slice(0, 32)))
  const bps = Number(match[1])
  if (bps > everything)
    throw refusal(`'${text}' is more than everything: ${everything} bps are 100 %.`)
  return bps
}

function advice(text: string): string {
  if (/^\d+$/.test(text)) return `'${text}' has no unit: write '${text} bps' (1 bps is 0.01 %).`
  const percent = /^(\d{1,3})(?:\.(\d{1,2}))? ?%$/.exec(text)
  if (percent !== null) {
    const bps = Number(percent[1]) * 100 + Number((percent[2] ?? '').padEnd(2, '0'))
    return `'${text}' is in percent: write '${bps} bps'.`
  }
  return `'${text}' is not a share: write a whole number of basis points such as '25 bps' (1 bps is 0.01 %).`
}

function refusal(summary: string): BallastError {
  return ballastError('NOT_BPS', summary)
}
