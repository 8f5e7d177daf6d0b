import type { z } from 'zod'
import { parseDecimal } from '../../core/decimal.ts'
import { nearest } from '../../core/nearest.ts'
import {
  addressExample,
  addressText,
  bpsText,
  filePath,
  insecure,
  integer,
  listenAt,
  logLevel,
  nodeKeys,
  slug,
  symbolText,
  tokenExample,
  tokenKeys,
  url,
  wholeSeconds,
  wrapsNative,
  yesOrNo,
} from '../file/codecs.ts'
import { choice, key, list, named, plain, reject, section, text } from '../file/field.ts'
import { type Listed, listedToken, minimumInBase, sides, tokenPair } from '../file/tokens.ts'

/** The tokens of `service.yaml`. */
export const serviceTokens = named(
  symbolText,
  section(
    {
      ...tokenKeys({ decimalsMax: 36 }),
      wrapsNative,
      isDollar: key(
        yesOrNo.prefault(false),
        'Whether it is worth one US dollar by definition. Fees are shown in it.',
      ),
    },
    tokenExample,
  ),
  `{ WETH: ${tokenExample} }`,
)

/** The router's own cap. */
const feeBpsMax = 100

const fee = bpsText('0 bps', (share, written) => {
  if (share > feeBpsMax) reject(`${written} is more than the router allows: at most 100 bps.`)
})

const gasWeight = text(
  (written) => {
    parseDecimal(written, 6)
    return Number(written)
  },
  { example: '1', form: 'A plain decimal, in quotes.', encode: String },
)

const pool = (pair: ReturnType<typeof pairOf>) =>
  section(
    {
      kind: key(choice(['uniswap-v2', 'uniswap-v3'], 'uniswap-v2'), 'The kind of pool.'),
      address: key(addressText, 'The contract of the pool.'),
      tokens: key(pair, 'The two tokens it holds.'),
      fee: key(
        choice(['100', '500', '3000', '10000'], '500').optional(),
        'Of a v3 pool, in millionths of the input.',
      ),
    },
    `{ kind: uniswap-v2, address: "${addressExample}", tokens: [WETH, USDC] }`,
  ).transform(({ kind, address: at, tokens, fee: written }, context) => {
    const complain = (message: string, path: string[] = []) =>
      context.addIssue({ code: 'custom', path, message })
    if (kind === 'uniswap-v3' && written === undefined)
      complain('a v3 pool has a fee: write fee: 100, 500, 3000 or 10000.')
    if (kind === 'uniswap-v2' && written !== undefined)
      complain('all v2 pools have the same fee: remove it.', ['fee'])
    return {
      address: at,
      tokens,
      /** Undefined: a v2 pair. */
      v3Fee: written === undefined ? undefined : feeOf[written],
    }
  })

const feeOf = { 100: 100, 500: 500, 3000: 3000, 10000: 10000 } as const

const pairOf = (token: ReturnType<typeof listedToken>) =>
  tokenPair(token).superRefine(([base, quote], context) => {
    if (base.symbol === quote.symbol)
      context.addIssue({
        code: 'custom',
        message: `${base.symbol} is traded for itself: name two tokens.`,
      })
  })

const remoteMaker = (pair: ReturnType<typeof pairOf>) =>
  section(
    {
      name: key(slug('maker-b'), 'The name of the maker.'),
      url: key(
        url('http://127.0.0.1:9000'),
        "The address of 'ballast maker'. Its API key is in `MAKER_API_KEY_<NAME>`.",
      ),
      insecure,
      address: key(addressText, 'The account that must have signed its orders.'),
      pairs: key(
        list(pair, '[[WETH, USDC]]').min(1, 'names no pair.'),
        'The pairs it is called for.',
      ),
    },
    `{ name: maker-b, url: "http://127.0.0.1:9000", address: "${addressExample}", pairs: [[WETH, USDC]] }`,
  )

