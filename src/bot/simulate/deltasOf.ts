import type { SimulationResult } from '../../chain/calls/simulate.ts'
import { type Amount, show } from '../../core/amount.ts'
import { type Address, isNative, sameAddress, sameToken, type Token } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'
import type { Probe } from './scenes.ts'

/** The effect of a played swap on the watched balances. */
export type Deltas = {
  /** The tokens with an unreadable balance that may have to do with the swap. */
  readonly unreadable: readonly Token[]
  /** The tokens without a balance before and after a swap that neither sells nor buys them: such a token is out of order. */
  readonly silent: readonly Token[]
  readonly spent: bigint
  readonly received: bigint
  /** The other amounts that moved. */
  readonly others: readonly Amount[]
}

/** Exact differences of balances, never transfer logs: a token can log what it likes. */
export function deltasOf(
  { intent, wallet, recipient }: Permitted,
  {
    probes,
    before,
    after,
  }: {
    probes: readonly Probe[]
    before: readonly SimulationResult[]
    after: readonly SimulationResult[]
  },
): Deltas {
  const moved = probes.map((probe, index) => ({
    ...probe,
    delta: (wordOf(after[index]) ?? 0n) - (wordOf(before[index]) ?? 0n),
  }))
  const isOf = (owner: Address, token: Token) => (one: Probe) =>
    sameAddress(one.owner, owner) && sameToken(one.token, token)
  const sold = isOf(wallet, intent.sell.token)
  const bought = isOf(recipient, intent.buy)
  const isTraded = ({ token }: Probe) =>
    sameToken(token, intent.sell.token) || sameToken(token, intent.buy)
  const unread = (results: readonly SimulationResult[]) => (index: number) =>
    wordOf(results[index]) === undefined
  const [isUnreadBefore, isUnreadAfter] = [unread(before), unread(after)]
  const isSilent = (probe: Probe, index: number) =>
    isUnreadBefore(index) && isUnreadAfter(index) && !isTraded(probe) && !isNative(probe.token)
  const isUnread = (_probe: Probe, index: number) => isUnreadBefore(index) || isUnreadAfter(index)
  return {
    unreadable: probes
      .filter((probe, index) => isUnread(probe, index) && !isSilent(probe, index))
      .map(({ token }) => token),
    silent: probes.filter(isSilent).map(({ token }) => token),
    spent: -(moved.find(sold)?.delta ?? 0n),
    received: moved.find(bought)?.delta ?? 0n,
    others: moved
      .filter((one) => one.delta !== 0n && !sold(one) && !bought(one))
      .map(({ token, delta }) => ({ token, wei: delta })),
  }
}

/** What moved beside the two amounts of the swap. */
export const othersText = ({ others }: Pick<Deltas, 'others'>): string =>
  others.length === 0 ? 'nothing else' : others.map(show).join(', ')

/** The tokens by name, each once. */
export const symbolsText = (tokens: readonly Token[]): string =>
  [...new Set(tokens.map(({ symbol }) => symbol))].join(', ')

/** The amount that one scene adds to a balance; undefined where that is unreadable. */
export function receivedIn(scene: {
  readonly before: SimulationResult
  readonly after: SimulationResult
}): bigint | undefined {
  const [before, after] = [wordOf(scene.before), wordOf(scene.after)]
  return before === undefined || after === undefined ? undefined : after - before
}

/** The one word a view answered with; undefined when it answered anything else. */
export function wordOf(result: SimulationResult | undefined): bigint | undefined {
  return result?.success === true && result.data.length === 66 ? BigInt(result.data) : undefined
}
