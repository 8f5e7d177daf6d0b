import { mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { systemClock } from '../../src/core/clock.ts'
import { accountsOf } from '../../src/sandbox/accounts.ts'
import { deployWorld } from '../../src/sandbox/deployWorld.ts'
import { readyDocument } from '../../src/sandbox/readyDocument.ts'
import { anvilCalls, startAnvil } from '../../src/sandbox/startAnvil.ts'
import { startMarket } from '../../src/sandbox/startMarket.ts'
import type { SandboxWorld } from '../../src/sandbox/world.ts'
import { writeConfig } from '../../src/sandbox/writeConfig.ts'
import { silent } from '../support/silent.ts'
import { fixedWorld } from '../support/world.ts'
import { driveChain } from './driveChain.ts'
import type { Scene } from './fault.ts'
import { startFaultyNode } from './startFaultyNode.ts'

/** Many times as often as the bot looks, so that it never waits for a block. */
const shortBlockMs = 150

/** The service would call a chain stale that stands still while a case is set up. */
const patientBlockTimeSeconds = 600

type Server = { readonly url: string; readonly template: string }
type Options = {
  /** A build of the bot. */
  readonly main?: string
  readonly blockMs?: number
  /** Where journals are kept that are not in a file, with an empty one to copy. */
  readonly server?: () => Promise<Server>
}

const noServer = async (): Promise<never> => {
  throw new Error('no case of this run has its journal on a server')
}

/** A token that takes permits, in the place of one that takes none. */
function taking({ tokens }: SandboxWorld, symbol: string): SandboxWorld['tokens'] {
  const token = tokens[symbol]
  return token === undefined ? {} : { [symbol]: { ...token, behaves: 'permit' } }
}

/** A market for one case after the other: its chain is taken back to where it was before each. */
export type Field = Awaited<ReturnType<typeof openField>>

/** More than the blocks of one case on a slow machine: a reorganisation goes back to the state of one of them. */
const statesMax = 2_000

export async function openField(
  dataDir: string,
  { main, blockMs = shortBlockMs, server = noServer }: Options = {},
) {
  const fixed = fixedWorld()
  const world: SandboxWorld = { ...fixed, tokens: { ...fixed.tokens, ...taking(fixed, 'USDC') } }
  const accounts = accountsOf(world)
  const anvil = await startAnvil({ chainId: world.chain.chainId, statesMax })
  const rpc = createRpc({ url: anvil.rpcUrl, timeoutMs: 30_000 })
  await rpc.request(anvilCalls.silence)
  const deployment = await deployWorld(rpc, { world, accounts })
  const market = await startMarket({
    rpc,
    world: { ...world, chain: { ...world.chain, blockTimeSeconds: patientBlockTimeSeconds } },
    accounts,
    deployment,
    clock: systemClock,
    log: silent,
  })
  const chain = driveChain(rpc)
  await rpc.request(anvilCalls.setTime(Math.floor(Date.now() / 1_000)))
  // What looks a few blocks back finds something.
  await chain.mine(12)
  const node = await startFaultyNode(anvil.rpcUrl)
  mkdirSync(dataDir, { recursive: true })
  const ready = readyDocument({
    world,
    accounts,
    deployment,
    rpcUrl: node.url,
    serviceUrl: market.serviceUrl,
    config: join(dataDir, 'ballast.yaml'),
  })
  writeConfig({ dataDir, world, deployment, ready })
  const { treasury } = ready.wallets
  const [maker] = Object.values(ready.makers)
  const usdc = ready.tokens.USDC?.address
  if (treasury === undefined || maker === undefined || usdc === undefined)
    throw new Error('the fixed world has a treasury, a maker and USDC')

  let snapshot = await chain.snapshot()
  let turn: Promise<unknown> = Promise.resolve()
  /** One at a time: what must not be mined in between is not. */
  const still = <result>(act: () => Promise<result>): Promise<result> => {
    const done = turn.then(act)
    turn = done.catch(() => undefined)
    return done
  }
  const miner = setInterval(() => void still(() => chain.mine()).catch(() => undefined), blockMs)
  const scene: Scene = {
    chain,
    router: ready.router,
    wallet: treasury,
    maker: maker.address,
    usdc,
    still,
  }
  return {
    dataDir,
    /** The build of the bot that is tried; undefined: its source. */
    main,
    server,
    /** Of its database on a server. */
    // Processes of one run share a server, and each numbers its own lanes.
    name: `${basename(dataDir).replaceAll(/\W/g, '_')}_${process.pid}`,
    ready,
    rpc,
    chain,
    node,
    scene,
    /** Takes the chain back to before the first case. Returns the height it has then. */
    begin: () =>
      still(async () => {
        await chain.revert(snapshot)
        // The chain's clock went back with its blocks.
        await rpc.request(anvilCalls.setTime(Math.floor(Date.now() / 1_000)))
        snapshot = await chain.snapshot()
        const base = await chain.headNumber()
        await chain.mine()
        return base
      }),
    async close() {
      clearInterval(miner)
      await turn
      await node.close()
      await market.close()
      await rpc.close()
      await anvil.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
