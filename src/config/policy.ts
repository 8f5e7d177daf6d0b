import type { z } from 'zod'
import { assert } from '../core/assert.ts'
import {
  addressExample,
  addressText,
  bpsText,
  duration,
  gasLimit,
  gasPrice,
  insecure,
  integer,
  serviceUrl,
  wholeSeconds,
} from './file/codecs.ts'
import { choice, key, list, liveKey, named, section, wrongKind } from './file/field.ts'
import type { TokenCodecs } from './tokens.ts'

/** Limits that name no token. */
export const policyLimits = {
  maxDeviation: liveKey(
    bpsText('100 bps'),
    'How far a quote may be from any independent reference, to either side.',
    'deviationBpsMax',
  ),
  minReferences: liveKey(
    integer({ min: 1, max: 16, example: '1' }).prefault('1'),
    'How many endpoints independent of the service must agree: all references of one node are one, a witness is another, and so is each other book.',
    'referencesMin',
  ),
  cooldown: liveKey(
    duration({ min: '0s', max: '30d', example: '30s' }).prefault('0s'),
    'The shortest time between two swaps of one strategy in one pair.',
    'cooldownMs',
  ),
  maxGasCost: liveKey(
    bpsText('100 bps'),
    'The most that gas may cost, of what is sold.',
    'gasCostBpsMax',
  ),
  maxSlippage: liveKey(bpsText('50 bps'), 'The most that quote.slippage may be.', 'slippageBpsMax'),
  maxFee: liveKey(bpsText('10 bps'), 'The most that the service may charge.', 'feeBpsMax'),
  maxGasPrice: liveKey(gasPrice, 'The most that a unit of gas may cost.', 'gasPriceMax'),
  maxTip: liveKey(
    gasPrice.prefault('5 gwei'),
    'The most of it that is offered on top of the base fee, to be mined. Chains such as Polygon take none below 25 gwei.',
    'tipMax',
  ),
  maxGas: liveKey(
    gasLimit,
    'The most gas one transaction may use. Chains take none that asks for more than 16777216 (EIP-7825).',
    'gasMax',
  ),
  minTimeToDeadline: liveKey(
    wholeSeconds({ min: '1s', max: '120s', example: '8s' }),
    'How long a quote must still be good when it is signed.',
    'timeToDeadlineSecondsMin',
  ),
}

/** The most that a swap may be worth for want of each part of full proof. */
const proofSection = ({ worth }: TokenCodecs) =>
  section(
    {
      probed: liveKey(
        worth('10000 USD').optional(),
        'Where the probe plays it, for want of eth_simulateV1. Half of notional.perSwap unless the file says.',
      ),
      untraced: liveKey(
        worth('2000 USD').optional(),
        'Where its writes are not traced. A tenth of notional.perSwap unless the file says.',
      ),
      unwitnessed: liveKey(
        worth('20000 USD').optional(),
        'Where no witness sees it too. All of notional.perSwap unless the file says.',
      ),
    },
    '{ probed: 10000 USD, untraced: 2000 USD, unwitnessed: 20000 USD }',
  )

/** Limits over all tokens. */
const notionalSection = ({ worth }: TokenCodecs) =>
  section(
    {
      perSwap: key(worth('20000 USD'), 'Of one swap.'),
      perHour: key(worth('20000 USD'), 'In one hour.'),
      perDay: key(worth('20000 USD'), 'In 24 hours.'),
      perStrategy: key(worth('20000 USD'), 'Of one strategy in 24 hours.'),
    },
    '{ perSwap: 20000 USD, perHour: 50000 USD, perDay: 200000 USD, perStrategy: 100000 USD }',
  )

