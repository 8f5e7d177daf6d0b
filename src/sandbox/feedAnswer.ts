/** As feeds of US dollars have it on public chains. */
export const feedDecimals = 8

/** Dollars as a feed answers them. From a double: what a sandbox says a token is worth is nobody's money. */
export function feedAnswer(dollars: number): bigint {
  return BigInt(Math.round(dollars * 10 ** feedDecimals))
}
