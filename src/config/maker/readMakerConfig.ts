import { resolve } from 'node:path'
import { getAddress } from 'viem/utils'
import { parseBps } from '../../core/bps.ts'
import { parseDecimal } from '../../core/decimal.ts'
import { distinct } from '../../core/distinct.ts'
import { parseDuration } from '../../core/duration.ts'
import { BallastError } from '../../core/errors.ts'
import { invalidConfig } from '../../core/invalidConfig.ts'
import type { Problem } from '../../core/problem.ts'
import { type Secret, secret, secretUrl } from '../../core/secret.ts'
import { showKey } from '../../core/showKey.ts'
import type { Address, Token } from '../../core/token.ts'
import type { Environment } from '../environment.ts'
import { findSecrets } from '../findSecrets.ts'
import { mainnetChainIds } from '../mainnetChainIds.ts'
import { nameInVariable, variables } from '../overrides.ts'
import { parseYaml } from '../parseYaml.ts'
import { readPrivateKey } from '../readPrivateKey.ts'
import { readText } from '../readText.ts'
import { sentencesOf } from '../sentencesOf.ts'
import { isPublishedKey } from '../service/isPublishedKey.ts'
import { showPath } from '../showPath.ts'
import { showVariable } from '../showVariable.ts'
import { type MakerText, makerSchema } from './schema.ts'

type Level = readonly [amount: string, price: string]

/** What `ballast maker` runs: `maker.yaml` and the environment, checked. */
export type MakerConfig = {
  readonly name: string
  readonly key: Secret
  /** What a quoting service must send; undefined: whoever reaches it may ask. */
  readonly apiKey: Secret | undefined
  readonly chainId: number
  /** May carry a key. */
  readonly rpcUrl: Secret
  readonly blockTimeSeconds: number
  readonly router: Address
  readonly books: readonly MakerBook[]
  readonly expiryMaxSeconds: number
  readonly listen: { readonly host: string; readonly port: number }
  readonly logLevel: MakerText['logLevel']
}

export type MakerBook = {
  readonly base: Token
  readonly quote: Token
  readonly minimumInBase: string
  readonly bid: readonly Level[]
  readonly ask: readonly Level[]
  readonly follow:
    | {
        readonly pool: Address
        readonly halfSpreadBps: number
        readonly sizes: readonly string[]
        readonly stepBps: number
        readonly impactBps: number
        readonly volatility: number
        readonly volatilityMax: number | undefined
        readonly skew:
          | { readonly bps: number; readonly target: string; readonly limit: string }
          | undefined
      }
    | undefined
}

/** Reads `maker.yaml` and the environment. Throws every problem at once, each with file and line. */
export function readMakerConfig({
  file,
  environment,
  cwd,
}: {
  file: string
  environment: Environment
  cwd: string
}): MakerConfig {
  const path = resolve(cwd, file)
  const shown = showPath(path, cwd)
  const yaml = parseYaml(readText(path, { shown, init: 'docs/SERVICE.md has an example' }))
  if (yaml.problems.length > 0)
    throw invalidConfig(
      yaml.problems.map(({ line, column, sentence }) => `${shown}:${line}:${column} ${sentence}`),
    )
  const parsed = makerSchema.safeParse(yaml.value)
  const problems: readonly Problem[] = [
    ...findSecrets(yaml.value),
    ...(parsed.success
      ? checkBooks(parsed.data)
      : parsed.error.issues.flatMap((issue) => sentencesOf(makerSchema, issue))),
  ]
  const lines = distinct(problems).map((problem) => {
    const { line, column } = yaml.position(problem.path)
    const key = problem.path.length === 0 ? 'the file' : showKey(problem.path)
    return `${shown}:${line}:${column} ${key}: ${problem.sentence}`
  })
  if (!parsed.success || lines.length > 0) throw invalidConfig(lines)

  const text = parsed.data
  const lookUp = variables({ environment, file: path, cwd })
  const variable = `MAKER_KEY_${nameInVariable(text.name)}`
  const found = lookUp(variable)
  const key = found && readPrivateKey(found.value)
  if (key === undefined)
    throw invalidConfig([
      found === undefined
        ? `${variable}: is missing: set a private key in the environment or .env.`
        : `${showVariable(found, cwd)}: is not a private key: set 0x and 64 hex digits (its value is not shown).`,
    ])
  if (mainnetChainIds.has(Number(text.chain.chainId)) && isPublishedKey(key))
    throw invalidConfig([
      `${variable}: is a published development key, and chain ${text.chain.chainId} is a main network: use a key nobody knows.`,
    ])
  const apiKey = lookUp('MAKER_API_KEY')
  return build(text, {
    key,
    apiKey: apiKey && secret(apiKey.value),
    rpcUrl: secretUrl(lookUp('RPC_URL')?.value.trim() ?? text.chain.rpcUrl),
  })
}

