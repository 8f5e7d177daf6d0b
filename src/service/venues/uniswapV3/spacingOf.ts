/** Distance of usable ticks, by fee in hundredths of a basis point. Uniswap's own table; a factory may have more. */
export const spacingOf = { 100: 1, 500: 10, 3000: 60, 10000: 200 } as const
