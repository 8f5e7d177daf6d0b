import { z } from 'zod'
import type { Secret } from '../core/secret.ts'
import {
  addressExample,
  addressText,
  bpsText,
  duration,
  hexBytes,
  insecure,
  serviceUrl,
  wholeSeconds,
} from './file/codecs.ts'
import { choice, key, list, liveKey, section, variableKey } from './file/field.ts'
import type { TokenCodecs } from './tokens.ts'

const serviceKeys = {
  url: variableKey(
    ['QUOTE_API_URL_<CHAIN>', 'QUOTE_API_URL'],
    serviceUrl,
    'The quoting service, without /v1.',
  ),
  insecure,
  router: key(addressText, 'The only contract that is ever called or approved.'),
  routerCodeHash: key(
    hexBytes(32, { noun: 'code hash', example: `0x${'ab'.repeat(32)}` }),
    "The keccak-256 of the router's code: with 64 zeros here 'ballast doctor' prints the real one.",
  ),
  profile: key(
    choice(['ballast', 'opaque'], 'ballast').prefault('ballast'),
    'How much of a quote can be read. `opaque` is for a foreign router on the same API.',
  ),
  executor: key(addressText.optional(), "The router's AMM executor. Profile ballast."),
  feeSigner: key(
    addressText.optional(),
    "Who signs the service's fee and authorisation. Profile ballast.",
  ),
  feeRecipients: key(
    list(addressText, `["${addressExample}"]`).optional(),
    'Who may receive that fee, besides the fee signer. Profile ballast.',
  ),
  makers: key(
    list(addressText, `["${addressExample}"]`).optional(),
    'Makers whose orders are accepted. Profile ballast.',
  ),
  selectors: key(
    list(hexBytes(4, { noun: 'selector', example: '0x1a2b3c4d' }), '["0x1a2b3c4d"]').optional(),
    'Functions of the router that may be called. Profile opaque.',
  ),
}

/** `service:` — the quoting service, and the limits of trust in it. */
export const serviceSection = (
  codecs: TokenCodecs,
  { apiKey }: { readonly apiKey: Secret | undefined },
) =>
  written(codecs).transform((values, context) => {
    const { url, router, routerCodeHash } = values
    return { url, apiKey, router, routerCodeHash, profile: profileOf(values, context) }
  })

const written = ({ worth }: TokenCodecs) =>
  section(
    {
      ...serviceKeys,
      maxNotional: key(
        worth('20000 USD').optional(),
        'The most one swap may be worth. Below policy.notional.perSwap; profile opaque.',
      ),
    },
    '{ url: …, router: "0x…", routerCodeHash: "0x…", executor: "0x…", feeSigner: "0x…", makers: ["0x…"] }',
  )

const profileKeys = {
  ballast: ['executor', 'feeSigner', 'makers'],
  opaque: ['selectors', 'maxNotional'],
} as const

/**
 * The readable part of a quote. Every byte for this project's router is decoded; the calldata of a foreign router on
 * the same API is not understood, so only its effects in a simulation count. A key of the other profile would seem to
 * protect, and protect nothing.
 */
function profileOf(values: z.output<ReturnType<typeof written>>, context: z.RefinementCtx) {
  const { profile, executor, feeSigner, feeRecipients, makers, selectors, maxNotional } = values
  const other = profile === 'ballast' ? 'opaque' : 'ballast'
  const complain = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message })
  for (const name of profileKeys[profile])
    if (values[name] === undefined)
      complain(name, `is missing: a service of profile ${profile} needs it.`)
  for (const name of profileKeys[other])
    if (values[name] !== undefined)
      complain(
        name,
        `is for profile ${other}, and this service is of profile ${profile}: remove it.`,
      )
  const fees = feeRecipients ?? []
  if (profile === 'ballast' && executor && feeSigner && makers)
    return { kind: profile, executor, feeSigner, feeRecipients: fees, makers }
  if (profile === 'opaque' && selectors && maxNotional)
    return { kind: profile, selectors, notionalMax: maxNotional }
  return z.NEVER
}

/** `quote:` — the terms of a firm quote. */
export const quoteSection = section(
  {
    expiry: liveKey(
      wholeSeconds({ min: '1s', max: '120s', example: '30s' }).prefault('30s'),
      'How long a firm quote should stay good.',
      'expirySeconds',
    ),
    slippage: liveKey(
      bpsText('10 bps').prefault('0 bps'),
      'How much less than quoted the router may deliver.',
      'slippageBps',
    ),
    timeout: key(
      duration({ min: '50ms', max: '60s', example: '3s' }).prefault('3s'),
      'How long an answer of the service may take.',
      'timeoutMs',
    ),
  },
  '{ expiry: 30s, slippage: 10 bps, timeout: 3s }',
).prefault({})
