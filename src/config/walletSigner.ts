import { z } from 'zod'
import { filePath, refuse, text, url, wrongKind } from './parts.ts'

const keyId = text(
  (value) => {
    if (!/^[\w:/.-]{1,2048}$/.test(value))
      refuse(
        "is not a key of AWS KMS: write its id, ARN or alias, such as 'alias/ballast-treasury'.",
      )
  },
  { example: 'alias/ballast-treasury' },
)

const region = text(
  (value) => {
    if (!/^[a-z]{2}(?:-[a-z0-9]+)+$/.test(value))
      refuse(`'${value.slice(0, 64)}' is not a region of AWS: write for example 'eu-central-1'.`)
  },
  { example: 'eu-central-1' },
)

const keyNameExample =
  'projects/treasury/locations/europe-west3/keyRings/ballast/cryptoKeys/wallet/cryptoKeyVersions/1'

const keyName = text(
  (value) => {
    const form =
      /^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+\/cryptoKeyVersions\/\d+$/
    if (!form.test(value))
      refuse(`is not the version of a key of Google Cloud KMS: write '${keyNameExample}'.`)
  },
  { example: keyNameExample },
)

/** Instead of the provider's own: a private endpoint, or a stand-in on this machine. */
const endpoint = url('https://kms.example').optional()

const kinds = {
  environment: {},
  keystore: { file: filePath('./treasury.json') },
  process: { socket: filePath('./signer/signer.sock') },
  web3signer: { url: url('http://127.0.0.1:9000') },
  clef: { url: url('http://127.0.0.1:8550') },
  'aws-kms': { keyId, region, endpoint },
  'gcp-kms': { keyName, endpoint },
} as const

function signerOf<const kind extends keyof typeof kinds>(kind: kind) {
  const keys = ['kind', ...Object.keys(kinds[kind])].join(', ')
  return z.strictObject(
    { kind: z.literal(kind), ...kinds[kind] },
    {
      error: ({ code }) =>
        code === 'unrecognized_keys'
          ? `is not a key of a signer of kind ${kind}; known keys are ${keys}.`
          : undefined,
    },
  )
}

/** `wallet.signer`: whoever holds the wallet's key. */
export const walletSigner = z
  .discriminatedUnion(
    'kind',
    [
      signerOf('environment'),
      signerOf('keystore'),
      signerOf('process'),
      signerOf('web3signer'),
      signerOf('clef'),
      signerOf('aws-kms'),
      signerOf('gcp-kms'),
    ],
    {
      error: ({ code, input }) => {
        if (code !== 'invalid_union')
          return wrongKind(input, '{ kind: keystore, file: ./treasury.json }')
        const { kind } = input as { kind?: unknown }
        const words = Object.keys(kinds).join(', ')
        return kind === undefined
          ? `is missing: write one of ${words}.`
          : `is '${String(kind).slice(0, 64)}': write one of ${words}.`
      },
    },
  )
  .prefault({ kind: 'environment' })
