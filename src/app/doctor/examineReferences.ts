import { checkPools, type WrongPool } from '../../bot/reference/checkPools.ts'
import { opinionOf } from '../../bot/reference/createAppraise.ts'
import {
  type ReferenceReading,
  readReferences,
  sourceOf,
} from '../../bot/reference/readReferences.ts'
import type { Reference } from '../../bot/reference/reference.ts'
import { waysBetween } from '../../bot/reference/waysBetween.ts'
import { getChainId, hasBaseFee } from '../../chain/calls/node.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import { withRetries } from '../../chain/rpc/withRetries.ts'
import { countOpinions } from '../../core/countOpinions.ts'
import { showPrice } from '../../core/price.ts'
import { assetOf, sameToken, type Token, usdOf } from '../../core/token.ts'
import { openQuotes } from '../openQuotes.ts'
import { openReferences } from '../openReferences.ts'
import type { Finding, Scene } from './finding.ts'
import { noAnswer } from './noAnswer.ts'

/** Does each reference answer, and do they price everything that may be traded? */
export async function examineReferences({ config, clock }: Scene): Promise<readonly Finding[]> {
  const { chain, policy, tokens } = config
  const rpc = withRetries(createRpc({ url: chain.rpcUrl.reveal() }))
  const witness = chain.witness && withRetries(createRpc({ url: chain.witness.rpcUrl.reveal() }))
  const quotes = openQuotes(config, { clock })
  const independent = openReferences({ config, rpc, witness, quotes, clock })
  const { references } = independent
  try {
    const fallbacks = chain.fallbackUrls.map((url) => url.reveal())
    const coverage = examineCoverage(references, { policy, tokens, rpc, witness, fallbacks })
    // An endpoint that is away, another chain, and one without base fee have their own lines.
    if ((await rpc.request(getChainId).catch(() => undefined)) !== chain.chainId) return [coverage]
    if (!(await rpc.request(hasBaseFee))) return [coverage]
    const sameChain = (await witness?.request(getChainId).catch(() => undefined)) === chain.chainId
    const [wrong, { readings }] = await Promise.all([
      checkPools(rpc, references),
      readReferences(
        {
          ...{ rpc, witness: sameChain ? witness : undefined },
          ...{ wrapped: tokens.wrapped, blockTimeMs: chain.blockTimeMs, clock },
        },
        references,
      ),
    ])
    return [
      ...readings.map((reading) => finding(reading, { wrong, now: clock.now() })),
      ...readings.flatMap((reading) => offPeg(reading, policy)),
      coverage,
    ]
  } catch (error) {
    return [noAnswer('references', error)]
  } finally {
    await Promise.all([independent.close(), quotes.close(), rpc.close(), witness?.close()])
  }
}

function finding(
  { reference, told }: ReferenceReading,
  { wrong, now }: { wrong: readonly WrongPool[]; now: number },
): Finding {
  const name = `reference ${sourceOf(reference)}`
  const mistake = wrong.find((one) => one.reference === reference)
  if (mistake !== undefined)
    return {
      name,
      state: 'fail',
      expected: 'a pool of the pair',
      actual: mistake.sentence,
      fault: 'usage',
    }
  if ('reason' in told)
    return { name, state: 'fail', expected: 'a price', actual: told.reason, fault: 'upstream' }
  const age = Math.round((now - told.at) / 1_000)
  return { name, state: 'ok', actual: `${showPrice(told.price)}, ${age} s old` }
}

/** What is listed as a stablecoin, and by its own feed is none now: every swap of it is refused. */
function offPeg(
  { reference, told }: ReferenceReading,
  { stablecoins }: Scene['config']['policy'],
): readonly Finding[] {
  const [from, to] = reference.pair
  const coin = stablecoins.find(({ token }) => sameToken(token, from))
  if (coin === undefined || 'reason' in told || !sameToken(to, usdOf(from.chainId))) return []
  const dollar = 10n ** BigInt(to.decimals)
  const { sold, bought } = told.price
  const worth = (bought.wei * 10n ** BigInt(from.decimals)) / sold.wei
  const offBps = Number(((worth - dollar) * 10_000n) / dollar)
  if (Math.abs(offBps) <= coin.deviationBpsMax) return []
  return [
    {
      name: `peg of ${from.symbol}`,
      state: 'fail',
      expected: `within ${coin.deviationBpsMax} bps of one US dollar (policy.stablecoins)`,
      actual: `${showPrice(told.price)}, ${offBps} bps off: every swap of it is refused`,
      fault: 'usage',
    },
  ]
}

/** Every pair that may be traded has an independent price, and each token has one in the unit of account. */
function examineCoverage(
  all: readonly Reference[],
  {
    policy,
    tokens,
    ...nodes
  }: Pick<Scene['config'], 'policy' | 'tokens'> & Parameters<typeof opinionOf>[1],
) {
  // The service's own book must agree with its quote, and proves nothing.
  const references = all.filter((one) => one.kind !== 'order-book' || !one.book.own)
  const asset = (token: Token) => assetOf(token, tokens)
  const traded = distinct(policy.tokens.map(asset))
  const unit = asset(policy.unit)
  const wanted = [
    ...policy.pairs.map(([from, to]) => ({ from: asset(from), to: asset(to) })),
    ...distinct([...traded, tokens.wrapped]).map((from) => ({ from, to: unit })),
  ].filter(({ from, to }) => !sameToken(from, to))
  const pairs = wanted.filter(
    ({ from, to }, index) =>
      wanted.findIndex((one) => sameToken(one.from, from) && sameToken(one.to, to)) === index,
  )
  const isTraded = (pair: { from: Token; to: Token }) =>
    policy.pairs.some(
      ([from, to]) => sameToken(asset(from), pair.from) && sameToken(asset(to), pair.to),
    )
  const uncovered = pairs.filter((pair) => {
    const opinions = waysBetween(references, pair).map((way) => opinionOf(way, nodes))
    return countOpinions(opinions) < (isTraded(pair) ? policy.referencesMin : 1)
  })
  const name = 'reference prices'
  if (uncovered.length === 0)
    return { name, state: 'ok', actual: `${pairs.length} pairs have enough` } as const
  const missing = uncovered.map(({ from, to }) => `${from.symbol}/${to.symbol}`).join(', ')
  return {
    name,
    state: 'fail',
    expected: `${policy.referencesMin} endpoints (policy.minReferences) independent of the service for every pair of policy.pairs; add to policy.references, or chain.witness`,
    actual: `too few for ${missing}`,
    fault: 'usage',
  } as const
}

const distinct = (tokens: readonly Token[]) =>
  tokens.filter((token, index) => tokens.findIndex((one) => sameToken(one, token)) === index)
