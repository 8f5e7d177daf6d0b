import type { Query } from '../endpoints/operation.ts'
import { QuoteRefused } from '../errors.ts'
import type { Market } from '../market.ts'

/** The chain a request is for. Throws unless it is ours: by `chain`, or by `src_chain` and `dst_chain`. */
export function readChain(market: Market, query: Query): void {
  const { chain, src_chain, dst_chain } = lowerCase(query)
  if (chain !== undefined && [src_chain, dst_chain].some((other) => (other ?? chain) !== chain))
    throw new QuoteRefused('INVALID_PARAMETER', 'chain contradicts src_chain or dst_chain.')
  const source = src_chain ?? chain
  const destination = dst_chain ?? chain
  if (source === undefined || destination === undefined)
    throw new QuoteRefused(
      'INVALID_PARAMETER',
      'chain is required, or both src_chain and dst_chain.',
    )
  const names = [market.chain.chain.toLowerCase(), String(market.chain.chainId)]
  if (!names.includes(source))
    throw new QuoteRefused('UNKNOWN_CHAIN', 'The chain is not supported; see GET /v1/chains.')
  if (!names.includes(destination))
    throw new QuoteRefused('CROSS_CHAIN_UNSUPPORTED', 'Swaps across chains are not supported.')
}

function lowerCase({ chain, src_chain, dst_chain }: Query) {
  const clean = (text: string | undefined) =>
    text === undefined || text === '' ? undefined : text.toLowerCase()
  return { chain: clean(chain), src_chain: clean(src_chain), dst_chain: clean(dst_chain) }
}
