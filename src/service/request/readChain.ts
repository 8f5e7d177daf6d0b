import type { ServiceMarket } from '../market.ts'
import { QuoteRefused } from '../refusal/errors.ts'

/**
 * The chain a request is for. Throws unless it is ours: by `chain`, or by `src_chain` and `dst_chain`, by name in any
 * letter case or by its number.
 */
export function readChain({ chain: { chain, chainId } }: ServiceMarket, query: Query): void {
  const single = textOf(query.chain)
  const source = textOf(query.src_chain) ?? single
  const destination = textOf(query.dst_chain) ?? single
  if (source === undefined || destination === undefined)
    throw new QuoteRefused('INVALID_PARAMETER', missing(source, destination))
  const isOurs = (name: string) => name === chain.toLowerCase() || name === String(chainId)
  const agrees = (name: string) => name === single || (isOurs(name) && isOurs(single ?? name))
  if (single !== undefined && !(agrees(source) && agrees(destination)))
    throw new QuoteRefused('INVALID_PARAMETER', 'chain contradicts src_chain or dst_chain.')
  if (!isOurs(source))
    throw new QuoteRefused(
      'UNKNOWN_CHAIN',
      `${textOf(query.src_chain) === undefined ? 'chain' : 'src_chain'} is not a supported chain; see GET /v1/chains.`,
    )
  if (!isOurs(destination))
    throw new QuoteRefused(
      'CROSS_CHAIN_UNSUPPORTED',
      'dst_chain is not src_chain: swaps across chains are not supported.',
    )
}

function missing(source: string | undefined, destination: string | undefined): string {
  if (source === destination) return 'chain is required, or both src_chain and dst_chain.'
  return `${source === undefined ? 'src_chain' : 'dst_chain'} is required beside the other one, or chain alone.`
}

const textOf = (text: string | undefined) =>
  text === undefined || text === '' ? undefined : text.toLowerCase()

/** Query parameters as they came: text, none repeated. */
export type Query = Readonly<Record<string, string>>
