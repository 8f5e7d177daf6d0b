import { dirname, resolve } from 'node:path'
import { getAddress } from 'viem/utils'
import { parseAmount, tokenOf } from '../core/amountText.ts'
import { parseBps } from '../core/bps.ts'
import { parseDuration } from '../core/duration.ts'
import { parseGasPrice } from '../core/gasPrice.ts'
import { type Secret, secretUrl } from '../core/secret.ts'
import { type Address, nativeAddress, type Token } from '../core/token.ts'
import type { Config, Tokens } from './config.ts'
import type { FileText } from './fileSchema.ts'

/** Turns checked text into values. Nothing here can fail: what could was refused before. */
export function buildConfig(
  text: FileText,
  {
    file,
    locate,
    apiKey,
    key,
  }: {
    file: string
    locate: Config['locate']
    apiKey: Secret | undefined
    key: Secret | undefined
  },
): Config {
  const { chain, service, wallet, quote, policy, breakers, dashboard } = text
  const tokens = buildTokens(text)
  const amounts = (list: readonly string[]) =>
    list.map((item) => parseAmount(item, tokens.bySymbol))
  const databasePath = resolve(dirname(file), text.database.replace(/^sqlite:(?:\/\/(?=\/))?/, ''))
  return deepFreeze({
    file,
    locate,
    chain: {
      name: chain.name,
      chainId: Number(chain.chainId),
      rpcUrl: secretUrl(chain.rpcUrl),
      confirmations: Number(chain.confirmations),
    },
    service: {
      // The documents of this API family give the address with the version, which the paths carry themselves.
      url: secretUrl(service.url.replace(/\/v1\/?$/, '')),
      apiKey,
      router: address(service.router),
      routerCodeHash: service.routerCodeHash.toLowerCase() as `0x${string}`,
      executor: address(service.executor),
      feeSigner: address(service.feeSigner),
      makers: service.makers.map(address),
    },
    tokens,
    wallet: { name: wallet.name, address: address(wallet.address), key },
    quote: {
      expirySeconds: parseDuration(quote.expiry) / 1_000,
      slippageBps: parseBps(quote.slippage),
      timeoutMs: parseDuration(quote.timeout),
    },
    policy: {
      tokens: policy.tokens.map((symbol) => tokenOf(symbol, tokens.bySymbol)),
      recipients: policy.recipients.map(address),
      perSwap: amounts(policy.perSwap),
      perDay: amounts(policy.perDay),
      slippageBpsMax: parseBps(policy.maxSlippage),
      feeBpsMax: parseBps(policy.maxFee),
      gasPriceMax: parseGasPrice(policy.maxGasPrice),
      gasMax: BigInt(policy.maxGas),
      timeToDeadlineSecondsMin: parseDuration(policy.minTimeToDeadline) / 1_000,
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
    strategies: text.strategies.map(({ name, use, params }, index) => ({
      name,
      use,
      params,
      path: ['strategies', index, 'params'],
    })),
    database: { dialect: 'sqlite', path: databasePath },
    haltFile: resolve(dirname(databasePath), text.haltFile),
    dashboard: { host: dashboard.host, port: Number(dashboard.port) },
    logLevel: text.logLevel,
  } satisfies Config)
}

/** The tokens a configuration names, the chain's own currency first. Takes whatever part of the file is right already. */
export function buildTokens({ chain, tokens }: Pick<FileText, 'chain' | 'tokens'>): Tokens {
  const chainId = Number(chain.chainId)
  const native: Token = { chainId, address: nativeAddress, symbol: chain.currency, decimals: 18 }
  const listed = Object.entries(tokens).map(([symbol, token]) => ({
    token: { chainId, address: address(token.address), symbol, decimals: Number(token.decimals) },
    wrapsNative: token.wrapsNative,
  }))
  return {
    native,
    bySymbol: new Map([native, ...listed.map(({ token }) => token)].map((t) => [t.symbol, t])),
    wrapped: listed.find(({ wrapsNative }) => wrapsNative)?.token ?? native,
  }
}

const address = (text: string): Address => getAddress(text)

function deepFreeze<value>(value: value): value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
