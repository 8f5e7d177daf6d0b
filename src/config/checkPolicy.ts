import type { z } from 'zod'
import type { Problem } from '../core/problem.ts'
import { sameAddress, type Token } from '../core/token.ts'
import { addressText } from './file/codecs.ts'
import { readWith } from './file/schemaTree.ts'
import type { TextAt } from './file/tokens.ts'
import { policyLimits } from './policy.ts'
import type { quoteSection } from './quoteService.ts'
import type { TokenCodecs } from './tokens.ts'

type Raw = Readonly<Record<string, unknown>>
type Quote = z.output<typeof quoteSection>

/** Contradictions between the keys of the policy. */
export function checkPolicy(raw: Raw, codecs: TokenCodecs): readonly Problem[] {
  const policy = recordOf(raw.policy)
  return [
    ...checkLists(policy, codecs),
    ...checkRecipients(raw),
    ...checkAllowances(raw),
    ...checkNotional(raw, codecs),
    ...checkBands(policy, codecs),
    ...checkReferences(policy.references, codecs),
  ]
}

/** What a swap pays to a token or to the router stays there. */
function checkRecipients(raw: Raw): readonly Problem[] {
  const tokens = Object.entries(recordOf(raw.tokens)).map(
    ([symbol, token]) => [`the contract of ${symbol}`, recordOf(token).address] as const,
  )
  const { router, executor } = recordOf(raw.service)
  const contracts = [
    ...tokens,
    ...([
      ['service.router', router],
      ['service.executor', executor],
    ] as const),
  ]
  return itemsOf(recordOf(raw.policy).recipients, addressText).flatMap(({ index, value }) => {
    const [what] =
      contracts.find(([, one]) => typeof one === 'string' && sameAddress(one, value)) ?? []
    if (what === undefined) return []
    const sentence = `is ${what}: what a swap pays there is lost.`
    return [{ path: ['policy', 'recipients', index], sentence }]
  })
}

/** A router that is not read could take what stands at any time, in no swap of ours. */
function checkAllowances(raw: Raw): readonly Problem[] {
  const { allowances } = recordOf(raw.policy)
  if (recordOf(raw.service).profile !== 'opaque' || !Array.isArray(allowances)) return []
  if (allowances.length === 0) return []
  const sentence =
    'leaves an allowance to a router that cannot be read (service.profile: opaque), which could take it in no swap of yours: remove it.'
  return [{ path: ['policy', 'allowances'], sentence }]
}

/** Quotes that the policy would always refuse. */
export function checkQuote(
  raw: unknown,
  { quote, textAt }: { quote: Quote; textAt: TextAt },
): readonly Problem[] {
  const policy = recordOf(raw)
  const slippage = readWith(policyLimits.maxSlippage.schema, policy.maxSlippage).value
  const left = readWith(policyLimits.minTimeToDeadline.schema, policy.minTimeToDeadline).value
  const problems: Problem[] = []
  const says = (name: string, sentence: string) => {
    const path = ['quote', name]
    problems.push({ path, sentence: `${textAt(path)} ${sentence}` })
  }
  if (slippage !== undefined && quote.slippageBps > slippage)
    says(
      'slippage',
      `is above policy.maxSlippage (${policy.maxSlippage}): lower it, or every swap is refused.`,
    )
  if (left !== undefined && quote.expirySeconds <= left)
    says(
      'expiry',
      `does not reach policy.minTimeToDeadline (${policy.minTimeToDeadline}): raise it, or every quote is too old.`,
    )
  return problems
}

/** The items of a list that are right by themselves, with their text. */
function itemsOf<value>(list: unknown, codec: z.ZodType<value>) {
  if (!Array.isArray(list)) return []
  return list.flatMap((text: unknown, index) => {
    const { value } = readWith(codec, text)
    return value === undefined ? [] : [{ index, text: String(text), value }]
  })
}

/** A token is listed once, and allowed where it is limited or paired. */
function checkLists(policy: Raw, { token, amount, pair }: TokenCodecs): readonly Problem[] {
  const amountsOf = (name: string) =>
    itemsOf(policy[name], amount('5 WETH')).map(({ index, value }) => ({
      path: ['policy', name, index],
      symbol: value.token.symbol,
    }))
  const tokensOf = (name: string) =>
    itemsOf(policy[name], token).map(({ index, value: { symbol } }) => ({
      path: ['policy', name, index],
      symbol,
    }))
  const tokens = tokensOf('tokens')
  const allowed = new Set(tokens.map(({ symbol }) => symbol))
  const isRefused = (symbol: string) => Array.isArray(policy.tokens) && !allowed.has(symbol)
  return [
    ...[tokens, tokensOf('permits'), ...['perSwap', 'perDay', 'allowances'].map(amountsOf)].flatMap(
      (list) =>
        list.flatMap(({ path, symbol }, index): readonly Problem[] => {
          if (list.slice(0, index).some((earlier) => earlier.symbol === symbol))
            return [{ path, sentence: `${symbol} is in this list already: keep one of them.` }]
          if (!isRefused(symbol)) return []
          return [
            {
              path,
              sentence:
                path[1] === 'permits'
                  ? `${symbol} is in policy.permits but not in policy.tokens: add it there or remove it here.`
                  : `${symbol} has a limit but is not in policy.tokens: add it there or remove the limit.`,
            },
          ]
        }),
    ),
    ...itemsOf(policy.pairs, pair).flatMap(({ index, text }) =>
      text
        .split('/')
        .filter(isRefused)
        .map((symbol) => ({
          path: ['policy', 'pairs', index],
          sentence: `${symbol} is in a pair but not in policy.tokens: add it there or remove the pair.`,
        })),
    ),
  ]
}

