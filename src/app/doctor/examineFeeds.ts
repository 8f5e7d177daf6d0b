import { priceSources } from '../../chain/abi/contracts.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { type Rpc, saysNo } from '../../chain/rpc/rpc.ts'
import { presets } from '../../config/presets.ts'
import { display } from '../../core/display.ts'
import { sameAddress, type Token } from '../../core/token.ts'
import type { Finding, Scene } from './finding.ts'
import { noAnswer } from './noAnswer.ts'

/** Is each feed the one of its pair, by what the contract calls itself? */
export async function examineFeeds(
  rpc: Rpc,
  { chain, policy }: Scene['config'],
): Promise<readonly Finding[]> {
  const feeds = policy.references.flatMap((one) => (one.kind === 'feed' ? [one] : []))
  return Promise.all(feeds.map((feed) => examineFeed(rpc, { ...feed, ...chain })))
}

type Feed = {
  readonly pair: readonly [base: Token, quote: Token]
  readonly address: `0x${string}`
  readonly chainId: number
}

async function examineFeed(rpc: Rpc, { pair, address, chainId }: Feed): Promise<Finding> {
  const [base, quote] = pair
  const name = `feed ${base.symbol}/${quote.symbol}`
  const preset = presets
    .find((one) => one.chainId === chainId)
    ?.feeds.find((one) => one.symbol === base.symbol && sameAddress(one.address, address))
  const names = preset === undefined ? namesOf(base, quote) : [preset.is]
  const expected = names.join(' or ')
  // A feed that only stands in for its pair calls itself otherwise, and its operator knows; a preset knows its own.
  const otherwise = preset === undefined ? 'warn' : 'fail'
  try {
    const call = { abi: priceSources.feed, functionName: 'description', args: [] } as const
    const found = display(await rpc.request(readContract({ address, ...call })), 64)
    const state = names.includes(found) ? 'ok' : otherwise
    return { name, state, expected, actual: found, fault: 'usage' }
  } catch (error) {
    if (!saysNo(error)) return noAnswer(name, error)
    // Not every source of a price in this form has a name.
    const state = preset === undefined ? 'ok' : 'fail'
    return { name, state, expected, actual: `no name at ${address}`, fault: 'usage' }
  }
}

/** A feed is of the asset, and not of the token that wraps it. */
function namesOf({ symbol }: Token, quote: Token): readonly string[] {
  const bare = symbol.replace(/^W/, '')
  return [...new Set([symbol, bare])].map((one) => `${one} / ${quote.symbol}`)
}
