import { createIndicate } from '../../bot/market/createIndicate.ts'
import type { Appraise } from '../../bot/stages.ts'
import type { Watch } from '../../bot/strategy/index.ts'
import { type LoadedStrategy, loadStrategies } from '../../bot/strategy/load.ts'
import { getBalanceOf } from '../../chain/calls/getBalanceOf.ts'
import { getChainId } from '../../chain/calls/node.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { withRetries } from '../../chain/rpc/withRetries.ts'
import { type Amount, show } from '../../core/amount.ts'
import { sameToken } from '../../core/token.ts'
import { priceDoubts } from '../../engine/priceDoubts.ts'
import { openQuotes } from '../openQuotes.ts'
import { openReferences } from '../openReferences.ts'
import { appraiseByBands, halfWeighed, screenStrategy } from '../screenStrategies.ts'
import { strategyDoubts } from '../strategyDoubts.ts'
import type { Finding, Scene } from './finding.ts'
import { noAnswer } from './noAnswer.ts'

/** Does policy let the strategies do their work, and do they see all that the wallet holds? */
export async function examineStrategies({ config, clock }: Scene): Promise<readonly Finding[]> {
  const strategies = await loadStrategies(config)
  const { chain } = config
  await using opened = new AsyncDisposableStack()
  const closing = <part extends { close(): Promise<void> }>(part: part): part =>
    opened.adopt(part, (one) => one.close())
  const rpc = closing(withRetries(createRpc({ url: chain.rpcUrl.reveal() })))
  const quotes = closing(openQuotes(config, { clock }))
  const references = closing(openReferences({ config, rpc, witness: undefined, quotes, clock }))
  // An endpoint that is away, or another chain, has its own line.
  const found = await rpc.request(getChainId).catch(() => undefined)
  const appraise = found === chain.chainId ? references.appraise : appraiseByBands(config, clock)
  const refusals: Finding[] = []
  for (const loaded of strategies)
    for (const { name, sentence } of await screenStrategy({ config, appraise, clock }, loaded))
      refusals.push({
        name: `strategy ${name}`,
        state: 'fail',
        expected: 'swaps that policy lets through',
        actual: sentence,
        fault: 'usage',
      })
  const within: Finding = {
    name: 'strategies',
    state: 'ok',
    actual: `policy lets ${strategies.length} through`,
  }
  const weighing = strategies.filter(({ strategy }) => strategy.weighs !== undefined)
  const unseen =
    found === chain.chainId && weighing.length > 0
      ? await examineHoldings(rpc, { config, weighing })
      : []
  const doubts = strategyDoubts(strategies, { policy: config.policy, now: clock.now() }).map(
    (actual): Finding => ({
      ...{ name: 'strategies', state: 'warn', actual },
      expected: 'entries that do not hinder each other, at instants to come',
    }),
  )
  const prices =
    found === chain.chainId
      ? await examinePrices({ config, strategies, quotes, appraise: references.appraise })
      : []
  return [...(refusals.length === 0 ? [within] : refusals), ...doubts, ...prices, ...unseen]
}

/** A line for each price of a person that the market is nowhere near. */
async function examinePrices({
  config,
  strategies,
  quotes,
  appraise,
}: Pick<Scene, 'config'> & {
  readonly strategies: readonly LoadedStrategy[]
  readonly quotes: ReturnType<typeof openQuotes>
  readonly appraise: Appraise
}): Promise<readonly Finding[]> {
  const { chain, policy } = config
  const ask = createIndicate({ quotes, chain: chain.name })
  // A service that is away has its own line.
  const indicate = ({ sell, buy }: Pick<Watch, 'sell' | 'buy'>) =>
    ask({ sell, buy, from: config.wallet.address }).catch(() => undefined)
  const findings: Finding[] = []
  for (const loaded of strategies)
    for (const { strategy, sentence } of await priceDoubts(
      { appraise, indicate },
      { loaded, swapLimits: policy.perSwap },
    ))
      findings.push({
        name: `price of ${strategy}`,
        state: 'warn',
        expected: 'half to twice the market',
        actual: sentence,
      })
  return findings
}

/** A line for each token of the wallet that a strategy with weights leaves out. */
async function examineHoldings(
  rpc: Rpc,
  { config, weighing }: Pick<Scene, 'config'> & { weighing: readonly LoadedStrategy[] },
): Promise<readonly Finding[]> {
  const { tokens, wallet } = config
  try {
    const holdings = await Promise.all(
      [...tokens.bySymbol.values()].map(async (token): Promise<Amount> => {
        const wei = await rpc.request(getBalanceOf(token, wallet.address))
        return { token, wei }
      }),
    )
    return weighing.flatMap((loaded) => {
      const weighed = loaded.strategy.weighs?.(loaded.params) ?? []
      const half = halfWeighed(loaded, tokens)
      return holdings
        .filter(({ token, wei }) => wei > 0n && !weighed.some((one) => sameToken(one, token)))
        .map((holding): Finding => {
          const isHalf = half !== undefined && sameToken(half.left, holding.token)
          return {
            name: `holdings and ${loaded.name}`,
            state: 'warn',
            expected: 'every holding in one of its weights',
            actual: `${show(holding)} ${isHalf ? `not seen: ${half.sentence}` : 'in no weight'}`,
          }
        })
    })
  } catch (error) {
    return [noAnswer('holdings', error)]
  }
}
