import { createPublicKey } from 'node:crypto'
import { answerOf } from '../answerOf.ts'
import type { KeyHolder } from '../createSigner.ts'
import { createKmsKey, missingLibrary } from './createKmsKey.ts'

/**
 * A key version of Google Cloud KMS, of algorithm EC_SIGN_SECP256K1_SHA256. Credentials are found the way every Google
 * client finds them. Uses REST: one HTTP stack fewer than gRPC.
 */
export async function openGcpKms({
  keyName,
  endpoint,
  timeoutMs,
}: {
  keyName: string
  endpoint: string | undefined
  timeoutMs?: number | undefined
}): Promise<KeyHolder> {
  const { KeyManagementServiceClient } = await import('@google-cloud/kms').catch(
    (cause: unknown) => {
      throw missingLibrary('@google-cloud/kms', cause)
    },
  )
  const signer = 'signer gcp-kms'
  const client = new KeyManagementServiceClient({ fallback: true, ...addressOf(endpoint) })
  const close = () => client.close()
  // Its own retries would go on past our deadline.
  const options = { retry: null, timeout: timeoutMs ?? 10_000 }
  try {
    const publicKey = await answerOf({ signer, timeoutMs }, async () => {
      const [{ pem }] = await client.getPublicKey({ name: keyName }, options)
      return createPublicKey(pem ?? '')
    })
    return createKmsKey({
      publicKey,
      close,
      signDigest: (digest) =>
        answerOf({ signer, timeoutMs }, async () => {
          const request = { name: keyName, digest: { sha256: digest } }
          const [{ signature }] = await client.asymmetricSign(request, options)
          return typeof signature === 'string'
            ? Buffer.from(signature, 'base64')
            : (signature ?? new Uint8Array())
        }),
    })
  } catch (error) {
    await close()
    throw error
  }
}

function addressOf(endpoint: string | undefined) {
  if (endpoint === undefined) return {}
  const { hostname, port, protocol } = new URL(endpoint)
  const scheme = protocol.slice(0, -1)
  return {
    apiEndpoint: hostname,
    protocol: scheme,
    port: Number(port || (scheme === 'http' ? 80 : 443)),
  }
}
