/**
 * The strategy of swaps that were booked from the chain: which one made them is unknown, so they count against the limits
 * and totals of each. No configured strategy may have this name.
 */
export const recoveredStrategy = 'recovered'

/** The strategy of swaps by hand. A configured one of this name would share its limits and totals with them. */
export const manualStrategy = 'manual'
