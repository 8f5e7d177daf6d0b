import { isTwofold, parseDecimal, twofoldText } from './decimal.ts'
import { asWritten } from './display.ts'
import { ballastError } from './errors.ts'

const scaleOf = { gwei: 9, wei: 0 } as const

/** Reads `200 gwei` or `1 wei` as wei per gas. */
export function parseGasPrice(text: string): bigint {
  const match = /^(\d{1,30}(?:\.\d{1,18})?) ?(gwei|wei)$/.exec(text)
  if (match === null)
    throw ballastError(
      'NOT_A_GAS_PRICE',
      /^\d+$/.test(text)
        ? `${asWritten(text)} has no unit: write ${asWritten(`${text} gwei`)}.`
        : `${asWritten(text)} is not a gas price: write a number and its unit, such as '200 gwei'.`,
    )
  const [, decimal = '', unit = ''] = match
  if (isTwofold(decimal)) throw ballastError('NOT_A_GAS_PRICE', twofoldText(decimal, ` ${unit}`))
  return parseDecimal(decimal, scaleOf[unit as keyof typeof scaleOf])
}
