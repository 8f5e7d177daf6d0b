import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as Secp256k1 from 'ox/Secp256k1'
import * as Signature from 'ox/Signature'
import { bytesToHex, type Hex, parseTransaction, verifyMessage, verifyTypedData } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSigner, type KeyHolder } from '../../../../src/bot/sign/createSigner.ts'
import { openAwsKms } from '../../../../src/bot/sign/kms/openAwsKms.ts'
import { openGcpKms } from '../../../../src/bot/sign/kms/openGcpKms.ts'
import { permitTypedData } from '../../../../src/chain/settlement/permit.ts'
import { heldDeadlines } from '../../../support/heldDeadlines.ts'
import { aPermit } from '../aPermit.ts'
import { aTransaction } from '../aTransaction.ts'

/**
 * A KMS as its own client knows it: the wire protocol of the provider, and a key that stays inside.
 * Bends what it answers where a test asks for it.
 */
type Kms = {
  key: Hex
  /** The form of `s` in the signature: what a KMS answers is either, by chance. */
  form: 'low' | 'high'
  bend: 'honest' | 'other-key' | 'garbage' | 'hang' | 'deny'
  curve: 'secp256k1' | 'P-256'
  asked: { readonly what: string; readonly body: unknown }[]
}

const order = Secp256k1.noble.Point.Fn.ORDER
const kms: Kms = {
  key: generatePrivateKey(),
  form: 'low',
  bend: 'honest',
  curve: 'secp256k1',
  asked: [],
}

function der(digest: Uint8Array): Buffer {
  const privateKey = kms.bend === 'other-key' ? generatePrivateKey() : kms.key
  if (kms.bend === 'garbage') return Buffer.from('no signature')
  const { r, s } = Secp256k1.sign({ payload: bytesToHex(digest), privateKey })
  const low = BigInt(s) > order / 2n ? order - BigInt(s) : BigInt(s)
  const number = kms.form === 'low' ? low : order - low
  const form: Hex = `0x${number.toString(16).padStart(64, '0')}`
  return Buffer.from(Signature.toDerBytes({ r, s: form }))
}

function publicKey() {
  if (kms.curve === 'P-256') return generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  const point = Buffer.from(Secp256k1.getPublicKey({ privateKey: kms.key, as: 'Bytes' }))
  const d = Buffer.from(kms.key.slice(2), 'hex').toString('base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((it) => it.toString('base64url'))
  const key = { kty: 'EC', crv: 'secp256k1', x, y, d } as never
  return createPublicKey(createPrivateKey({ key, format: 'jwk' }))
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : JSON.parse(text)
}

/** AWS JSON 1.1: the operation is a header, blobs are base64. */
const aws = createServer((request, response) => {
  void bodyOf(request).then((body) => {
    const what = String(request.headers['x-amz-target'])
    kms.asked.push({ what, body })
    const type = 'application/x-amz-json-1.1'
    const answer = (status: number, document: unknown) =>
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(document))
    if (request.headers['content-type'] !== type) return answer(400, { __type: 'Protocol' })
    if (kms.bend === 'hang') return undefined
    if (kms.bend === 'deny') return answer(400, { __type: 'AccessDeniedException', message: 'no' })
    if (what === 'TrentService.GetPublicKey')
      return answer(200, {
        KeySpec: 'ECC_SECG_P256K1',
        PublicKey: publicKey().export({ type: 'spki', format: 'der' }).toString('base64'),
      })
    return answer(200, {
      Signature: der(Buffer.from(String(body.Message), 'base64')).toString('base64'),
      SigningAlgorithm: 'ECDSA_SHA_256',
    })
  })
})

/** Google's REST: resources are paths, operations their suffix. */
const gcp = createServer((request, response) => {
  void bodyOf(request).then((body) => {
    const what = String(request.url)
    kms.asked.push({ what, body })
    const answer = (status: number, document: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(document))
    if (kms.bend === 'hang') return undefined
    if (kms.bend === 'deny')
      return answer(403, { error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } })
    if (what.includes('/publicKey'))
      return answer(200, {
        pem: publicKey().export({ type: 'spki', format: 'pem' }),
        algorithm: 'EC_SIGN_SECP256K1_SHA256',
      })
    const { sha256 } = body.digest as { sha256: string }
    return answer(200, { signature: der(Buffer.from(sha256, 'base64')).toString('base64') })
  })
})

const endpoints: Record<string, string> = {}

