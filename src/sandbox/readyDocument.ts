import { z } from 'zod'
import type { Hex } from '../chain/calls/fields.ts'
import { address } from '../chain/calls/fields.ts'
import type { Address } from '../core/token.ts'
import type { Accounts, SandboxAccount } from './accounts.ts'
import type { SandboxWorld } from './world.ts'

type Key = { readonly address: Address; readonly privateKey: Hex }

/** The one line `sandbox --json` prints. Scripts depend on these names. The keys in it are published development keys. */
export type ReadyDocument = {
  readonly ready: true
  readonly chain: string
  readonly chainId: number
  readonly rpcUrl: string
  readonly serviceUrl: string
  /** Empty when the service needs none. */
  readonly apiKey: string
  readonly router: Address
  readonly executor: Address
  readonly tokens: Readonly<
    Record<string, { readonly address: Address; readonly decimals: number }>
  >
  readonly wallets: Readonly<Record<string, Key>>
  readonly makers: Readonly<Record<string, Key>>
  readonly feeSigner: Key
  /** Path of a `ballast.yaml` that works with this market. */
  readonly config: string
}

/** Describes a running market to clients that connect. */
export function readyDocument({
  world,
  accounts,
  deployment,
  rpcUrl,
  serviceUrl,
  config,
}: {
  world: SandboxWorld
  accounts: Accounts
  deployment: Deployment
  rpcUrl: string
  serviceUrl: string
  config: string
}): ReadyDocument {
  return {
    ready: true,
    chain: world.chain.name,
    chainId: world.chain.chainId,
    rpcUrl,
    serviceUrl,
    apiKey: world.service.apiKeys[0] ?? '',
    router: deployment.router,
    executor: deployment.executor,
    tokens: Object.fromEntries(
      Object.entries(deployment.tokens).map(([symbol, address]) => [
        symbol,
        { address, decimals: world.tokens[symbol]?.decimals ?? 18 },
      ]),
    ),
    wallets: keysOf(accounts.wallets),
    makers: keysOf(accounts.makers),
    feeSigner: keyOf(accounts.feeSigner),
    config,
  }
}

const keyOf = ({ key, account }: SandboxAccount): Key => ({
  address: account.address,
  privateKey: key,
})

const keysOf = (accounts: ReadonlyMap<string, SandboxAccount>) =>
  Object.fromEntries([...accounts].map(([name, account]) => [name, keyOf(account)]))

/** Everything put on the chain, and where. */
export const deploymentSchema = z.strictObject({
  /** Of the world it was made from: another world needs another chain. */
  worldHash: z.string(),
  chainId: z.int(),
  /** Prices count their steps from here. */
  block: z.int(),
  router: address,
  routerCodeHash: z.string().transform((text) => text as `0x${string}`),
  executor: address,
  tokens: z.record(z.string(), address),
  /** In the order of the world. */
  pools: z.array(address),
  /** Feeds of a token's worth in US dollars, by symbol: of each token the world gives a price. */
  feeds: z.record(z.string(), address),
  /** Uniswap's own, for traders that do without us. Absent where the world has no v3 pool. */
  v3SwapRouter: address.optional(),
})
export type Deployment = z.output<typeof deploymentSchema>
