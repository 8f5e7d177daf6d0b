/** Number of its newest fills a strategy is shown. */
export const fillsMax = 32
