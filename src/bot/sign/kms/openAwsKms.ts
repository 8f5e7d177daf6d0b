import { createPublicKey } from 'node:crypto'
import { answerOf } from '../answerOf.ts'
import type { KeyHolder } from '../createSigner.ts'
import { createKmsKey, missingLibrary } from './createKmsKey.ts'

/** A key of AWS KMS, of spec ECC_SECG_P256K1. Credentials are found the way every AWS client finds them. */
export async function openAwsKms({
  keyId,
  region,
  endpoint,
  timeoutMs,
}: {
  keyId: string
  region: string
  endpoint: string | undefined
  timeoutMs?: number | undefined
}): Promise<KeyHolder> {
  const { KMSClient, GetPublicKeyCommand, SignCommand } = await import('@aws-sdk/client-kms').catch(
    (cause: unknown) => {
      throw missingLibrary('@aws-sdk/client-kms', cause)
    },
  )
  const signer = 'signer aws-kms'
  const client = new KMSClient({ region, ...(endpoint === undefined ? {} : { endpoint }) })
  try {
    const { PublicKey } = await answerOf({ signer, timeoutMs }, (abortSignal) =>
      client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal }),
    )
    const key = Buffer.from(PublicKey ?? [])
    return createKmsKey({
      publicKey: await answerOf({ signer }, async () =>
        createPublicKey({ key, format: 'der', type: 'spki' }),
      ),
      close: async () => client.destroy(),
      signDigest: (digest) =>
        answerOf({ signer, timeoutMs }, async (abortSignal) => {
          const command = new SignCommand({
            KeyId: keyId,
            Message: digest,
            MessageType: 'DIGEST',
            SigningAlgorithm: 'ECDSA_SHA_256',
          })
          const { Signature } = await client.send(command, { abortSignal })
          return Signature ?? new Uint8Array()
        }),
    })
  } catch (error) {
    client.destroy()
    throw error
  }
}
