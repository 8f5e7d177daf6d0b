import type { Price } from '../../core/price.ts'

/** Whether a price is further from the reference than so many basis points of the reference, to either side. Exact. */
export function isApart(
  price: Price,
  { reference, within }: { readonly reference: Price; readonly within: number },
): boolean {
  const said = price.bought.wei * reference.sold.wei
  const expected = reference.bought.wei * price.sold.wei
  const apart = said > expected ? said - expected : expected - said
  return apart * 10_000n > expected * BigInt(within)
}
