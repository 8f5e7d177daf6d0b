import { z } from 'zod'
import type { Amount } from '../core/amount.ts'
import type { Secret } from '../core/secret.ts'
import type { Address } from '../core/token.ts'
import {
  addressExample,
  addressText,
  bpsText,
  duration,
  hexBytes,
  serviceUrl,
  wholeSeconds,
} from './file/codecs.ts'
import { choice, key, list, liveKey, section, variableKey } from './file/field.ts'
import type { TokenCodecs } from './tokens.ts'

/** This project's router: every byte of a quote is decoded. */
export type BallastProfile = {
  readonly kind: 'ballast'
  /** The router's AMM executor: buyer of AMM legs. */
  readonly executor: Address
  readonly feeSigner: Address
  /** Who may receive the service's fee, besides the fee signer. */
  readonly feeRecipients: readonly Address[]
  /** Makers whose orders are accepted. */
  readonly makers: readonly Address[]
}

/** A foreign router on the same API: its calldata is not understood, so only what it does in a simulation counts. */
export type OpaqueProfile = {
  readonly kind: 'opaque'
  /** Functions that may be called, 4 bytes each. */
  readonly selectors: readonly `0x${string}`[]
  /** The most one swap may be worth, in the policy's unit of account. */
  readonly notionalMax: Amount
}

/** `service:` — the quoting service, and the limits of trust in it. */
export function serviceSection(
  { worth }: TokenCodecs,
  { apiKey }: { readonly apiKey: Secret | undefined },
) {
  return section(
    {
      url: variableKey(['QUOTE_API_URL'], serviceUrl, 'The quoting service, without /v1.'),
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
      maxNotional: key(
        worth('20000 USD').optional(),
        'The most one swap may be worth. Below policy.notional.perSwap; profile opaque.',
      ),
    },
    '{ url: …, router: "0x…", routerCodeHash: "0x…", executor: "0x…", feeSigner: "0x…", makers: ["0x…"] }',
  ).transform(({ url, router, routerCodeHash, ...written }, context) => ({
    url,
    apiKey,
    router,
    routerCodeHash,
    profile: profileOf(written, context),
  }))
}

type Written = {
  readonly profile: 'ballast' | 'opaque'
  readonly executor: Address | undefined
  readonly feeSigner: Address | undefined
  readonly feeRecipients: readonly Address[] | undefined
  readonly makers: readonly Address[] | undefined
  readonly selectors: readonly `0x${string}`[] | undefined
  readonly maxNotional: Amount | undefined
}

const profileKeys = {
  ballast: ['executor', 'feeSigner', 'makers'],
  opaque: ['selectors', 'maxNotional'],
} as const

/** A key of the other profile would be believed to protect, and protect nothing. */
function profileOf(written: Written, context: z.RefinementCtx): BallastProfile | OpaqueProfile {
  const { profile, executor, feeSigner, feeRecipients, makers, selectors, maxNotional } = written
  const other = profile === 'ballast' ? 'opaque' : 'ballast'
  const complain = (key: string, message: string) =>
    context.addIssue({ code: 'custom', path: [key], message })
  for (const key of profileKeys[profile])
    if (written[key] === undefined)
      complain(key, `is missing: a service of profile ${profile} needs it.`)
  for (const key of profileKeys[other])
    if (written[key] !== undefined)
      complain(
        key,
        `is for profile ${other}, and this service is of profile ${profile}: remove it.`,
      )
  if (profile === 'ballast' && executor !== undefined && feeSigner !== undefined)
    return {
      kind: profile,
      executor,
      feeSigner,
      feeRecipients: feeRecipients ?? [],
      makers: makers ?? [],
    }
  if (profile === 'opaque' && maxNotional !== undefined)
    return { kind: profile, selectors: selectors ?? [], notionalMax: maxNotional }
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
