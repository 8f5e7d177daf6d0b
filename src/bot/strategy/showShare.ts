import { formatDecimal } from '../../core/decimal.ts'

/** `12.5 %`: how much of the whole a part is, cut (not rounded) after two decimals. */
export function showShare(part: bigint, whole: bigint): string {
  return `${formatDecimal(whole === 0n ? 0n : (part * 10_000n) / whole, 2)} %`
}
