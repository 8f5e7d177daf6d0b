import { hostNameOf } from '../core/hostOf.ts'
import type { Path, Problem } from '../core/problem.ts'
import { manualStrategy, recoveredStrategy } from '../core/reservedStrategies.ts'
import { sameAddress, usdAddress } from '../core/token.ts'
import type { ChainConfig } from './chain.ts'
import { checkPolicy, checkQuote } from './checkPolicy.ts'
import type { ballastKeys } from './config.ts'
import { isSection } from './file/overrides.ts'
import { readWith, withDefaults } from './file/schemaTree.ts'
import { type CheckedTokens, checkTokens, type TextAt } from './file/tokens.ts'
import { type Tokens, tokenCodecs, tokensSection } from './tokens.ts'

type Raw = Readonly<Record<string, unknown>>

/**
 * Contradictions between keys. Looks at each part that is right by itself, so that a mistake in one section
 * does not hide those in the next.
 */
export function checkConfig(
  raw: Raw,
  { keys, tokens }: { keys: ReturnType<typeof ballastKeys>; tokens: Tokens | undefined },
): readonly Problem[] {
  const textAt: TextAt = ([name = '', ...path]) => {
    const schema = keys[name as keyof typeof keys].schema
    const text = path.reduce<unknown>(
      (part, step) => (part as Record<string | number, unknown> | undefined)?.[step],
      withDefaults(schema, raw[name]),
    )
    return String(text)
  }
  const chain = readWith(keys.chain.schema, raw.chain).value
  const quote = readWith(keys.quote.schema, raw.quote).value
  return [
    ...repeatedNames(raw.strategies),
    ...(tokens === undefined ? [] : checkListed(raw.tokens, { tokens, textAt })),
    ...(chain === undefined ? [] : checkEndpoints(chain)),
    ...(chain === undefined
      ? []
      : checkPrivacy(chain, {
          raw: raw.chain,
          expiry: quote && { ms: quote.expirySeconds * 1_000, text: textAt(['quote', 'expiry']) },
        })),
    ...(tokens === undefined ? [] : checkPolicy(raw, tokenCodecs(tokens))),
    ...(isSection(raw.treasury) && textAt(['policy', 'unit']) !== 'USD' ? [unitOfTreasury] : []),
    ...(quote === undefined ? [] : checkQuote(raw.policy, { quote, textAt })),
  ]
}

const unitOfTreasury: Problem = {
  path: ['policy', 'unit'],
  sentence: 'is not USD, in which treasury adds up all wallets: write USD, or remove treasury.',
}

function checkListed(
  raw: unknown,
  { tokens, textAt }: { tokens: Tokens; textAt: TextAt },
): readonly Problem[] {
  const listed = readWith(tokensSection, raw).value ?? {}
  const currency = tokens.native.symbol
  return [
    ...checkTokens({ currency, listed, textAt }),
    ...checkDollar({ currency, listed, textAt }),
  ]
}

/** A token of that name or address would be taken for the dollar, or the dollar for it. */
function checkDollar({ currency, listed, textAt }: CheckedTokens): readonly Problem[] {
  const sentence =
    'USD is the US dollar itself, which policy counts in and nobody can trade: give the token another symbol.'
  return [
    ...(currency === 'USD' ? [{ path: ['chain', 'currency'], sentence }] : []),
    ...Object.entries(listed).flatMap(([symbol, { address }]): readonly Problem[] => {
      if (symbol === 'USD') return [{ path: ['tokens', symbol], sentence }]
      if (!sameAddress(address, usdAddress)) return []
      const path = ['tokens', symbol, 'address']
      return [
        {
          path,
          sentence: `${textAt(path)} stands for the US dollar, and no token is there: write the address of ${symbol}.`,
        },
      ]
    }),
  ]
}

/** A node agrees with itself, and sending the same bytes twice to one node proves nothing. */
function checkEndpoints({
  rpcUrl,
  fallbackUrls,
  witness,
  alsoSendTo,
}: ChainConfig): readonly Problem[] {
  const read = [rpcUrl, ...fallbackUrls].map((url) => url.reveal())
  const second = witness?.rpcUrl.reveal()
  const more = alsoSendTo.map((url) => url.reveal())
  const senders = witness?.sends === true ? [...read, second ?? ''] : read
  return [
    ...(second !== undefined && isAmong(second, read)
      ? [
          {
            path: ['chain', 'witness', 'rpcUrl'],
            sentence:
              'is the address of chain.rpcUrl or of a fallback, and a node agrees with itself: name one of another operator.',
          },
        ]
      : []),
    ...fallbackUrls.flatMap((_, index) =>
      isAmong(read[index + 1] ?? '', read.slice(0, index + 1))
        ? [
            {
              path: ['chain', 'fallbackUrls', index],
              sentence: 'is the address of an endpoint before it: remove it.',
            },
          ]
        : [],
    ),
    ...more.flatMap((url, index) =>
      isAmong(url, [...senders, ...more.slice(0, index)])
        ? [
            {
              path: ['chain', 'alsoSendTo', index],
              sentence: 'is the address of an endpoint that gets the bytes already: remove it.',
            },
          ]
        : [],
    ),
  ]
}

