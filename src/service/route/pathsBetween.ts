import { sameToken, type Token } from '../../core/token.ts'

/** Ways from one token to another through one or two different hubs: at most three hops. */
export function pathsBetween({
  sell,
  buy,
  hubs,
}: {
  sell: Token
  buy: Token
  hubs: readonly Token[]
}): readonly (readonly Token[])[] {
  const between = hubs.filter((hub) => !sameToken(hub, sell) && !sameToken(hub, buy))
  return between.flatMap((first) => [
    [sell, first, buy],
    ...between
      .filter((second) => !sameToken(first, second))
      .map((second) => [sell, first, second, buy]),
  ])
}
