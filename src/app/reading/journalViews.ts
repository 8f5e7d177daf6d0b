import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import type { Liability } from '../../bot/journal/wallet/allowances.ts'
import { nextSlot } from '../../bot/schedule/slots.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import { spendersOf } from '../../chain/settlement/spendersOf.ts'
import type { Config } from '../../config/config.ts'
import { toText } from '../../core/amount.ts'
import { sameAddress, sameToken } from '../../core/token.ts'
import type { StrategyView } from '../../dashboard/views.ts'

/** A strategy with its latest decision, where there is one among these, and the time of its next call. */
export function strategyView(
  { name, strategy, schedule }: LoadedStrategy,
  {
    latest,
    now,
  }: { latest: Awaited<ReturnType<UnsignedJournal['decisions']['latest']>>; now: number },
): StrategyView {
  const last = latest.find((one) => one.strategy === name)
  return {
    name,
    summary: strategy.summary,
    decision: last?.kind ?? null,
    reason: last?.reason ?? null,
    decidedAt: last === undefined ? null : new Date(last.at).toISOString(),
    nextAt: new Date(nextSlot(schedule, now)).toISOString(),
  }
}

/** An allowance, as it goes out as JSON; of no swap where no book has it. A token that is configured no more goes by its address, in its smallest unit. */
export function liabilityText(
  {
    token: address,
    spender,
    wei,
    swapId = null,
  }: Pick<Liability, 'token' | 'spender' | 'wei'> & { readonly swapId?: string | null | undefined },
  { tokens, chain, policy, service }: Pick<Config, 'tokens' | 'chain' | 'policy' | 'service'>,
) {
  const { chainId } = chain
  const token = [...tokens.bySymbol.values()].find((one) => sameAddress(one.address, address)) ?? {
    chainId,
    address,
    symbol: address,
    decimals: 0,
  }
  const most = policy.allowances.find((one) => sameToken(one.token, token))?.wei ?? 0n
  /** Whether the owner lets it stand; of any other it is money within reach of a contract, and of no use. */
  const isStated =
    wei <= most &&
    spendersOf(token, { router: service.router, permits: policy.permits }).some((one) =>
      sameAddress(one, spender),
    )
  return { amount: toText({ token, wei }), spender, swapId, isStated }
}
