import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'
import { systemClock } from '../../src/core/clock.ts'
import { readWorld } from '../../src/sandbox/readWorld.ts'
import { startSandbox } from '../../src/sandbox/startSandbox.ts'
import { startCuttingProxy } from '../support/cuttingProxy.ts'
import { startBallast } from '../support/runBallast.ts'
import { silent } from '../support/silent.ts'

/** What every swap of a fleet sells: worth as many dollars at any price, so that a limit holds a known number of swaps. */
export const dollarsEach = 15

type Section = Record<string, unknown>

/** A process of the fleet, and the connection to the server that it alone has. */
export type Process = {
  readonly name: string
  readonly proxy: Awaited<ReturnType<typeof startCuttingProxy>>
  running: ReturnType<typeof startBallast>
}

/** Markets on several chains, and one file with wallets on each of them. Close it with `await using`. */
export async function openFleet({
  dir,
  server,
  chains,
  wallets,
  swaps,
  strategies = buying(1),
}: {
  dir: string
  /** Address of an empty database. */
  server: string
  chains: number
  /** On each chain. */
  wallets: number
  /** So many swaps in 24 hours, of all wallets together. */
  swaps: number
  strategies?: readonly Section[]
}) {
  await using opened = new AsyncDisposableStack()
  const markets = await Promise.all(
    Array.from({ length: chains }, async (_, nth) => {
      const dataDir = join(dir, `chain-${nth}`)
      mkdirSync(dataDir, { recursive: true })
      const sandbox = await startSandbox({
        world: worldOf(nth, wallets),
        ...{ dataDir, clock: systemClock, log: silent },
      })
      opened.defer(() => sandbox.close())
      return { ...sandbox.ready, written: parse(readFileSync(sandbox.ready.config, 'utf8')) }
    }),
  )
  const file = join(dir, 'ballast.yaml')
  const names = markets.flatMap((_, chain) =>
    Array.from({ length: wallets }, (__, nth) => walletName(chain, nth)),
  )
  writeFileSync(file, fleetFile(markets, { names, swaps, strategies }))
  const env = Object.fromEntries(
    names.map((name) => [
      `WALLET_KEY_${name.toUpperCase().replaceAll('-', '_')}`,
      keyOf(markets, name),
    ]),
  )
  const processes: Process[] = []
  opened.defer(() => endAll(processes))
  const owned = opened.move()

  const spawn = (role: string, url: string) =>
    startBallast(['run', '--role', role, '--port', '0', '--config', file], {
      env: { ...env, DATABASE_URL: url },
    })
  return {
    file,
    names,
    markets,
    processes,
    /** Of a command that a person calls. */
    env: { ...env, DATABASE_URL: server },
    async start(role: 'all' | 'scheduler' | 'worker' | 'dashboard'): Promise<Process> {
      const proxy = await startCuttingProxy(server)
      owned.defer(() => proxy.close())
      const one = { name: `${role}-${processes.length}`, proxy, running: spawn(role, proxy.url) }
      processes.push(one)
      return one
    },
    /** The same process again, as a supervisor does it. */
    restart(process: Process): void {
      process.running = spawn(process.name.split('-')[0] ?? '', process.proxy.url)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export type Fleet = Awaited<ReturnType<typeof openFleet>>

const walletName = (chain: number, nth: number) => `desk-${chain}-${nth}`

/** Buys a little as often as it may. */
export function buying(everySeconds: number): readonly Section[] {
  const every = `${everySeconds}s`
  const params = { sell: `${dollarsEach} USDC`, buy: 'WETH', price: '0.0001 WETH', every }
  return [{ name: 'buy', use: 'threshold', params }]
}

/** A market that stands still, on a chain of its own. */
function worldOf(nth: number, wallets: number) {
  const path = fileURLToPath(new URL('../../src/sandbox/fixed.yaml', import.meta.url))
  const world = readWorld(path)
  const desks = Array.from({ length: wallets }, (_, desk) => [
    walletName(nth, desk),
    { native: '10', USDC: '100000' },
  ])
  return {
    ...world,
    chain: { ...world.chain, name: `chain${nth}`, chainId: 31_337 + nth },
    wallets: { ...world.wallets, ...Object.fromEntries(desks) },
  }
}

type Market = { readonly written: Section; readonly wallets: Section }

function fleetFile(
  markets: readonly Market[],
  {
    names,
    swaps,
    strategies,
  }: { names: readonly string[]; swaps: number; strategies: readonly Section[] },
): string {
  const chains = markets.map(({ written }) => {
    const { chain, service, tokens, quote, policy } = written
    const settled = { confirmations: 1 }
    const allowances = { allowances: ['1000000 USDC'] }
    return {
      chain: { ...(chain as Section), ...settled },
      ...{ service, tokens, quote, policy: { ...(policy as Section), ...allowances } },
    }
  })
  const file = {
    treasury: { perDay: `${swaps * dollarsEach} USD` },
    chains,
    wallets: names.map((name) => {
      const chain = Number(name.split('-')[1])
      return { name, chain: `chain${chain}`, address: accountOf(markets, name).address }
    }),
    strategies,
    logLevel: 'warn',
    stateFolder: './state',
    dashboard: { host: '127.0.0.1', port: 0 },
  }
  return stringify(file, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' })
}

function accountOf(markets: readonly Market[], name: string) {
  const market = markets[Number(name.split('-')[1])]
  return market?.wallets[name] as { address: string; privateKey: string }
}

const keyOf = (markets: readonly Market[], name: string) => accountOf(markets, name).privateKey

async function endAll(processes: readonly Process[]): Promise<void> {
  for (const { running } of processes) {
    running.child.kill('SIGCONT')
    running.child.kill('SIGTERM')
  }
  const patience = setTimeout(() => {
    for (const { running } of processes) running.child.kill('SIGKILL')
  }, 60_000)
  await Promise.all(processes.map(({ running }) => running.ended))
  clearTimeout(patience)
}