/** What keeps signed bytes private must not contradict itself: a relay that is also public, or an endpoint that would get nothing. */
function checkPrivacy(
  { rpcUrl, fallbackUrls, witness, alsoSendTo, sendTo, publicAfterMs }: ChainConfig,
  { raw, expiry }: { raw: unknown; expiry: { ms: number; text: string } | undefined },
): readonly Problem[] {
  const at = (...path: Path) => ['chain', ...path]
  if (sendTo.length === 0)
    return publicAfterMs === undefined
      ? []
      : [
          {
            path: at('publicAfter'),
            sentence:
              'says nothing without chain.sendTo, since signed transactions are public at once: write chain.sendTo, or remove it.',
          },
        ]
  const relays = sendTo.map((url) => url.reveal())
  const open = [rpcUrl, ...fallbackUrls, ...alsoSendTo, ...(witness ? [witness.rpcUrl] : [])]
  const asked = isSection(raw) && isSection(raw.witness) && raw.witness.sends !== undefined
  const left = [
    ...(alsoSendTo.length > 0 ? [at('alsoSendTo')] : []),
    ...(asked && witness?.sends === true ? [at('witness', 'sends')] : []),
  ]
  return [
    ...relays.flatMap((url, index): readonly Problem[] => {
      const path = at('sendTo', index)
      if (isAmong(url, relays.slice(0, index)))
        return [{ path, sentence: 'is the address of an endpoint before it: remove it.' }]
      if (!open.some((one) => sameEndpoint(url, one.reveal()))) return []
      const sentence =
        'is the address of a public endpoint of this section, which chain.sendTo replaces: name a private relay, or remove it.'
      return [{ path, sentence }]
    }),
    ...(publicAfterMs === undefined
      ? left.map((path) => ({
          path,
          sentence:
            'sends nothing, since chain.sendTo replaces it: remove one of them, or write chain.publicAfter.',
        }))
      : []),
    ...(publicAfterMs === undefined || expiry === undefined || publicAfterMs < expiry.ms
      ? []
      : [
          {
            path: at('publicAfter'),
            sentence: `is not before a swap's deadline, quote.expiry (${expiry.text}): lower it, or remove it.`,
          },
        ]),
  ]
}

const isAmong = (url: string, others: readonly string[]) =>
  others.some((other) => sameEndpoint(url, other))

/**
 * Whether two addresses lead to one node: the same host, port and path, however each is written. Users, passwords and
 * queries are left out, because two keys of one provider are still one provider.
 */
function sameEndpoint(a: string, b: string): boolean {
  return a === b || placeOf(a) === placeOf(b)
}

/** Every name of this machine is one host. URL parsing has lower-cased the host and dropped the port where it is the scheme's own. */
function placeOf(url: string): string {
  const { protocol, port, pathname } = new URL(url)
  return `${protocol}//${hostNameOf(url)}:${port}${pathname.replace(/\/+$/, '')}`
}

function repeatedNames(strategies: unknown): readonly Problem[] {
  if (!Array.isArray(strategies)) return []
  const seen = new Set<unknown>()
  return strategies.flatMap((strategy: unknown, index) => {
    const name =
      typeof strategy === 'object' && strategy !== null && 'name' in strategy && strategy.name
    if (name === recoveredStrategy)
      return [
        {
          path: ['strategies', index, 'name'],
          sentence: `'${name}' is the name of swaps that were booked from the chain, which count against every strategy: choose another.`,
        },
      ]
    if (name === manualStrategy)
      return [
        {
          path: ['strategies', index, 'name'],
          sentence: `'${name}' is the name of swaps by hand, which would count against its limits: choose another.`,
        },
      ]
    if (typeof name !== 'string' || !seen.has(name)) {
      seen.add(name)
      return []
    }
    return [
      {
        path: ['strategies', index, 'name'],
        sentence: `'${name}' is the name of another strategy: the journal knows a strategy by its name, so give each its own.`,
      },
    ]
  })
}
