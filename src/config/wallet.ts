import { z } from 'zod'
import { asWritten } from '../core/display.ts'
import type { Secret } from '../core/secret.ts'
import { addressText, filePath, insecure, slug, socketPath, url } from './file/codecs.ts'
import { key, matching, section, wrongKind } from './file/field.ts'

type Context = {
  readonly beside: (name: string) => string
  readonly key: Secret | undefined
  readonly passwordFile: string | undefined
}

/** `wallet:` — whose tokens are traded, and who signs for them. */
export function walletSection({ key: plainKey, ...context }: Context) {
  return section(
    {
      name: key(slug('treasury'), 'The name of the wallet, as in `WALLET_KEY_<NAME>`.'),
      address: key(addressText, 'The account that trades.'),
      signer: key(
        signerSection(context),
        'Who holds the key. `environment` is for development only; docs/KEYS.md describes them all.',
      ),
    },
    '{ name: treasury, address: "0x…" }',
  ).transform((wallet) => ({
    ...wallet,
    /** Plain development key from the environment; undefined where a dry run needs none, and beside any other signer. */
    key: plainKey,
  }))
}

export type WalletConfig = z.output<ReturnType<typeof walletSection>>

const keyId = matching(
  /^[\w:/.-]{1,2048}$/,
  () => "is not a key of AWS KMS: write its id, ARN or alias, such as 'alias/ballast-treasury'.",
  { example: 'alias/ballast-treasury', form: 'An id, an ARN or an alias.' },
)

const region = matching(
  /^[a-z]{2}(?:-[a-z0-9]+)+$/,
  (text) => `${asWritten(text)} is not a region of AWS: write for example 'eu-central-1'.`,
  { example: 'eu-central-1', form: 'A region of AWS.' },
)

const keyNameExample =
  'projects/treasury/locations/europe-west3/keyRings/ballast/cryptoKeys/wallet/cryptoKeyVersions/1'

const keyName = matching(
  /^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+\/cryptoKeyVersions\/\d+$/,
  () => `is not the version of a key of Google Cloud KMS: write '${keyNameExample}'.`,
  { example: keyNameExample, form: 'The full name of a version of a key.' },
)

const endpoint = key(
  url('https://kms.example').optional(),
  "A private endpoint in place of the provider's own.",
)

const words = ['environment', 'keystore', 'process', 'web3signer', 'clef', 'aws-kms', 'gcp-kms']

function signerSection({ beside, passwordFile }: Pick<Context, 'beside' | 'passwordFile'>) {
  const kind = <const word extends string, const keys extends Parameters<typeof section>[0]>(
    word: word,
    keys: keys,
  ) => {
    const known = ['kind', ...Object.keys(keys)].join(', ')
    return section(
      { kind: key(z.literal(word), 'The kind of signer.'), ...keys },
      `{ kind: ${word} }`,
      {
        strange: `is not a key of a signer of kind ${word}; known keys are ${known}.`,
      },
    )
  }
  return z
    .discriminatedUnion(
      'kind',
      [
        kind('environment', {}),
        kind('keystore', {
          file: key(filePath('./treasury.json', beside), 'The encrypted keystore.'),
        }).transform((signer) => ({
          ...signer,
          /** Of WALLET_PASSWORD_FILE; undefined where a dry run needs none. */
          passwordFile,
        })),
        kind('process', {
          socket: key(
            socketPath('./signer/signer.sock', beside),
            "The socket of 'ballast signer'.",
          ),
        }),
        kind('web3signer', {
          url: key(url('http://127.0.0.1:9000'), 'The address of Web3Signer.'),
          insecure,
        }),
        kind('clef', { url: key(url('http://127.0.0.1:8550'), 'The address of Clef.'), insecure }),
        kind('aws-kms', {
          keyId: key(keyId, 'The key of AWS KMS.'),
          region: key(region, 'The region of the key.'),
          ...{ endpoint, insecure },
        }),
        kind('gcp-kms', {
          keyName: key(keyName, 'The key of Google Cloud KMS.'),
          endpoint,
          insecure,
        }),
      ],
      {
        error: ({ code, input }) => {
          if (code !== 'invalid_union')
            return wrongKind(input, '{ kind: keystore, file: ./treasury.json }')
          const { kind } = input as { kind?: unknown }
          return kind === undefined
            ? `is missing: write one of ${words.join(', ')}.`
            : `is ${asWritten(String(kind))}: write one of ${words.join(', ')}.`
        },
      },
    )
    .prefault({ kind: 'environment' })
}
