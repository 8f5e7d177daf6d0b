import { z } from 'zod'
import { parseDecimal } from '../../core/decimal.ts'
import { parseGasPrice } from '../../core/gasPrice.ts'
import {
  address,
  addressExample,
  filePath,
  integer,
  list,
  section,
  symbolText,
  text,
  wrongKind,
} from '../parts.ts'

/** `signer.yaml` as it is written: a key and what it may be used for. Every scalar is text with its unit. */

const amount = (example: string) => text((value) => parseDecimal(value, 77), { example })

const environment = section({ kind: z.literal('environment') }, '{ kind: environment }')
const keystore = section(
  { kind: z.literal('keystore'), file: filePath('./treasury.json') },
  '{ kind: keystore, file: ./treasury.json }',
)

export const signerSchema = section(
  {
    chainId: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, example: '1' }),
    wallet: address,
    key: z.discriminatedUnion('kind', [keystore, environment], {
      error: ({ code, input }) =>
        code === 'invalid_union'
          ? 'is not a kind of key: write keystore or environment.'
          : wrongKind(input, '{ kind: keystore, file: ./treasury.json }'),
    }),
    socket: filePath('./run/signer.sock'),
    /** Without it, beside the socket. */
    countFile: filePath('./run/signer.count').optional(),
    router: address,
    recipients: list(address, `["${addressExample}"]`).default([]),
    tokens: z.record(
      symbolText,
      section(
        {
          address,
          decimals: integer({ min: 0, max: 77, example: '18' }),
          /** Sold or approved by one transaction. A token that names no limit may only be bought. */
          perTransaction: amount('5').default('0'),
          /** Sold in 24 hours. */
          perDay: amount('200').default('0'),
        },
        `{ address: "${addressExample}", decimals: 18, perTransaction: "5", perDay: "200" }`,
      ),
      {
        error: ({ input }) =>
          wrongKind(
            input,
            `{ WETH: { address: "${addressExample}", decimals: 18, perTransaction: "5", perDay: "200" } }`,
          ),
      },
    ),
    maxGas: integer({ min: 21_000, max: 1_000_000_000, example: '1500000' }),
    maxGasPrice: text(parseGasPrice, { example: '200 gwei' }),
  },
  'chainId, wallet, key, socket, router, tokens, maxGas and maxGasPrice',
)

/** The file after defaults: still text, but right. */
export type SignerText = z.output<typeof signerSchema>
