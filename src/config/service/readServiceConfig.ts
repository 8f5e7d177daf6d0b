import { dirname, resolve } from 'node:path'
import { getAddress } from 'viem/utils'
import { parseBps } from '../../core/bps.ts'
import { distinct } from '../../core/distinct.ts'
import { parseDuration } from '../../core/duration.ts'
import { invalidConfig } from '../../core/invalidConfig.ts'
import type { Problem } from '../../core/problem.ts'
import { type Secret, secretUrl } from '../../core/secret.ts'
import { showKey } from '../../core/showKey.ts'
import { type Address, nativeAddress, type Token } from '../../core/token.ts'
import type { Environment } from '../environment.ts'
import { findSecrets } from '../findSecrets.ts'
import { mainnetChainIds } from '../mainnetChainIds.ts'
import { nameInVariable, variables } from '../overrides.ts'
import { parseYaml } from '../parseYaml.ts'
import { readPrivateKey } from '../readPrivateKey.ts'
import { readText } from '../readText.ts'
import { sentencesOf } from '../sentencesOf.ts'
import { showPath } from '../showPath.ts'
import { showVariable } from '../showVariable.ts'
import { crossCheck } from './crossCheck.ts'
import { isPublishedKey } from './isPublishedKey.ts'
import { type ServiceText, serviceSchema } from './schema.ts'
import type { ServiceConfig, V3Fee } from './serviceConfig.ts'

type LookUp = ReturnType<typeof variables>

/** Reads `service.yaml` and the environment. Throws every problem at once, each with file and line. */
export function readServiceConfig({
  file,
  environment,
  cwd,
}: {
  file: string
  environment: Environment
  cwd: string
}): ServiceConfig {
  const path = resolve(cwd, file)
  const shown = showPath(path, cwd)
  const yaml = parseYaml(readText(path, { shown, init: 'docs/SERVICE.md has an example' }))
  if (yaml.problems.length > 0)
    throw invalidConfig(
      yaml.problems.map(({ line, column, sentence }) => `${shown}:${line}:${column} ${sentence}`),
    )
  const lookUp = variables({ environment, file: path, cwd })
  const parsed = serviceSchema.safeParse(yaml.value)
  const problems: readonly Problem[] = [
    ...findSecrets(yaml.value),
    ...(parsed.success
      ? crossCheck(parsed.data)
      : parsed.error.issues.flatMap((issue) => sentencesOf(serviceSchema, issue))),
  ]
  const lines = distinct(problems)
    .map((problem) => ({ ...problem, ...yaml.position(problem.path) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ path: at, sentence, line, column }) => {
      const key = at.length === 0 ? 'the file' : showKey(at)
      return `${shown}:${line}:${column} ${key}: ${sentence}`
    })
  if (!parsed.success) throw invalidConfig(lines)

  const keys = readKeys(parsed.data, { lookUp, cwd })
  if (lines.length + keys.problems.length > 0) throw invalidConfig([...lines, ...keys.problems])
  return build(parsed.data, { file: path, lookUp, keyOf: keys.keyOf })
}

/** The variable of a maker's key, and of the service's own. */
const makerVariable = (name: string) => `MAKER_KEY_${nameInVariable(name)}`
const feeSignerVariable = 'FEE_SIGNER_KEY'

function readKeys(
  { chain, makers }: ServiceText,
  { lookUp, cwd }: { lookUp: LookUp; cwd: string },
): { problems: readonly string[]; keyOf: (variable: string) => Secret | undefined } {
  const problems: string[] = []
  const keys = new Map<string, Secret>()
  const names = [feeSignerVariable, ...new Set(makers.map(({ name }) => makerVariable(name)))]
  for (const name of names) {
    const variable = lookUp(name)
    if (variable === undefined) {
      problems.push(`${name}: is missing: set a private key in the environment or .env.`)
      continue
    }
    const key = readPrivateKey(variable.value)
    if (key === undefined)
      problems.push(
        `${showVariable(variable, cwd)}: is not a private key: set 0x and 64 hex digits (its value is not shown).`,
      )
    else if (mainnetChainIds.has(Number(chain.chainId)) && isPublishedKey(key))
      problems.push(
        `${showVariable(variable, cwd)}: is a published development key, and chain ${chain.chainId} is a main network: use a key nobody knows.`,
      )
    else keys.set(name, key)
  }
  return { problems, keyOf: (name) => keys.get(name) }
}

