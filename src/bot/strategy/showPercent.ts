import { formatDecimal } from '../../core/decimal.ts'

/** `0.063 %` of 633 parts in a million, without a sign; a fourth decimal only where three would show nothing. */
export function showPercent(ppm: bigint): string {
  const size = ppm < 0n ? -ppm : ppm
  const thousandths = (size + 5n) / 10n
  return thousandths === 0n ? `${formatDecimal(size, 4)} %` : `${formatDecimal(thousandths, 3)} %`
}
