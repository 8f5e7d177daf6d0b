import type { z } from 'zod'
import { invalidConfig } from '../../core/invalidConfig.ts'
import type { Problem } from '../../core/problem.ts'
import type { Secret } from '../../core/secret.ts'
import {
  addressExample,
  addressText,
  bpsText,
  chainId,
  listenAt,
  logLevel,
  nodeKeys,
  slug,
  symbolText,
  tokenExample,
  tokenKeys,
  wholeSeconds,
} from '../file/codecs.ts'
import { key, list, named, section } from '../file/field.ts'
import { makerApiKey } from '../file/makerApiKey.ts'
import { type FileSource, openFile, readValue } from '../file/openFile.ts'
import { valueAt } from '../file/overrides.ts'
import { makerKeyOf } from '../file/privateKeys.ts'
import { readWith } from '../file/schemaTree.ts'
import {
  brokenSides,
  decimal,
  type Listed,
  listedToken,
  listedTokens,
  minimumInBase,
  repeatedBooks,
  sides,
  tokenPair,
  tooFine,
} from '../file/tokens.ts'
import { nameInVariable } from '../file/variables.ts'

const tokenList = named(
  symbolText,
  section(tokenKeys({ decimalsMax: 36 }), tokenExample),
  `{ WETH: ${tokenExample} }`,
)

/** Quotes around the price of a Uniswap v2 pair. */
const follow = section(
  {
    pool: key(addressText, 'The Uniswap v2 pair whose price is followed.'),
    halfSpread: key(
      bpsText('4 bps'),
      'How far from that price it quotes, to either side.',
      'halfSpreadBps',
    ),
    sizes: key(
      list(decimal('1'), '["1", "4", "10"]').min(1, 'names no size.'),
      'Amounts of the base, each for a price of its own; not cumulative.',
    ),
    step: key(
      bpsText('2 bps').prefault('0 bps'),
      'How much worse each further size is priced.',
      'stepBps',
    ),
    impact: key(
      bpsText('5 bps').prefault('0 bps'),
      'How much worse the average price of the whole book is, for its size.',
      'impactBps',
    ),
    volatility: key(decimal('0.7').transform(Number), 'Annual: "0.7" is 70 %.'),
    volatilityMax: key(
      decimal('3')
        .optional()
        .transform((limit) => (limit === undefined ? undefined : Number(limit))),
      'The volatility above which nothing is offered.',
    ),
    skew: key(
      section(
        {
          rate: key(bpsText('10 bps'), 'How far both sides move at the limit.', 'bps'),
          target: key(decimal('100'), 'The amount of the base that the maker wants to hold.'),
          limit: key(
            decimal('50'),
            'The distance from the target up to which the skew grows, in base.',
          ),
        },
        '{ rate: 10 bps, target: "100", limit: "50" }',
      ).optional(),
      'Prices that fall when the maker holds too much, and rise when it holds too little.',
    ),
  },
  `{ pool: "${addressExample}", halfSpread: 4 bps, sizes: ["1", "4"], volatility: "0.7" }`,
)

const chain = section(nodeKeys(['RPC_URL']), '{ chainId: 1, rpcUrl: "https://…" }')

/** `maker.yaml`: one maker that serves itself, read with its own tokens. */
function makerFile(listed: Listed | undefined) {
  const book = section(
    {
      pair: key(
        tokenPair(listedToken(listed, () => '.')),
        'The base, and the token that prices are in.',
      ),
      ...sides,
      follow: key(follow.optional(), 'Prices that follow a pool, in place of bid and ask.'),
      minimumInBase,
    },
    '{ pair: [WETH, USDC], bid: [["10", "3000"]], ask: [["10", "3010"]] }',
  ).transform(({ pair: [base, quote], ...rest }) => ({ base, quote, ...rest }))
  return section(
    {
      name: key(slug('maker-a'), 'The name of the maker. Its key is in `MAKER_KEY_<NAME>`.'),
      chain: key(chain, 'The chain, and the node that serves it.'),
      router: key(addressText, 'The router that settles.'),
      tokens: key(tokenList, 'The tokens of the books, by their symbol.'),
      books: key(
        list(book, '[{ pair: [WETH, USDC], … }]').min(1, 'names no book.'),
        'What it quotes.',
      ),
      expiryMax: key(
        wholeSeconds({ min: '1s', max: '1h', example: '120s' }).prefault('120s'),
        'How long an order may be good at most.',
        'expiryMaxSeconds',
      ),
      listen: key(listenAt('9000'), 'Where the maker listens.'),
      logLevel: key(logLevel, 'The least serious line that is logged.'),
    },
    'name, chain, router, tokens and books',
  )
}

/** The file as a form to fill in. */
export const makerForm: z.ZodType = makerFile(undefined)

type Values = z.output<ReturnType<typeof makerFile>>

/** The configuration of `ballast maker`: `maker.yaml` and the environment, checked. */
export type MakerConfig = Omit<Values, 'chain' | 'tokens'> &
  Values['chain'] & {
    readonly key: Secret
    /** The key a quoting service must send; undefined: any caller is served. */
    readonly apiKey: Secret | undefined
  }

/** Reads `maker.yaml` and the environment. Throws every problem at once, each with file and line. */
export function readMakerConfig(source: FileSource): MakerConfig {
  const file = openFile(source, { form: makerForm, init: 'docs/MAKERS.md has an example' })
  const id = readWith(chainId, valueAt(file.raw, ['chain', 'chainId'])).value ?? 1
  const written = valueAt(file.raw, ['tokens'])
  const listed = listedTokens(tokenList, { written, chainId: id })
  const { chain: where, tokens, ...values } = readValue(file, makerFile(listed), checkBooks)
  const name = `MAKER_KEY_${nameInVariable(values.name)}`
  const { key, problem } = makerKeyOf(file.lookUp(name), { name, cwd: source.cwd, chainId: id })
  if (problem !== undefined) throw invalidConfig([problem])
  const apiKey = makerApiKey(file.lookUp('MAKER_API_KEY'), source.cwd)
  return { ...values, ...where, key, apiKey }
}

function checkBooks({ books }: Values): readonly Problem[] {
  const wrong = books.flatMap(({ base, bid, ask, follow, minimumInBase }, index) => {
    const path = ['books', index]
    const isFixed = bid.length + ask.length > 0
    const amounts = [
      ...[...bid, ...ask].map(([amount]) => amount),
      ...(follow?.sizes ?? []),
      minimumInBase,
    ]
    return [
      ...(isFixed === (follow !== undefined)
        ? [{ path, sentence: 'has either levels (bid, ask) or follow.' }]
        : []),
      ...tooFine(
        amounts.map((amount) => ({ amount, path })),
        base,
      ),
      ...brokenSides({ bid, ask }, path),
    ]
  })
  return [...wrong, ...repeatedBooks(books, ['books'])]
}
