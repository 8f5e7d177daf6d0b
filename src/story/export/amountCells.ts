import type { Amount } from '../../core/amount.ts'
import { formatDecimal } from '../../core/decimal.ts'
import type { Row } from './exports.ts'

/** An amount as two cells, `sold_amount` and `sold_wei`: exact decimal text, and the integer. */
export function amountCells(name: string, amount: Amount | undefined): Row {
  return {
    [`${name}_amount`]: amount && formatDecimal(amount.wei, amount.token.decimals),
    [`${name}_wei`]: amount?.wei.toString(),
  }
}
