import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A certificate with its key, both PEM. Made anew in every run: no key lies in the repository. */
export type Certified = { readonly cert: string; readonly key: string }

/** An authority, and the certificates that it signs. */
export function createAuthority(commonName: string) {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const own = { subject: [commonName], issuer: [commonName], publicKey: pair.publicKey }
  const cert = certificate({ ...own, isAuthority: true }, pair.privateKey)
  return {
    cert,
    key: pem(pair.privateKey),
    /** For these common names; a server is also known as `localhost` and 127.0.0.1. */
    issue(...subject: readonly string[]): Certified {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      return {
        cert: certificate({ subject, issuer: [commonName], publicKey }, pair.privateKey),
        key: pem(privateKey),
      }
    },
  }
}

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string

type Contents = {
  readonly subject: readonly string[]
  readonly issuer: readonly string[]
  readonly publicKey: KeyObject
  readonly isAuthority?: boolean
}

/** X.509 version 3, signed by ECDSA with SHA-256, good from 2020 to 2049. */
function certificate(contents: Contents, issuerKey: KeyObject): string {
  const { subject, issuer, publicKey, isAuthority = false } = contents
  const algorithm = sequence(oid('2a8648ce3d040302'))
  const extensions = isAuthority
    ? [extension('551d13', sequence(der(0x01, bytes('ff'))))]
    : [extension('551d11', sequence(der(0x82, text('localhost')), der(0x87, bytes('7f000001'))))]
  const signed = sequence(
    der(0xa0, der(0x02, bytes('02'))),
    der(0x02, Buffer.concat([bytes('01'), Buffer.from(`${subject.join()}`.slice(0, 8))])),
    algorithm,
    name(issuer),
    sequence(der(0x17, text('200101000000Z')), der(0x17, text('491231235959Z'))),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', signed, issuerKey)
  const whole = sequence(signed, algorithm, der(0x03, Buffer.concat([bytes('00'), signature])))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const text = (value: string) => Buffer.from(value)
const oid = (hex: string) => der(0x06, bytes(hex))
const sequence = (...parts: readonly Buffer[]) => der(0x30, Buffer.concat(parts))
const extension = (id: string, value: Buffer) => sequence(oid(id), der(0x04, value))
const name = (commonNames: readonly string[]) =>
  sequence(...commonNames.map((one) => der(0x31, sequence(oid('550403'), der(0x0c, text(one))))))
