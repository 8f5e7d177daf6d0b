import { createPublicKey } from 'node:crypto'
import * as Secp256k1 from 'ox/Secp256k1'
import * as Signature from 'ox/Signature'
import {
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverPublicKey,
  serializeTransaction,
} from 'viem'
import { beforeEach, expect, test, vi } from 'vitest'
import { createKmsKey } from '../../../../src/bot/sign/kms/createKmsKey.ts'
import { openAwsKms } from '../../../../src/bot/sign/kms/openAwsKms.ts'
import { openGcpKms } from '../../../../src/bot/sign/kms/openGcpKms.ts'
import { aTransaction } from '../aTransaction.ts'

const transaction = { type: 'eip1559', ...aTransaction } as const
const hash = keccak256(serializeTransaction(transaction))
const order = Secp256k1.noble.Point.Fn.ORDER
const { r } = Secp256k1.sign({ payload: hash, privateKey: `0x${'5'.repeat(64)}` })

/** The key under which this `s` is a signature of the transaction, and that signature in DER. */
async function signedBy(s: bigint) {
  const signature = { r, s: numberToHex(s, { size: 32 }) }
  const point = hexToBytes(
    await recoverPublicKey({ hash, signature: { ...signature, yParity: 0 } }),
  )
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((it) =>
    Buffer.from(it).toString('base64url'),
  )
  const key = { kty: 'EC', crv: 'secp256k1', x, y } as never
  return {
    publicKey: createPublicKey({ key, format: 'jwk' }),
    der: Signature.toDerBytes(signature as { r: Hex; s: Hex }),
  }
}

test.each([
  ['the highest of the low', order / 2n, order / 2n],
  ['the lowest of the high', order / 2n + 1n, order / 2n],
  ['a short one', 1n, 1n],
])('s of a signature: %s', async (_, s, low) => {
  const { publicKey, der } = await signedBy(s)
  const key = createKmsKey({ publicKey, signDigest: async () => der, close: async () => {} })
  expect(BigInt(parseTransaction(await key.signTransaction(transaction)).s ?? 0)).toBe(low)
})

/** The clients of both libraries: how they were made, called and closed. */
const seen = { made: undefined as unknown, called: [] as unknown[], closed: 0 }
let answers: { publicKey?: () => unknown; signature?: Uint8Array | string }
class Client {
  constructor(options: unknown) {
    seen.made = options
  }
  send = async () => ({})
  destroy() {
    seen.closed += 1
  }
  close = async () => this.destroy()
  getPublicKey = async (_: unknown, options: unknown) => {
    seen.called.push(options)
    return [answers.publicKey?.()]
  }
  asymmetricSign = async (_: unknown, options: unknown) => {
    seen.called.push(options)
    return [answers]
  }
}
const stub = (factory: () => object) => {
  for (const name of ['@aws-sdk/client-kms', '@google-cloud/kms']) vi.doMock(name, factory)
}
beforeEach(() => {
  vi.resetModules()
  stub(() => ({
    ...{ KMSClient: Client, KeyManagementServiceClient: Client },
    ...{ GetPublicKeyCommand: Object, SignCommand: Object },
  }))
  Object.assign(seen, { made: undefined, called: [], closed: 0 })
  answers = {}
})

const openAws = () => openAwsKms({ keyId: 'k', region: 'r', endpoint: undefined })
const openGcp = (endpoint?: string) => openGcpKms({ keyName: 'k', endpoint })

test.each([
  ['@aws-sdk/client-kms', openAws],
  ['@google-cloud/kms', openGcp],
])(
  '%s: a library that is missing is named; a client without its key is closed',
  async (name, open) => {
    await expect(open()).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
    expect(seen.closed).toBe(1)
    stub(() => {
      throw new Error('Cannot find package')
    })
    vi.resetModules()
    await expect(open()).rejects.toMatchObject({
      code: 'SIGNER_LIBRARY_MISSING',
      summary: expect.stringContaining(`npm install ${name}`),
    })
  },
)

test.each([
  [undefined, {}],
  ['http://kms.test', { apiEndpoint: 'kms.test', protocol: 'http', port: 80 }],
  ['https://kms.test', { apiEndpoint: 'kms.test', protocol: 'https', port: 443 }],
  ['https://kms.test:8443', { apiEndpoint: 'kms.test', protocol: 'https', port: 8_443 }],
])('gcp-kms at %s', async (endpoint, expected) => {
  await expect(openGcp(endpoint)).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
  expect(seen.made).toEqual({ fallback: true, ...expected })
})

test('gcp-kms has ten seconds of its own for an answer, in bytes or in base64', async () => {
  const { publicKey, der } = await signedBy(1n)
  answers.publicKey = () => ({ pem: publicKey.export({ type: 'spki', format: 'pem' }) })
  const key = await openGcp()
  for (const signature of [der, Buffer.from(der).toString('base64')]) {
    answers.signature = signature
    expect(parseTransaction(await key.signTransaction(transaction)).s).toBeDefined()
  }
  expect(seen.called).toEqual(Array(3).fill({ retry: null, timeout: 10_000 }))
})
