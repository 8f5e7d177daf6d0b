import { createFund } from '../../bot/allowance/fund.ts'
import { createPermit } from '../../bot/policy/permit.ts'
import { createRequestQuote } from '../../bot/quote/requestQuote.ts'
import { createAppraise } from '../../bot/reference/createAppraise.ts'
import { createAppraiseStage } from '../../bot/reference/createAppraiseStage.ts'
import { createSimulate } from '../../bot/simulate/simulate.ts'
import type { Reading } from '../../bot/stages.ts'
import { createVerify } from '../../bot/verify/verify.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { type Address, sameToken, type Token } from '../../core/token.ts'
import type { OpenMarket } from './openMarket.ts'

/** A node whose head is so many blocks old has stopped. */
const headAgeBlocksMax = 5

/** Never less: where blocks come fast, clocks that differ and a slow exchange would count as a stop. */
const headAgeSecondsMin = 15

/** What a swap reads before it is signed: the same in a dry run and in a live swap. */
export function readingStages({
  config,
  market,
  spentPerDay,
  clock,
}: {
  config: Config
  market: OpenMarket
  spentPerDay: (token: Token, wallet: Address, except: string) => Promise<bigint>
  clock: Clock
}): Reading {
  const { chain, service, policy, tokens, wallet } = config
  const { rpc, play, witness, quotes } = market
  const untraced = chain.tracing === 'unavailable' ? undefined : tokens.untraced
  const isTraced = (token: Token) => untraced?.some((one) => sameToken(one, token)) === false
  return {
    fund: createFund({
      rpc,
      router: service.router,
      routerCodeHash: service.routerCodeHash,
      traced: isTraced,
    }),
    appraise: createAppraiseStage(createAppraise()),
    quote: createRequestQuote({ quotes, chain: chain.name, clock }),
    verify: createVerify({
      pins: {
        chainId: chain.chainId,
        router: service.router,
        executor: service.executor,
        feeSigner: service.feeSigner,
        makers: service.makers,
        tokens: [...tokens.bySymbol.values()].map(({ address }) => address),
        wrapped: tokens.wrapped.address,
        feeBpsMax: policy.feeBpsMax,
        timeToDeadlineSecondsMin: policy.timeToDeadlineSecondsMin,
      },
      clock,
    }),
    permit: createPermit({
      policy,
      spending: {
        spentPerDay: (token, except) => spentPerDay(token, wallet.address, except),
      },
    }),
    simulate: createSimulate({
      endpoint: { rpc, play },
      witness,
      bounds: {
        chainId: chain.chainId,
        routerCodeHash: service.routerCodeHash,
        executor: service.executor,
        watched: [...tokens.bySymbol.values()],
        wrapped: tokens.wrapped,
        untraced,
        gasPriceMax: policy.gasPriceMax,
        gasMax: policy.gasMax,
        timeToDeadlineSecondsMin: policy.timeToDeadlineSecondsMin,
        headAgeSecondsMax: Math.max(
          headAgeSecondsMin,
          Math.ceil((headAgeBlocksMax * chain.blockTimeMs) / 1_000),
        ),
      },
      clock,
    }),
  }
}