/** Turns checked text into values. Nothing here can fail: what could was refused before. */
function build(
  text: ServiceText,
  {
    file,
    lookUp,
    keyOf,
  }: { file: string; lookUp: LookUp; keyOf: (variable: string) => Secret | undefined },
): ServiceConfig {
  const { chain, widgetFee, expiry, rateLimit, listen, errorStyle, logLevel } = text
  const chainId = Number(chain.chainId)
  const native: Token = { chainId, address: nativeAddress, symbol: chain.currency, decimals: 18 }
  const entries = Object.entries(text.tokens).map(([symbol, { address, decimals, ...rest }]) => ({
    ...rest,
    token: { chainId, address: addressOf(address), symbol, decimals: Number(decimals) },
  }))
  const tokens = new Map(entries.map(({ token }) => [token.symbol, token]))
  const token = (symbol: string | undefined): Token => tokens.get(symbol ?? '') ?? native
  const key = (variable: string): Secret => {
    const found = keyOf(variable)
    if (found === undefined) throw invalidConfig([`${variable}: is missing.`])
    return found
  }
  const rpc = ['RPC_URL', `RPC_URL_${nameInVariable(chain.name)}`]
    .map(lookUp)
    .findLast((variable) => variable !== undefined)
  const seconds = (duration: string) => parseDuration(duration) / 1_000
  return {
    file,
    chain: {
      name: chain.name,
      chainId,
      label: chain.label,
      currency: chain.currency,
      isMainnet: mainnetChainIds.has(chainId),
      rpcUrl: secretUrl(rpc?.value.trim() ?? chain.rpcUrl),
      blockTimeSeconds: seconds(chain.blockTime),
    },
    router: addressOf(text.router),
    executor: addressOf(text.executor),
    tokens,
    native,
    wrapped: entries.find(({ wrapsNative }) => wrapsNative)?.token ?? native,
    dollars: entries.filter(({ isDollar }) => isDollar).map((each) => each.token.address),
    pools: text.pools.map(({ address, tokens: [a, b], fee }) => ({
      address: addressOf(address),
      tokens: [token(a), token(b)],
      v3Fee: fee === undefined ? undefined : (Number(fee) as V3Fee),
    })),
    remoteMakers: text.remoteMakers.map(({ name, url, address, pairs }) => ({
      name,
      url: secretUrl(url),
      address: addressOf(address),
      pairs: pairs.map(([base, quote]) => [token(base), token(quote)] as const),
    })),
    hubs: text.hubs.map(token),
    gasWeight: Number(text.gasWeight),
    makers: text.makers.map(({ name, books }) => ({
      name,
      key: key(makerVariable(name)),
      books: books.map(({ pair: [base, quote], bid, ask, minimumInBase }) => ({
        base: token(base),
        quote: token(quote),
        bid: bid.map(levelOf),
        ask: ask.map(levelOf),
        minimumInBase,
      })),
    })),
    widgetFee: {
      recipient: addressOf(widgetFee.recipient),
      bps: parseBps(widgetFee.rate),
      signer: key(feeSignerVariable),
    },
    expiry: { defaultSeconds: seconds(expiry.default), maxSeconds: seconds(expiry.max) },
    keysFile: text.keysFile && resolve(dirname(file), text.keysFile),
    rateLimit: { perSecond: Number(rateLimit.perSecond), burst: Number(rateLimit.burst) },
    errorStyle,
    listen: { host: listen.host, port: Number(listen.port) },
    logLevel,
  }
}

const addressOf = (text: string): Address => getAddress(text)

const levelOf = ([amount = '0', price = '0']: readonly string[]) => [amount, price] as const
