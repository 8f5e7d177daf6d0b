/** Decimals of a price in quote units per base unit: 15 digits of a price down to 10^-9 fit. */
export const priceScale = 24
