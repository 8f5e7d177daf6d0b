import { createFund } from '../bot/allowance/fund.ts'
import { createPermit } from '../bot/policy/createPermit.ts'
import type { Spending } from '../bot/policy/policy.ts'
import { createRequestQuote } from '../bot/quote/api/createQuoteApi.ts'
import { createAppraiseStage } from '../bot/reference/createAppraise.ts'
import { createSimulate } from '../bot/simulate/simulate.ts'
import type { Reading } from '../bot/stages.ts'
import { createVerifyOpaque } from '../bot/verify/createVerifyOpaque.ts'
import { createVerify } from '../bot/verify/verify.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { sameToken, type Token } from '../core/token.ts'
import type { OpenMarket } from '../engine/market.ts'

/** A node whose head is this number of blocks old has stopped. */
const headAgeBlocksMax = 5

/** Never less: where blocks come fast, clocks that differ and a slow exchange would count as a stop. */
const headAgeSecondsMin = 15

/** The reads of a swap before it is signed: the same in a dry run and in a live swap. */
export function readingStages({
  config,
  market,
  spending,
  clock,
  nextNonce,
}: {
  config: Config
  market: OpenMarket
  spending: Spending
  clock: Clock
  /** The nonce that the books give next; undefined where nothing is signed. */
  nextNonce: (() => Promise<number | undefined>) | undefined
}): Reading {
  const { chain, service, policy, tokens } = config
  const { rpc, play, witness } = market
  const untraced = chain.tracing === 'unavailable' ? undefined : tokens.untraced
  const isTraced = (token: Token) => untraced?.some((one) => sameToken(one, token)) === false
  const reading = quoteAndVerify({ config, market, clock })
  return {
    fund: createFund({
      rpc,
      router: service.router,
      routerCodeHash: service.routerCodeHash,
      traced: isTraced,
      // To a router that cannot be read nothing is left, and no permit is given.
      standing: service.profile.kind === 'ballast' ? policy.allowances : [],
      permits: service.profile.kind === 'ballast' ? policy.permits : [],
    }),
    appraise: createAppraiseStage(market.appraise),
    ...reading,
    // The limits are read while the quote is on its way: policy finds them in memory, where nothing changed since.
    quote: async (appraised) =>
      (await Promise.all([reading.quote(appraised), spending.spent(appraised)]))[0],
    permit: createPermit({
      policy,
      spending,
      means: { play, untraced, witness },
      clock,
    }),
    simulate: createSimulate({
      endpoint: { rpc, play },
      ...{ witness, nextNonce },
      bounds: {
        chainId: chain.chainId,
        routerCodeHash: service.routerCodeHash,
        executor: service.profile.kind === 'ballast' ? service.profile.executor : undefined,
        watched: [...tokens.bySymbol.values()],
        wrapped: tokens.wrapped,
        untraced,
        voting: tokens.voting,
        rounding: tokens.rounding,
        gasPriceMax: policy.gasPriceMax,
        tipMax: policy.tipMax,
        blockTimeMs: chain.blockTimeMs,
        gasMax: policy.gasMax,
        gasCostBpsMax: policy.gasCostBpsMax,
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

/** The profile of the service decides the request and how much of the answer can be held to account. */
function quoteAndVerify({
  config: { chain, service, policy, tokens },
  market: { quotes },
  clock,
}: {
  config: Config
  market: OpenMarket
  clock: Clock
}): Pick<Reading, 'quote' | 'verify'> {
  const { router, profile } = service
  const { timeToDeadlineSecondsMin, feeBpsMax } = policy
  const ask = { chain: chain.name, clock }
  if (profile.kind === 'opaque') {
    const { selectors, notionalMax } = profile
    const pins = {
      ...{ router, selectors, notionalMax, timeToDeadlineSecondsMin },
      rounding: tokens.rounding,
    }
    return {
      quote: createRequestQuote({ quotes: { firm: quotes.opaque }, ...ask }),
      verify: createVerifyOpaque({ pins, clock }),
    }
  }
  const { executor, feeSigner, feeRecipients, makers } = profile
  const pins = {
    chainId: chain.chainId,
    router,
    executor,
    feeSigner,
    feeRecipients,
    makers,
    tokens: [...tokens.bySymbol.values()].map(({ address }) => address),
    wrapped: tokens.wrapped.address,
    feeBpsMax,
    timeToDeadlineSecondsMin,
  }
  return {
    quote: createRequestQuote({ quotes, ...ask }),
    verify: createVerify({ pins, clock }),
  }
}

/** The chain a swap is signed for is at most this number of blocks on from the one of its simulation. */
const blocksMax = 2

/** Where blocks are shorter than a call to the node or the key holder: as long as both may take. */
const ageMsMin = 3_000

/** Nothing is signed, or booked on paper, on a look at the chain that is older than this. */
export const simulationAgeMsMax = ({ chain }: Pick<Config, 'chain'>): number =>
  Math.max(blocksMax * chain.blockTimeMs, ageMsMin)