beforeAll(async () => {
  for (const [name, server] of Object.entries({ aws, gcp })) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    endpoints[name] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  // Both clients look for credentials by themselves. These sign requests here and open nothing anywhere.
  process.env.AWS_ACCESS_KEY_ID = 'AKIDEXAMPLE'
  process.env.AWS_SECRET_ACCESS_KEY = 'an-example-and-no-secret'
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const credentials = join(tmpdir(), 'google-credentials.json')
  const account = {
    type: 'service_account',
    project_id: 'treasury',
    client_email: 'ballast@treasury.example',
    private_key_id: '1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
  writeFileSync(credentials, JSON.stringify(account))
  process.env.GOOGLE_APPLICATION_CREDENTIALS = credentials
})

afterAll(() => {
  for (const server of [aws, gcp]) {
    server.closeAllConnections()
    server.close()
  }
})

const keyName =
  'projects/treasury/locations/europe-west3/keyRings/ballast/cryptoKeys/wallet/cryptoKeyVersions/1'

/** What a signer is given by default. */
const signerMs = 10_000

const clouds: [string, (timeoutMs?: number) => Promise<KeyHolder>, sign: string][] = [
  [
    'aws-kms',
    (timeoutMs) =>
      openAwsKms({
        keyId: 'alias/ballast',
        region: 'eu-central-1',
        endpoint: endpoints.aws,
        timeoutMs,
      }),
    'TrentService.Sign',
  ],
  [
    'gcp-kms',
    (timeoutMs) => openGcpKms({ keyName, endpoint: endpoints.gcp, timeoutMs }),
    `/v1/${keyName}:asymmetricSign`,
  ],
]

const what = { swapId: 'swap-1', kind: 'SWAP' as const, transaction: aTransaction }

describe.each(clouds)('%s', (_, open, sign) => {
  test('signs through the provider’s own client, whichever form of s it answers', async () => {
    for (const form of ['low', 'high'] as const) {
      // Both parities and both lengths of DER numbers come up among these.
      for (let round = 0; round < 12; round += 1) {
        Object.assign(kms, { key: generatePrivateKey(), form, bend: 'honest' })
        const holder = await open()
        expect(holder.address).toBe(privateKeyToAddress(kms.key))
        const signer = createSigner(holder, privateKeyToAddress(kms.key))
        const { raw } = await signer.sign(what)
        const { s, yParity, ...rest } = parseTransaction(raw)
        expect(rest).toMatchObject({ type: 'eip1559', ...aTransaction })
        expect(BigInt(s ?? 0) <= order / 2n).toBe(true)
        await holder.close?.()
      }
    }
  })

  test('signs a text as every verifier reads it', async () => {
    for (const form of ['low', 'high'] as const) {
      Object.assign(kms, { key: generatePrivateKey(), form, bend: 'honest' })
      const holder = await open()
      const signature = (await holder.signMessage?.('a checkpoint')) ?? '0x'
      expect(await verifyMessage({ ...holder, message: 'a checkpoint', signature })).toBe(true)
      await holder.close?.()
    }
  })

  test('signs a permit as a token reads it', async () => {
    for (const form of ['low', 'high'] as const) {
      Object.assign(kms, { key: generatePrivateKey(), form, bend: 'honest' })
      const holder = await open()
      const permit = { ...aPermit, owner: holder.address }
      const signature = (await holder.signPermit?.(permit)) ?? '0x'
      const typed = permitTypedData(permit)
      expect(await verifyTypedData({ ...holder, ...typed, signature })).toBe(true)
      await holder.close?.()
    }
  })

  test('is asked for a signature of the digest alone', async () => {
    Object.assign(kms, { key: generatePrivateKey(), form: 'low', bend: 'honest', asked: [] })
    const holder = await open()
    await createSigner(holder, holder.address).sign(what)
    const [, asked] = kms.asked
    expect(kms.asked).toHaveLength(2)
    expect(asked?.what.replace(/\?.*/, '')).toBe(sign)
    if (sign.startsWith('Trent'))
      expect(asked?.body).toMatchObject({
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      })
    await holder.close?.()
  })

  test.each([
    ['other-key', { code: 'SIGNED_DIFFERS', fault: 'refused' }],
    ['garbage', { code: 'SIGNED_GARBLED', fault: 'refused' }],
    ['deny', { code: 'SIGNER_UNAVAILABLE', fault: 'upstream' }],
    ['hang', { code: 'SIGNER_UNAVAILABLE', fault: 'upstream' }],
  ] as const)('%s: gives no signature', async (bend, failure) => {
    Object.assign(kms, { form: 'low', bend: 'honest' })
    const holder = await open()
    Object.assign(kms, { bend, asked: [] })
    const deadlines = heldDeadlines()
    const failing = expect(createSigner(holder, holder.address).sign(what)).rejects.toMatchObject(
      failure,
    )
    await vi.waitFor(() => expect(kms.asked).not.toEqual([]))
    if (bend === 'hang') deadlines.pass(signerMs)
    await failing
    await holder.close?.()
  })

  test('a key of another curve is refused at start', async () => {
    Object.assign(kms, { bend: 'honest', curve: 'P-256' })
    await expect(open()).rejects.toMatchObject({ code: 'WRONG_KEY_TYPE', fault: 'usage' })
    kms.curve = 'secp256k1'
  })

  test('one that does not answer at start is unavailable', async () => {
    kms.bend = 'hang'
    await expect(open(300)).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
    kms.bend = 'honest'
  })
})