function checkBooks({ books, tokens }: MakerText): readonly Problem[] {
  return books.flatMap((book, index): Problem[] => {
    const path = ['books', index]
    const unknown = book.pair.flatMap((symbol, side): Problem[] =>
      tokens[symbol] === undefined
        ? [{ path: [...path, 'pair', side], sentence: `'${symbol}' is not among the tokens.` }]
        : [],
    )
    const isFixed = book.bid.length + book.ask.length > 0
    const both =
      isFixed === (book.follow !== undefined)
        ? [{ path, sentence: 'has either levels (bid, ask) or follow.' }]
        : []
    const decimals = Number(tokens[book.pair[0] ?? '']?.decimals ?? 36)
    const amounts = [
      ...[...book.bid, ...book.ask].map(([amount = '']) => amount),
      ...(book.follow?.sizes ?? []),
      book.minimumInBase,
    ]
    const excess = amounts.flatMap((amount): Problem[] => {
      try {
        parseDecimal(amount, decimals)
        return []
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        return [{ path, sentence: error.summary }]
      }
    })
    return [...unknown, ...both, ...excess]
  })
}

/** Turns checked text into values. */
function build(
  text: MakerText,
  secrets: { key: Secret; apiKey: Secret | undefined; rpcUrl: Secret },
): MakerConfig {
  const chainId = Number(text.chain.chainId)
  const tokenOf = (symbol = ''): Token => {
    const { address = '', decimals = '0' } = text.tokens[symbol] ?? {}
    return { chainId, address: getAddress(address), symbol, decimals: Number(decimals) }
  }
  const seconds = (duration: string) => parseDuration(duration) / 1_000
  const number = (decimal: string | undefined) =>
    decimal === undefined ? undefined : Number(decimal)
  return {
    ...secrets,
    name: text.name,
    chainId,
    blockTimeSeconds: seconds(text.chain.blockTime),
    router: getAddress(text.router),
    books: text.books.map(({ pair: [base, quote], bid, ask, minimumInBase, follow }) => ({
      base: tokenOf(base),
      quote: tokenOf(quote),
      minimumInBase,
      bid: bid.map(levelOf),
      ask: ask.map(levelOf),
      follow: follow && {
        pool: getAddress(follow.pool),
        halfSpreadBps: parseBps(follow.halfSpread),
        sizes: follow.sizes,
        stepBps: parseBps(follow.step),
        impactBps: parseBps(follow.impact),
        volatility: Number(follow.volatility),
        volatilityMax: number(follow.volatilityMax),
        skew: follow.skew && {
          bps: parseBps(follow.skew.rate),
          target: follow.skew.target,
          limit: follow.skew.limit,
        },
      },
    })),
    expiryMaxSeconds: seconds(text.expiryMax),
    listen: { host: text.listen.host, port: Number(text.listen.port) },
    logLevel: text.logLevel,
  }
}

const levelOf = ([amount = '0', price = '0']: readonly string[]): Level => [amount, price]
