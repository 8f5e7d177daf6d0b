/** How many of its newest fills a strategy is told of. */
export const fillsMax = 32
