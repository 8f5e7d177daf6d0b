import { dirname, resolve } from 'node:path'
import { getAddress } from 'viem/utils'
import { parseAmount, tokenOf } from '../core/amount.ts'
import { parseBps } from '../core/bps.ts'
import { parseDuration } from '../core/duration.ts'
import { parseGasPrice } from '../core/gasPrice.ts'
import { type Secret, secretUrl } from '../core/secret.ts'
import { type Address, sameToken, type Token } from '../core/token.ts'
import { buildReference } from './buildReference.ts'
import { buildTokens } from './buildTokens.ts'
import type { Config, Tokens } from './config.ts'
import { databaseOf } from './databaseOf.ts'
import type { FileText } from './fileSchema.ts'
import { hashOf } from './hashOf.ts'
import { profileOf } from './profileOf.ts'
import { signerOf } from './signerOf.ts'
import { withUsd } from './withUsd.ts'

/** Turns checked text into values. Nothing here can fail: what could was refused before. */
export function buildConfig(
  text: FileText,
  {
    file,
    locate,
    apiKey,
    key,
    passwordFile,
  }: {
    file: string
    locate: Config['locate']
    apiKey: Secret | undefined
    key: Secret | undefined
    passwordFile: string | undefined
  },
): Config {
  const { chain, service, wallet, quote, policy, breakers, dashboard } = text
  const tokens = buildTokens(text)
  const priced = withUsd(tokens)
  const notional = (item: string) => parseAmount(item, priced)
  const amounts = (list: readonly string[]) =>
    list.map((item) => parseAmount(item, tokens.bySymbol))
  const database = databaseOf(text.database, { file })
  return deepFreeze({
    file,
    locate,
    hash: hashOf(text),
    chain: {
      name: chain.name,
      chainId: Number(chain.chainId),
      rpcUrl: secretUrl(chain.rpcUrl),
      confirmations: Number(chain.confirmations),
      blockTimeMs: parseDuration(chain.blockTime),
      tracing: chain.tracing,
      witness: chain.witness && {
        rpcUrl: secretUrl(chain.witness.rpcUrl),
        above: parseAmount(chain.witness.above, priced),
        sends: chain.witness.sends,
      },
      alsoSendTo: chain.alsoSendTo.map(secretUrl),
    },
    service: {
      // The documents of this API family give the address with the version, which the paths carry themselves.
      url: secretUrl(service.url.replace(/\/v1\/?$/, '')),
      apiKey,
      router: address(service.router),
      routerCodeHash: service.routerCodeHash.toLowerCase() as `0x${string}`,
      profile: profileOf(service, notional),
    },
    tokens,
    wallet: {
      name: wallet.name,
      address: address(wallet.address),
      key,
      signer: signerOf(wallet.signer, { file, passwordFile }),
    },
    quote: {
      expirySeconds: parseDuration(quote.expiry) / 1_000,
      slippageBps: parseBps(quote.slippage),
      timeoutMs: parseDuration(quote.timeout),
    },
    policy: {
      tokens: policy.tokens.map((symbol) => tokenOf(symbol, tokens.bySymbol)),
      pairs: policy.pairs.flatMap((pair) => pairsOf(pair, tokens)),
      recipients: policy.recipients.map(address),
      perSwap: amounts(policy.perSwap),
      perDay: amounts(policy.perDay),
      notional: {
        perSwap: notional(policy.notional.perSwap),
        perHour: notional(policy.notional.perHour),
        perDay: notional(policy.notional.perDay),
        perStrategy: notional(policy.notional.perStrategy),
      },
      deviationBpsMax: parseBps(policy.maxDeviation),
      referencesMin: Number(policy.minReferences),
      cooldownMs: parseDuration(policy.cooldown),
      gasCostBpsMax: parseBps(policy.maxGasCost),
      slippageBpsMax: parseBps(policy.maxSlippage),
      feeBpsMax: parseBps(policy.maxFee),
      gasPriceMax: parseGasPrice(policy.maxGasPrice),
      gasMax: BigInt(policy.maxGas),
      timeToDeadlineSecondsMin: parseDuration(policy.minTimeToDeadline) / 1_000,
      unit: tokenOf(policy.unit, priced),
      references: policy.references.map((written) => buildReference(written, { tokens, priced })),
      stablecoins: Object.entries(policy.stablecoins).map(([symbol, deviation]) => ({
        token: tokenOf(symbol, tokens.bySymbol),
        deviationBpsMax: parseBps(deviation),
      })),
    },
    breakers: {
      refusals: {
        count: Number(breakers.refusals.count),
        lockMs: parseDuration(breakers.refusals.lock),
      },
      failures: {
        count: Number(breakers.failures.count),
        lockMs: parseDuration(breakers.failures.lock),
      },
      priceJump: {
        bps: parseBps(breakers.priceJump.above),
        withinMs: parseDuration(breakers.priceJump.within),
        lockMs: parseDuration(breakers.priceJump.lock),
      },
      witness: { lockMs: parseDuration(breakers.witness.lock) },
      clock: {
        aheadMs: parseDuration(breakers.clock.ahead),
        serviceMs: parseDuration(breakers.clock.service),
        lockMs: parseDuration(breakers.clock.lock),
      },
      gasPerDayMax:
        breakers.maxGasPerDay === undefined
          ? undefined
          : parseAmount(breakers.maxGasPerDay, tokens.bySymbol).wei,
    },
    strategies: text.strategies.map(({ name, use, params, priority }, index) => ({
      name,
      use,
      params,
      path: ['strategies', index, 'params'],
      priority: Number(priority),
    })),
    database,
    // Beside the journal, where that is a file; beside the configuration otherwise.
    haltFile: resolve(dirname(database.dialect === 'sqlite' ? database.path : file), text.haltFile),
    dashboard: { host: dashboard.host, port: Number(dashboard.port) },
    logLevel: text.logLevel,
  } satisfies Config)
}

/** `WETH/USDC`, and the same with the chain's own currency in the place of what wraps it. */
function pairsOf(text: string, { bySymbol, native, wrapped }: Tokens): (readonly [Token, Token])[] {
  const sides = text.split('/').map((symbol) => tokenOf(symbol, bySymbol))
  const [base = [], quote = []] = sides.map((token) =>
    sameToken(token, native) || sameToken(token, wrapped) ? [native, wrapped] : [token],
  )
  return base.flatMap((a) => quote.map((b) => [a, b] as const))
}

const address = (text: string): Address => getAddress(text)

function deepFreeze<value>(value: value): value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
