import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { stringify } from 'yaml'
import type { Fork } from './forkOrigin.ts'

/** Writes the `service.yaml` of a desk with the fixed world's pools and makers over a fork, and names its keys. */
export function writeDesk(
  { ready, world, dataDir }: Fork,
  change: Readonly<Record<string, unknown>> = {},
): { file: string; environment: Readonly<Record<string, string>> } {
  const { pools } = inject('origin').deployment
  const file = join(dataDir, 'service.yaml')
  const desk = {
    chain: {
      name: ready.chain,
      chainId: ready.chainId,
      label: 'Local',
      currency: world.chain.token,
      rpcUrl: ready.rpcUrl,
      blockTime: `${world.chain.blockTimeSeconds}s`,
    },
    router: ready.router,
    executor: ready.executor,
    tokens: Object.fromEntries(
      Object.entries(ready.tokens).map(([symbol, token]) => [
        symbol,
        {
          ...token,
          wrapsNative: world.tokens[symbol]?.wrapsNative ?? false,
          isDollar: world.tokens[symbol]?.isDollar ?? false,
        },
      ]),
    ),
    pools: world.pools.map((pool, index) => ({
      kind: pool.kind,
      address: pools[index],
      tokens: pool.tokens,
      ...('fee' in pool ? { fee: pool.fee } : {}),
    })),
    hubs: world.service.hubs,
    makers: world.makers.map(({ name, books }) => ({ name, books })),
    widgetFee: { recipient: ready.feeSigner.address },
    listen: { port: 0 },
    logLevel: 'silent',
    ...change,
  }
  writeFileSync(
    file,
    stringify(desk, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }),
  )
  const makerKeys = Object.entries(ready.makers).map(([name, { privateKey }]) => [
    `MAKER_KEY_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`,
    privateKey,
  ])
  return {
    file,
    environment: {
      ...Object.fromEntries(makerKeys),
      FEE_SIGNER_KEY: ready.feeSigner.privateKey,
    },
  }
}
