import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { classify } from '../../src/bot/broadcast/classify.ts'
import type { Verdict } from '../../src/bot/verdict.ts'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { getBalance, getCode, getTransactionCount } from '../../src/chain/calls/account.ts'
import { getReceipt } from '../../src/chain/calls/getReceipt.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import { sendRawTransaction } from '../../src/chain/calls/sendRawTransaction.ts'
import { traceChanges, traceReads } from '../../src/chain/calls/traces.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { type Rpc, RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { exitCodes } from '../../src/cli/exitCodes.ts'
import { callCli } from '../cli/callCli.ts'
import { deployerFolder } from '../support/deployer.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBotAt } from '../support/openBotAt.ts'
import { edrPackage, type OtherNode, startOtherNode } from '../support/startOtherNode.ts'

const noSimulation =
  'The RPC endpoint plays no scenario as a chain does, so no swap could be seen before it is signed: use another one.'

let fork: Fork
/** Of a swap that settled before the other nodes began. */
let settled: `0x${string}`
let deployments: Awaited<ReturnType<typeof deployerFolder>>

beforeAll(async () => {
  fork = await forkOrigin()
  const bot = await openBotAt(fork, fork.ready.rpcUrl)
  const { record, failure } = await bot.swap({ sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' })
  expect(failure).toBeUndefined()
  await bot.close()
  deployments = await deployerFolder(fork)
  settled = record.txHash as `0x${string}`
})
afterAll(async () => {
  await fork.close()
})

type Node = Awaited<ReturnType<typeof startOtherNode>> & { readonly rpc: Rpc }

function nodeOf(name: OtherNode) {
  let node: Node
  beforeAll(async () => {
    const started = await startOtherNode(name, fork.ready.rpcUrl)
    node = { ...started, rpc: createRpc({ url: started.url }) }
  })
  afterAll(async () => {
    await node.rpc.close()
    await node.close()
  })
  return () => node
}

/** The configuration of the sandbox with another node in it. */
function through({ url }: Node, name: string, chain = ''): string {
  const file = join(fork.dataDir, `${name}.yaml`)
  const yaml = readFileSync(fork.ready.config, 'utf8')
  writeFileSync(
    file,
    yaml.replace(`rpcUrl: ${fork.ready.rpcUrl}`, `rpcUrl: "${url}"${chain && `, ${chain}`}`),
  )
  return file
}

async function call(command: string, config: string, ...more: readonly string[]) {
  const argv = [command, '--config', config, ...more]
  const { code, stdout, stderr } = await callCli(argv, { cwd: fork.dataDir })
  return { code, stdout, said: `${stdout}${stderr}`.replace(/\s+/g, ' ') }
}

/** The same sentence, and the exit code of an endpoint that is unfit. */
async function expectEnd(
  config: string,
  sentence: string,
  before: () => Promise<unknown> = async () => {},
): Promise<void> {
  for (const command of ['doctor', 'dry-run', 'run']) {
    await before()
    const { code, said } = await call(command, config)
    const expected = [command, exitCodes.usage, expect.stringContaining(sentence)]
    expect([command, code, said]).toEqual(expected)
  }
}

/** What `doctor` finds wanting; all else that it examines is answered. */
async function failuresOf(config: string) {
  const { stdout } = await call('doctor', config, '--json')
  const { findings } = JSON.parse(stdout) as { findings: { name: string; state: string }[] }
  expect(findings.length).toBeGreaterThan(40)
  return findings.filter(({ state }) => state === 'fail').map(({ name }) => name)
}

/** The same of a block that both have. */
const reads = () => {
  const { wallets, tokens, router } = fork.ready
  const owner = wallets.treasury?.address as `0x${string}`
  const { address } = tokens.USDC as { address: `0x${string}` }
  return [
    getCode(router),
    getBalance(owner),
    getTransactionCount(owner),
    readContract({ ...{ address, abi: erc20Abi, functionName: 'balanceOf' }, args: [owner] }),
  ] as const
}

/** What the bot makes of the words with which a node takes bytes, or refuses them. */
async function verdictsOf({ rpc }: Node): Promise<Readonly<Record<string, Verdict>>> {
  const rich = privateKeyToAccount(fork.ready.feeSigner.privateKey)
  const poor = privateKeyToAccount(generatePrivateKey())
  const nonce = await rpc.request(getTransactionCount(rich.address))
  const send = async (change: object = {}, signer = rich): Promise<Verdict> => {
    const raw = await signer.signTransaction({
      ...{ type: 'eip1559', chainId: fork.ready.chainId, nonce, to: rich.address, gas: 21_000n },
      ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n, ...change },
    })
    try {
      await rpc.request(sendRawTransaction(raw))
      return 'accepted'
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw error
      return classify({ code: error.rpcCode, message: error.rpcMessage })
    }
  }
  return {
    poor: await send({ nonce: 0 }, poor),
    cheap: await send({ maxFeePerGas: 1n }),
    'of another chain': await send({ chainId: 1 }),
    first: await send(),
    'gas below any': await send({ gas: 1n }),
  }
}

const understood: Readonly<Record<string, Verdict>> = {
  poor: 'insufficient-funds',
  cheap: 'underpriced',
  'of another chain': 'invalid',
  first: 'accepted',
  'gas below any': 'invalid',
}

describe.skipIf(edrPackage === undefined)('EDR', () => {
  const node = nodeOf('EDR')

  test('reads and traces as the node it forks', async () => {
    const { tokens, wallets } = fork.ready
    const to = tokens.WETH?.address as `0x${string}`
    const from = wallets.treasury?.address as `0x${string}`
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 1n] })
    const moved = { from, to, data, gas: 100_000n, gasPrice: 10n ** 10n }
    const calls = [...reads(), getReceipt(settled), traceReads(moved), traceChanges(moved)] as const
    const answers = await node().rpc.batch(calls)
    expect(answers.every(({ ok }) => ok)).toBe(true)
    expect(answers).toEqual(await fork.rpc.batch(calls))
  })

  test('the books of a settled swap agree with the chain', async () => {
    const { code, stdout } = await call('reconcile', through(node(), 'EDR'))
    expect(code).toBe(exitCodes.done)
    expect(stdout).toMatch(/I9 +holds/)
  })

  test('doctor finds one thing wanting: the simulation', async () => {
    // It mines only what it is sent: references would find its newest block too old.
    const mine = () =>
      node().rpc.request({ method: 'evm_mine', params: [], parse: (answer) => answer })
    await mine()
    expect(await failuresOf(through(node(), 'EDR'))).toEqual(['simulation'])
    await expectEnd(through(node(), 'EDR'), noSimulation, mine)
  })

  test('its words about bytes are understood', async () => {
    expect(await verdictsOf(node())).toEqual(understood)
  })

  test('deploy puts a router on it, and finds it there again', async () => {
    const ask = { more: ['--live', '--json'], environment: { RPC_URL: node().url } }
    for (const _ of ['deployed', 'found']) {
      const { code, stdout } = await deployments.run(ask)
      expect(code).toBe(exitCodes.done)
      const { router, routerCodeHash } = JSON.parse(stdout)
      expect(keccak256(await node().rpc.request(getCode(router)))).toBe(routerCodeHash)
    }
  })
})

describe('Ganache', () => {
  const node = nodeOf('Ganache')

  test('reads as the node it forks', async () => {
    const calls = reads()
    const answers = await node().rpc.batch(calls)
    expect(answers.every(({ ok }) => ok)).toBe(true)
    expect(answers).toEqual(await fork.rpc.batch(calls))
  })

  test('doctor finds two things wanting: traces, which can be given up, and the simulation', async () => {
    const config = through(node(), 'Ganache')
    expect(await failuresOf(config)).toEqual(['call tracing', 'simulation'])
    await expectEnd(config, noSimulation)
    await expectEnd(through(node(), 'untraced', 'tracing: unavailable'), noSimulation)
  })

  test('its words about bytes are understood', async () => {
    expect(await verdictsOf(node())).toEqual(understood)
  })

  /** It knows fewer fields of a block than its hash is made of. Last: the journal of this file is locked from here on. */
  test('its hashes of blocks are its own: what is settled counts as reorganised, and locks', async () => {
    const { code, stdout } = await call('reconcile', through(node(), 'Ganache'))
    expect([code, stdout]).toEqual([
      exitCodes.internal,
      expect.stringContaining('REORG_BEYOND_DEPTH'),
    ])
  })
})
