import { dirname, resolve } from 'node:path'
import { getAddress } from 'viem/utils'
import { parseDecimal } from '../../core/decimal.ts'
import { distinct } from '../../core/distinct.ts'
import { BallastError } from '../../core/errors.ts'
import { parseGasPrice } from '../../core/gasPrice.ts'
import { invalidConfig } from '../../core/invalidConfig.ts'
import type { Problem } from '../../core/problem.ts'
import type { Secret } from '../../core/secret.ts'
import { showKey } from '../../core/showKey.ts'
import { type Address, sameAddress, type Token } from '../../core/token.ts'
import type { Environment } from '../environment.ts'
import { findSecrets } from '../findSecrets.ts'
import { mainnetChainIds } from '../mainnetChainIds.ts'
import { variables } from '../overrides.ts'
import { parseYaml } from '../parseYaml.ts'
import { readPrivateKey } from '../readPrivateKey.ts'
import { readText } from '../readText.ts'
import { sentencesOf } from '../sentencesOf.ts'
import { showPath } from '../showPath.ts'
import { showVariable } from '../showVariable.ts'
import { type SignerText, signerSchema } from './schema.ts'

/** What `ballast signer` runs: `signer.yaml` and the environment, checked. Paths are absolute. */
export type SignerConfig = {
  readonly wallet: Address
  readonly key:
    | { readonly kind: 'environment'; readonly key: Secret }
    | { readonly kind: 'keystore'; readonly file: string; readonly passwordFile: string }
  readonly socket: string
  readonly countFile: string
  readonly limits: {
    readonly chainId: number
    readonly router: Address
    readonly recipients: readonly Address[]
    readonly tokens: readonly {
      readonly token: Token
      readonly perTransaction: bigint
      readonly perDay: bigint
    }[]
    readonly gasMax: bigint
    readonly gasPriceMax: bigint
  }
}

/** Reads `signer.yaml` and the environment. Throws every problem at once, each with file and line. */
export function readSignerConfig({
  file,
  environment,
  cwd,
}: {
  file: string
  environment: Environment
  cwd: string
}): SignerConfig {
  const path = resolve(cwd, file)
  const shown = showPath(path, cwd)
  const yaml = parseYaml(readText(path, { shown, init: 'docs/KEYS.md has an example' }))
  if (yaml.problems.length > 0)
    throw invalidConfig(
      yaml.problems.map(({ line, column, sentence }) => `${shown}:${line}:${column} ${sentence}`),
    )
  const parsed = signerSchema.safeParse(yaml.value)
  const problems: readonly Problem[] = [
    ...findSecrets(yaml.value),
    ...(parsed.success
      ? checkTokens(parsed.data)
      : parsed.error.issues.flatMap((issue) => sentencesOf(signerSchema, issue))),
  ]
  const lines = distinct(problems).map((problem) => {
    const { line, column } = yaml.position(problem.path)
    const key = problem.path.length === 0 ? 'the file' : showKey(problem.path)
    return `${shown}:${line}:${column} ${key}: ${problem.sentence}`
  })
  if (!parsed.success || lines.length > 0) throw invalidConfig(lines)

  const text = parsed.data
  const lookUp = variables({ environment, file: path, cwd })
  return build(text, { path, key: keyOf(text, { path, cwd, lookUp }) })
}

function keyOf(
  { key, chainId }: SignerText,
  { path, cwd, lookUp }: { path: string; cwd: string; lookUp: ReturnType<typeof variables> },
): SignerConfig['key'] {
  const plain = lookUp('WALLET_KEY')
  if (key.kind === 'keystore') {
    const password = lookUp('WALLET_PASSWORD_FILE')
    if (plain !== undefined)
      throw invalidConfig([
        `${showVariable(plain, cwd)}: a plain key lies here, but the key is in a keystore: remove the variable.`,
      ])
    if (password === undefined)
      throw invalidConfig([
        'WALLET_PASSWORD_FILE: is missing: set it to a file of mode 600 that holds the password of the keystore.',
      ])
    const beside = (name: string) => resolve(dirname(path), name)
    return { kind: key.kind, file: beside(key.file), passwordFile: beside(password.value) }
  }
  const found = plain && readPrivateKey(plain.value)
  if (plain === undefined || found === undefined)
    throw invalidConfig([
      plain === undefined
        ? 'WALLET_KEY: is missing: set a private key in the environment or .env.'
        : `${showVariable(plain, cwd)}: is not a private key: set 0x and 64 hex digits (its value is not shown).`,
    ])
  if (mainnetChainIds.has(Number(chainId)))
    throw invalidConfig([
      `${showVariable(plain, cwd)}: a plain key is for development, and chain ${chainId} is a main network: put the key into a keystore.`,
    ])
  return { kind: key.kind, key: found }
}

function checkTokens({ tokens }: SignerText): readonly Problem[] {
  const entries = Object.entries(tokens)
  return entries.flatMap(([symbol, token], index): Problem[] => {
    const path = ['tokens', symbol]
    const twin = entries
      .slice(0, index)
      .find(([, other]) => sameAddress(other.address, token.address))
    return [
      ...(twin === undefined
        ? []
        : [
            {
              path: [...path, 'address'],
              sentence: `${token.address} is the address of ${twin[0]} already: give each token its own.`,
            },
          ]),
      ...(['perTransaction', 'perDay'] as const).flatMap((key): Problem[] => {
        try {
          parseDecimal(token[key], Number(token.decimals))
          return []
        } catch (error) {
          if (!(error instanceof BallastError)) throw error
          return [{ path: [...path, key], sentence: error.summary }]
        }
      }),
    ]
  })
}

/** Turns checked text into values. */
function build(
  text: SignerText,
  { path, key }: { path: string; key: SignerConfig['key'] },
): SignerConfig {
  const beside = (name: string) => resolve(dirname(path), name)
  const chainId = Number(text.chainId)
  return {
    wallet: getAddress(text.wallet),
    key,
    socket: beside(text.socket),
    countFile: beside(text.countFile ?? `${text.socket}.count`),
    limits: {
      chainId,
      router: getAddress(text.router),
      recipients: text.recipients.map((recipient) => getAddress(recipient)),
      tokens: Object.entries(text.tokens).map(([symbol, token]) => {
        const decimals = Number(token.decimals)
        return {
          token: { chainId, address: getAddress(token.address), symbol, decimals },
          perTransaction: parseDecimal(token.perTransaction, decimals),
          perDay: parseDecimal(token.perDay, decimals),
        }
      }),
      gasMax: BigInt(text.maxGas),
      gasPriceMax: parseGasPrice(text.maxGasPrice),
    },
  }
}
