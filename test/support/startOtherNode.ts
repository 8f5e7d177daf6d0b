import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ganache from 'ganache'
import { getBlock, getChainId } from '../../src/chain/calls/node.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { serveBodies } from './serveBodies.ts'
import { startProvider } from './startProvider.ts'

type Call = { readonly id: number; readonly method: string; readonly params: unknown[] }
type Answer = { readonly result: unknown } | { readonly error: unknown }

/** A node implementation, without the server of its package: what it answers to one call. */
type Implementation = {
  answer(call: Omit<Call, 'id'>): Promise<Answer>
  close(): Promise<void>
}

type Upstream = { readonly url: string; readonly chainId: number; readonly block: number }

/** The implementations besides anvil that run from the package registry: the one of Hardhat, and Ganache. */
export type OtherNode = 'EDR' | 'Ganache'

/** An endpoint of another implementation over the newest block of a chain that runs. */
export async function startOtherNode(name: OtherNode, url: string) {
  const rpc = createRpc({ url })
  const [chainId, head] = await Promise.all([
    rpc.request(getChainId),
    rpc.request(getBlock('latest')),
  ])
  await rpc.close()
  // Both ask for several things at once, and anvil stands still where reads of an older block meet: this lets one pass.
  const upstream = await startProvider(url, {})
  if (head === undefined) throw new Error('a chain has a newest block')
  const start = name === 'EDR' ? startEdr : startGanache
  const node = await start({ url: upstream.url, chainId, block: head.number })
  /** One call at a time: the node is kept to one core. */
  let queue: Promise<unknown> = Promise.resolve()
  const ask = ({ id, ...call }: Call): Promise<unknown> => {
    const answer = queue.then(async () => ({
      ...{ jsonrpc: '2.0', id },
      ...(await node.answer(call)),
    }))
    queue = answer.catch(() => undefined)
    return answer
  }
  const server = await serveBodies(async (text, response) => {
    const body = JSON.parse(text) as Call | Call[]
    const answers = await Promise.all([body].flat().map(ask))
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
  })
  return {
    url: server.url,
    async close() {
      await server.close()
      await node.close()
      await upstream.close()
    },
  }
}

/**
 * Its native part; undefined where npm ran under a Node before 22, which leaves it out. CI has it (`.ci/run`), and there
 * the reason is thrown.
 */
export const edrPackage = await import('@nomicfoundation/edr').catch((error: unknown) => {
  if (process.env.CI !== undefined) throw error
  return undefined
})

/** One of a process: its package says so. */
let edr: ReturnType<typeof openEdr> | undefined

async function openEdr() {
  if (edrPackage === undefined) throw new Error('EDR is not installed')
  const { EdrContext, L1_CHAIN_TYPE, l1ProviderFactory } = edrPackage
  const context = new EdrContext()
  await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory())
  return { ...edrPackage, context }
}

async function startEdr({ url, chainId, block }: Upstream): Promise<Implementation> {
  edr ??= openEdr()
  const { context, ContractDecoder, L1_CHAIN_TYPE, MineOrdering } = await edr
  const hardfork = 'prague'
  const chain = {
    chainId: BigInt(chainId),
    name: 'sandbox',
    hardforkActivationOverrides: [{ condition: { blockNumber: 0n }, hardfork }],
  }
  const provider = await context.createProvider(
    L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: true,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      chainId: BigInt(chainId),
      networkId: BigInt(chainId),
      coinbase: new Uint8Array(20),
      defaultTransactionGasLimit: 16_777_216n,
      genesisState: [],
      hardfork,
      minGasPrice: 0n,
      mining: {
        autoMine: true,
        blockGasLimit: 300_000_000n,
        memPool: { order: MineOrdering.Priority },
      },
      network: {
        ...{ url, blockNumber: BigInt(block), chainOverrides: [chain] },
        // Otherwise it writes into the folder of the project.
        cacheDir: join(tmpdir(), 'edr'),
      },
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new ContractDecoder(),
  )
  return {
    async answer(call) {
      const { data } = await provider.handleRequest(
        JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
      )
      const { result, error } = typeof data === 'string' ? JSON.parse(data) : data
      return error === undefined ? { result } : { error }
    },
    close: async () => undefined,
  }
}

async function startGanache({ url, chainId, block }: Upstream): Promise<Implementation> {
  const provider = ganache.provider({
    logging: { quiet: true },
    chain: { chainId, hardfork: 'shanghai' },
    // Without a cache on disk: it needs a package that is left out (package.json, overrides).
    fork: { url, blockNumber: block, disableCache: true },
    wallet: { totalAccounts: 0 },
  })
  // One that is closed before it has begun fails outside of every test.
  await provider.request({ method: 'eth_chainId', params: [] })
  return {
    async answer({ method, params }) {
      try {
        return { result: await provider.request({ method, params } as never) }
      } catch (error) {
        const { code = -32_000, message, data } = error as Error & { code?: number; data?: unknown }
        return { error: { code, message, data } }
      }
    },
    close: () => provider.disconnect(),
  }
}