/** `policy:` — the limits of every swap. Default deny: everything that is not listed is refused. */
export function policySection(codecs: TokenCodecs) {
  const { token, tokenName, alike, amount, worth, unit, pair } = codecs
  const amounts = list(amount('5 WETH'), '[5 WETH, 15000 USDC]')
  const band = section(
    {
      min: key(worth('1500 USD'), 'The least that one of it may be worth.'),
      max: key(worth('8000 USD'), 'The most.'),
    },
    '{ min: 1500 USD, max: 8000 USD }',
  )
  return section(
    {
      tokens: key(list(token, '[ETH, WETH, USDC]'), 'What may be bought and sold.'),
      pairs: key(
        list(pair, '[WETH/USDC]').transform((pairs) => pairs.flat()),
        "Which of them for which, in either direction. The chain's own currency counts as the token that wraps it.",
      ),
      recipients: key(
        list(addressText, `["${addressExample}"]`).prefault([]),
        'Who may receive, besides the wallet itself.',
      ),
      perSwap: liveKey(amounts, 'The most one swap sells. A token without a limit is not sold.'),
      perDay: liveKey(
        amounts,
        'The most that is sold in 24 hours, per token. Undecided swaps count as sold. This and `policy.notional` are of a wallet: another one begins at nothing.',
      ),
      allowances: liveKey(
        amounts.prefault([]),
        'The most that the router may be left to take, per token. Of one that is not listed, each swap lets it take exactly what it sells, which is the strictest.',
      ),
      permits: liveKey(
        list(token, '[USDC]').prefault([]),
        'Tokens that are given a permit within the swap in place of an approval before it (EIP-2612), where their contract takes one and the holder of the key signs it. Of the others that are in policy.allowances Permit2 is approved in place of the router, where the chain has it, and each swap brings a transfer through it.',
      ),
      notional: liveKey(notionalSection(codecs), 'Limits over all tokens, in the unit of account.'),
      proof: key(
        proofSection(codecs).prefault({}),
        'The most that a swap may be worth where it is seen with less than full proof. Where several apply, the least.',
      ),
      ...policyLimits,
      unit: key(
        unit.prefault('USD'),
        'The unit that swaps, gas and days are counted in: USD or a token.',
      ),
      references: key(
        list(
          reference(codecs),
          '[{ kind: feed, pair: WETH/USD, address: "0x…", maxAge: 1h }]',
        ).prefault([]),
        "Prices that are not the quote's own. Without any, nothing is swapped.",
      ),
      stablecoins: key(
        named(tokenName, bpsText('50 bps'), '{ USDC: 50 bps }')
          .transform((written) =>
            Object.entries(written).map(([symbol, deviationBpsMax]) => ({
              token: token.parse(symbol),
              deviationBpsMax,
            })),
          )
          .prefault({}),
        'Tokens that are to be worth one US dollar, and how far from it they may be.',
      ),
      bands: key(
        named(tokenName, band, '{ WETH: { min: 1500 USD, max: 8000 USD } }')
          .transform((written) =>
            Object.entries(written).flatMap(([symbol, limits]) =>
              alike(symbol).map((one) => ({ token: one, ...limits })),
            ),
          )
          .prefault({}),
        'The prices a token may have at all, in the unit of account. Between two tokens with a band no swap is outside of both.',
      ),
    },
    '{ tokens: [WETH, USDC], pairs: [WETH/USDC], perSwap: [5 WETH], perDay: [200 WETH], … }',
  )
}

/** The keys of each kind of reference, besides its pair; the others do not belong to it. */
const referenceKeys = {
  pool: { needs: ['venue', 'address'], takes: [] },
  feed: { needs: ['address', 'maxAge'], takes: [] },
  'order-book': { needs: [], takes: ['url', 'insecure', 'maxAge'] },
} as const

const referenceExamples = {
  venue: 'uniswap-v3',
  address: addressExample,
  maxAge: '1h',
  url: 'http://127.0.0.1:8546',
  insecure: 'true',
} as const

/** An answer of a quoting service is a few hundred milliseconds old; its makers requote within seconds. */
const bookAgeMs = 5_000

/** One shape with a rule instead of one for each kind: every refusal keeps its own key and sentence. */
function reference({ pricedPair }: TokenCodecs) {
  return section(
    {
      kind: key(choice(['pool', 'feed', 'order-book'], 'pool'), 'The source of the price.'),
      pair: key(pricedPair, 'The token that is priced, and what it is priced in.'),
      venue: key(
        choice(['uniswap-v2', 'uniswap-v3'], referenceExamples.venue).optional(),
        'The exchange of a pool.',
      ),
      address: key(addressText.optional(), 'The contract of a pool or a feed.'),
      url: key(
        serviceUrl.optional(),
        'The quoting service of an order book; without it the one that quotes.',
      ),
      insecure,
      maxAge: key(
        duration({ min: '1s', max: '7d', example: referenceExamples.maxAge }).optional(),
        'How old a price of a feed or an order book may be. An order book falls back on 5s.',
      ),
    },
    '{ kind: feed, pair: WETH/USD, address: "0x…", maxAge: 1h }',
    { rule: belongTogether },
  ).transform(({ kind, pair, venue, address: at, url, maxAge }) => {
    if (kind === 'order-book') return { kind, pair, url, ageMsMax: maxAge ?? bookAgeMs }
    assert(at !== undefined, 'the rule asks for the address')
    if (kind === 'feed') {
      assert(maxAge !== undefined, 'the rule asks for the age of a feed')
      return { kind, pair, address: at, ageMsMax: maxAge }
    }
    assert(venue !== undefined, 'the rule asks for the venue of a pool')
    return { kind, pair, venue, address: at }
  })
}

function belongTogether(
  written: Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
): void {
  const kind = written.kind as keyof typeof referenceKeys
  const needs: readonly string[] = referenceKeys[kind].needs
  const allowed: readonly string[] = [...needs, ...referenceKeys[kind].takes]
  for (const [name, example] of Object.entries(referenceExamples)) {
    const given = written[name] !== undefined
    if (given && !allowed.includes(name))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `does not belong to a reference of kind ${kind}: remove it.`,
      })
    if (!given && needs.includes(name))
      context.addIssue({ code: 'custom', path: [name], message: wrongKind(undefined, example) })
  }
}