/** All limits count in one unit: sums of different ones mean nothing. */
function checkNotional({ chain, policy, service }: Raw, codecs: TokenCodecs): readonly Problem[] {
  const unit = readWith(codecs.unit.prefault('USD'), recordOf(policy).unit).value
  if (unit === undefined) return []
  const worth = codecs.worth('20000 USD')
  const notional = recordOf(recordOf(policy).notional)
  const limits = ['perSwap', 'perHour', 'perDay', 'perStrategy'].map((name) => ({
    path: ['policy', 'notional', name],
    text: notional[name],
  }))
  const gaps = recordOf(recordOf(policy).proof)
  const caps = ['probed', 'untraced', 'unwitnessed'].map((name) => ({
    path: ['policy', 'proof', name],
    text: gaps[name],
  }))
  const above = readWith(worth, recordOf(recordOf(chain).witness).above).value
  const foreign = { path: ['service', 'maxNotional'], text: recordOf(service).maxNotional }
  const perSwap = readWith(worth, notional.perSwap).value
  return [...limits, ...caps, foreign].flatMap(({ path, text }): readonly Problem[] => {
    const { value } = readWith(worth, text)
    if (value === undefined) return []
    if (value.token.symbol !== unit.symbol) {
      const sentence = `${text} is not in ${unit.symbol}, the unit of account (policy.unit): count it in that.`
      return [{ path, sentence }]
    }
    if (
      path.at(-1) === 'unwitnessed' &&
      above?.token.symbol === unit.symbol &&
      value.wei < above.wei
    ) {
      const sentence = `${text} is below chain.witness.above: lower that as well, or what is between is refused.`
      return [{ path, sentence }]
    }
    if (path !== foreign.path || perSwap === undefined || value.wei < perSwap.wei) return []
    const sentence = `${text} is not below policy.notional.perSwap: a router that cannot be read gets less.`
    return [{ path, sentence }]
  })
}

/** Bands are prices in the unit of account, and each has room; a token has one, under whichever name. */
function checkBands(policy: Raw, codecs: TokenCodecs): readonly Problem[] {
  const unit = readWith(codecs.unit.prefault('USD'), policy.unit).value
  const worth = codecs.worth('1500 USD')
  const banded = new Map<Token, string>()
  return Object.entries(recordOf(policy.bands)).flatMap(([symbol, band]): readonly Problem[] => {
    const alike = readWith(codecs.token, symbol).value === undefined ? [] : codecs.alike(symbol)
    const other = alike.map((token) => banded.get(token)).find((name) => name !== undefined)
    for (const token of alike) banded.set(token, symbol)
    if (other !== undefined)
      return [
        {
          path: ['policy', 'bands', symbol],
          sentence: `is the band of ${other} as well: write one for both.`,
        },
      ]
    const { min, max } = recordOf(band)
    const ends = [min, max].map((text) => readWith(worth, text).value)
    const [low, high] = ends
    if (unit === undefined || low === undefined || high === undefined) return []
    const path = ['policy', 'bands', symbol]
    const says = (sentence: string) => [{ path, sentence }]
    if (ends.some((end) => end?.token.symbol !== unit.symbol))
      return says(
        `is not in ${unit.symbol}, the unit of account (policy.unit): write both in that.`,
      )
    if (low.wei === 0n || low.wei > high.wei)
      return says(`${min} to ${max} is no band: write a min above 0 that is not above max.`)
    return []
  })
}

/** A price counts once, and only a feed knows dollars. */
function checkReferences(references: unknown, { pricedPair }: TokenCodecs): readonly Problem[] {
  if (!Array.isArray(references)) return []
  const seen = new Set<string>()
  return references.flatMap((reference: unknown, index): readonly Problem[] => {
    const path = ['policy', 'references', index]
    const { kind, pair, address, url } = recordOf(reference)
    const sides = readWith(pricedPair, pair).value
    if (sides === undefined) return []
    const problems: Problem[] = []
    // A book may hold many pairs, a contract has one.
    const pairKey = sides
      .map((side) => side.address.toLowerCase())
      .sort()
      .join(' ')
    const isContract = typeof address === 'string'
    const source = isContract ? address.toLowerCase() : `${kind} ${pairKey} ${url ?? ''}`
    if (seen.has(source))
      problems.push({
        path: [...path, isContract ? 'address' : 'pair'],
        sentence: 'is in this list already: a price counts once, so keep one of them.',
      })
    seen.add(source)
    if ((kind === 'pool' || kind === 'order-book') && String(pair).split('/').includes('USD'))
      problems.push({
        path: [...path, 'pair'],
        sentence: `no ${kind} trades US dollars: write the token it trades, or use kind: feed.`,
      })
    return problems
  })
}

function recordOf(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
