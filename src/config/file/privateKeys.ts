import { createHash } from 'node:crypto'
import { type Secret, secret } from '../../core/secret.ts'
import { mainnetChainIds } from './mainnetChainIds.ts'
import { showVariable, type Variable } from './variables.ts'

/** Reads the private key of a variable: the key, or what is wrong. Nothing repeats its value. */
export function keyOf(
  variable: Variable | undefined,
  { name, cwd }: { name: string; cwd: string },
):
  | { readonly key: Secret; readonly problem?: never }
  | { readonly key?: never; readonly problem: string } {
  if (variable === undefined)
    return { problem: `${name}: is missing: set a private key in the environment or .env.` }
  const key = readPrivateKey(variable.value)
  if (key !== undefined) return { key }
  return {
    problem: `${showVariable(variable, cwd)}: is not a private key: set 0x and 64 hex digits (its value is not shown).`,
  }
}

/** The same for a key that earns money: on a main network it must be one that is not published. */
export function makerKeyOf(
  variable: Variable | undefined,
  { chainId, ...about }: { name: string; cwd: string; chainId: number },
): ReturnType<typeof keyOf> {
  const read = keyOf(variable, about)
  if (variable === undefined || read.key === undefined) return read
  if (!mainnetChainIds.has(chainId) || !isPublished(read.key)) return read
  return {
    problem: `${showVariable(variable, about.cwd)}: is a published development key, and chain ${chainId} is a main network: use a key nobody knows.`,
  }
}

/** The order of the curve: a private key is below it. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Reads a private key; undefined when it is none. From here on it is a secret. */
export function readPrivateKey(value: string): Secret | undefined {
  secret(value)
  const digits = value.trim().replace(/^0x/i, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(digits)) return undefined
  const number = BigInt(`0x${digits}`)
  if (number === 0n || number >= curveOrder) return undefined
  return secret(`0x${digits}`)
}

/** SHA-256 of the keys every local development chain publishes; bots empty their accounts on any other chain. */
const published: ReadonlySet<string> = new Set([
  '60a09e4357868c1e9b801052726d061c370429f723db84523ed58ac354f6eb8a',
  '095101cf732c298a0ce0320b9de704209cdd8640b70d8fdf4e5be51aa2eb272e',
  'bb4978fbe7638de8e6ee13d9a59a5fb047beb0f0ee059fe166541b1f96b6af63',
  'f02322197a196ceb746aa52cee2a869abf0fe231c4d6d050a8a5f02c6625a1d4',
  '5de22089c247b9b2722ec5c33498e6bc481b1faba85f4da957f8b84679fcf88c',
  '59feecfa04eb096ba44eed297e4239fa32d8840cbc1ffb8ff2f7fd8e8e0edd38',
  'b69d88ff1ad5834ab1d8ed45f20d72b6ccf3429c9ccc75b93d14ca0ee00dec16',
  'b6b9ee08c38f62da71fa150a8ada4a7a09c7d3c4a9f6445e51e5a4b2c6395368',
  'be394de37f9d6cf6682434e9f15a4f891eca9b614bf79da2da22a8e48a658fcd',
  'dd0102d1cd0c6ac702573e3e7551fc6cec26596b6287348804c1b0f9544b5bf9',
])

function isPublished(key: Secret): boolean {
  return published.has(createHash('sha256').update(key.reveal()).digest('hex'))
}