/** `service.yaml`: the market a desk serves, read with its own tokens. */
export function serviceFile({
  listed,
  beside,
}: {
  readonly listed: Listed | undefined
  readonly beside: (name: string) => string
}) {
  const known = [...(listed?.keys() ?? [])]
  const token = listedToken(listed, (symbol) => {
    const meant = nearest(symbol, known)
    return meant === undefined ? `: known are ${known.join(', ')}.` : `; did you mean ${meant}?`
  })
  const pair = pairOf(token)
  const book = section(
    { pair: key(pair, 'The base, and the token that prices are in.'), ...sides, minimumInBase },
    '{ pair: [WETH, USDC], bid: [["10", "3000"]], ask: [["10", "3010"]] }',
  ).transform(({ pair: [base, quote], ...levels }) => ({ base, quote, ...levels }))
  const maker = section(
    {
      name: key(slug('maker-a'), 'The name of the maker. Its key is in `MAKER_KEY_<NAME>`.'),
      books: key(
        list(book, '[{ pair: [WETH, USDC], … }]').min(1, 'names no book.'),
        'What it quotes.',
      ),
    },
    '{ name: maker-a, books: [{ pair: [WETH, USDC], … }] }',
  )
  return section(
    {
      chain: key(chain, 'The chain, and the node that serves it.'),
      router: key(addressText, 'The router that settles.'),
      executor: key(
        addressText,
        "The router's AMM executor; compared with the router's own at the start.",
      ),
      tokens: key(serviceTokens, 'The tokens that are quoted, by their symbol.'),
      pools: key(
        list(pool(pair), '[{ kind: uniswap-v2, … }]').prefault([]),
        'Pools to route through.',
      ),
      makers: key(
        list(maker, '[{ name: maker-a, books: … }]').prefault([]),
        'Makers that sign in this process.',
      ),
      remoteMakers: key(
        list(remoteMaker(pair), '[{ name: maker-b, url: …, address: "0x…", pairs: … }]').prefault(
          [],
        ),
        'Makers in processes of their own; their keys are theirs.',
      ),
      hubs: key(
        list(token, '[WETH, USDC]').max(6, 'names more than six tokens.').prefault([]),
        'Tokens a route may pass through.',
      ),
      gasWeight: key(
        gasWeight.prefault('1'),
        'How much of the gas price counts when sources are chosen.',
      ),
      ...limits,
      widgetFee: key(widgetFee, 'The fee of the service. FEE_SIGNER_KEY signs for it.'),
      expiry: key(expiry.prefault({}), 'How long a firm quote is good.'),
      keysFile: key(
        filePath('./service.keys', beside).optional(),
        'A file of API keys. Without it no key is needed.',
      ),
      rateLimit: key(rateLimit.prefault({}), 'How often one caller may call.'),
      errorStyle: key(
        choice(['status', 'native200'], 'status').prefault('status'),
        'How errors are answered. `native200` answers them with status 200.',
      ),
      listen: key(listenAt('8788'), 'Where the service listens.'),
      logLevel: key(logLevel, 'The least serious line that is logged.'),
    },
    'chain, router, executor, tokens, widgetFee, and pools or makers',
  )
}

const chain = section(
  {
    name: key(slug('ethereum'), 'The name clients choose the chain by.'),
    label: key(
      plain(() => undefined, { example: 'Ethereum', form: 'Any text.' }),
      'The name people read.',
    ),
    currency: key(symbolText, "The symbol of the chain's own currency."),
    ...nodeKeys(['RPC_URL_<CHAIN>', 'RPC_URL']),
  },
  '{ name: ethereum, chainId: 1, label: Ethereum, currency: ETH, rpcUrl: "https://…" }',
)

const widgetFee = section(
  {
    recipient: key(addressText, 'Who receives the fee.'),
    rate: key(fee.prefault('0 bps'), 'The fee, of what is sold.', 'bps'),
  },
  `{ recipient: "${addressExample}", rate: 0 bps }`,
)

const expiry = section(
  {
    default: key(
      wholeSeconds({ min: '1s', max: '120s', example: '60s' }).prefault('60s'),
      'Where a request does not say.',
      'defaultSeconds',
    ),
    max: key(
      wholeSeconds({ min: '1s', max: '120s', example: '120s' }).prefault('120s'),
      'At most.',
      'maxSeconds',
    ),
  },
  '{ default: 60s, max: 120s }',
)

const takers = section(
  {
    share: key(
      bpsText('2500 bps', atMostAll).prefault('2500 bps'),
      "The part of a maker's stock that the open firm quotes of one API key, or of one address without keys, may hold back.",
      'shareBps',
    ),
    balance: key(
      choice(['required', 'ignored'], 'required').prefault('required'),
      'Whether a firm quote needs a taker that holds the amount. `ignored` serves clients that only rehearse.',
    ),
  },
  '{ share: 2500 bps, balance: required }',
)

/** What a quote may cost the makers, what the book shows, and what callers need. */
const limits = {
  maxImpact: key(
    bpsText('1000 bps', atMostAll).prefault('1000 bps'),
    "How far a quote's price may be below the best one for a hundredth of the amount; a larger amount is refused as too much.",
    'impactBpsMax',
  ),
  orderbook: key(
    choice(['asks-and-bids', 'asks'], 'asks-and-bids').prefault('asks-and-bids'),
    'How makers’ asks are listed: as asks and as bids for their quote token, for clients that read bids alone; or as asks only.',
  ),
  takers: key(
    takers.prefault({}),
    'What a caller needs, and how much it may hold back from others.',
  ),
}

function atMostAll(share: number, written: string): void {
  if (share > 10_000) reject(`${written} is more than all of it: write at most 10000 bps.`)
}

const rateLimit = section(
  {
    perSecond: key(
      integer({ min: 1, max: 1_000_000, example: '10' }).prefault('10'),
      'Calls a second, in the long run.',
    ),
    burst: key(integer({ min: 1, max: 1_000_000, example: '20' }).prefault('20'), 'Calls at once.'),
  },
  '{ perSecond: 10, burst: 20 }',
)

/** The file as a form to fill in. */
export const serviceForm: z.ZodType = serviceFile({ listed: undefined, beside: (name) => name })

export type ServiceValues = z.output<ReturnType<typeof serviceFile>>
