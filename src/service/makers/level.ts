/** One step of a maker's book, exact: an amount of base in its smallest unit, and a price scaled by `priceScale`. */
export type Level = { readonly amount: bigint; readonly price: bigint }
