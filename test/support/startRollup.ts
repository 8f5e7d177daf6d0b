import { readFileSync } from 'node:fs'
import {
  keccak256,
  parseAbi,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
} from 'viem'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { Address } from '../../src/core/token.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { serveBodies } from './serveBodies.ts'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
// biome-ignore lint/suspicious/noExplicitAny: an answer of a node may have any shape.
type Answer = any

/** What a rollup adds to a node: which contracts, what it takes of the sender, and how it shows it. */
type Rollup = {
  readonly contracts: Readonly<Record<Address, string>>
  /** Refuses bytes before they are mined, as the chain would; undefined where it takes them. */
  readonly refuse?: (signed: Hex) => Promise<string | undefined>
  /** What it takes for mined bytes besides the gas used, as fields that its receipt has otherwise; and in wei. */
  readonly charge: (signed: Hex, receipt: Answer) => Promise<{ fields: object; wei: bigint }>
  /** Bends a question as the node's own chain would see it. */
  readonly ask?: (call: Call) => Promise<Call>
  /** Gas that an estimate has besides what the call uses. */
  readonly estimate?: (call: Call) => Promise<bigint>
  readonly lacks?: readonly string[] | undefined
}

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`
const word = (value: bigint | number): Hex => `0x${value.toString(16).padStart(64, '0')}`

const raw = (method: string, ...params: unknown[]) => ({
  ...{ method, params },
  parse: (answer: unknown) => answer as Answer,
})

/** Blocks after each transaction, so that it is deep. */
const blocksAfter = 3

/** A node of a rollup: an automining one with the rollup's contracts at their addresses, that takes and tells what it does. */
async function startRollup(rpc: Rpc, upstream: string, rollup: Rollup) {
  for (const [address, name] of Object.entries(rollup.contracts)) {
    const file = new URL(`../../contracts/artifacts/${name}.json`, import.meta.url)
    const { deployedBytecode } = JSON.parse(readFileSync(file, 'utf8'))
    await rpc.request(anvilCalls.setCode(address as Address, deployedBytecode))
  }
  const signed: Hex[] = []
  const charges = new Map<string, { fields: object; wei: bigint }>()

  const post = async (body: readonly Call[]): Promise<readonly Answer[]> => {
    const answer = await fetch(upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body.map((call) => ({ jsonrpc: '2.0', ...call }))),
    })
    return (await answer.json()) as Answer[]
  }
  const refused = ({ id }: Call, code: number, message: string) => ({
    ...{ jsonrpc: '2.0', id },
    error: { code, message },
  })

  /** Mined at the base fee of the block before, which is the one that was simulated; paid for before anyone hears of it. */
  async function send(call: Call): Promise<Answer> {
    const bytes = call.params[0] as Hex
    const no = await rollup.refuse?.(bytes)
    if (no !== undefined) return refused(call, -32_000, no)
    const head = await rpc.request(raw('eth_getBlockByNumber', 'latest', false))
    await rpc.request(raw('anvil_setNextBlockBaseFeePerGas', head.baseFeePerGas))
    const [answer] = await post([call])
    if (answer.result === undefined) return answer
    signed.push(bytes)
    // A node that mines at once answers before it has.
    let receipt: Answer = null
    while (receipt === null) {
      receipt = await rpc.request(raw('eth_getTransactionReceipt', keccak256(bytes)))
    }
    const charge = await rollup.charge(bytes, receipt)
    const from = await recoverTransactionAddress({
      serializedTransaction: bytes as `0x02${string}`,
    })
    const balance = BigInt(await rpc.request(raw('eth_getBalance', from, 'latest')))
    await rpc.request(anvilCalls.setBalance(from, balance - charge.wei))
    charges.set(keccak256(bytes), charge)
    for (let block = 0; block < blocksAfter; block++) await rpc.request(anvilCalls.mine)
    return answer
  }

  async function answerOne(call: Call): Promise<Answer> {
    if (rollup.lacks?.includes(call.method))
      return refused(call, -32_601, `the method ${call.method} does not exist`)
    if (call.method === 'eth_sendRawTransaction') return send(call)
    const [answer] = await post([(await rollup.ask?.(call)) ?? call])
    if (call.method === 'eth_getTransactionReceipt' && answer.result != null)
      Object.assign(answer.result, charges.get(answer.result.transactionHash)?.fields)
    if (call.method === 'eth_estimateGas' && answer.result != null)
      answer.result = hex(BigInt(answer.result) + ((await rollup.estimate?.(call)) ?? 0n))
    return answer
  }

  const server = await serveBodies(async (text, response) => {
    const body = JSON.parse(text) as Call | Call[]
    const answers: Answer[] = []
    for (const call of [body].flat() as Call[]) answers.push(await answerOne(call))
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
  })
  return {
    url: server.url,
    /** Everything that was mined through it, in order. */
    signed,
    /** What was taken for it besides gas at its price, wei. */
    taken: (bytes: Hex): bigint => charges.get(keccak256(bytes))?.wei ?? 0n,
    store: (address: Address, slot: number, value: bigint) =>
      rpc.request(raw('anvil_setStorageAt', address, hex(slot), word(value))),
    close: server.close,
  }
}

export const opOracle: Address = '0x420000000000000000000000000000000000000F'
export const nodeInterface: Address = '0x00000000000000000000000000000000000000C8'
const arbSys: Address = '0x0000000000000000000000000000000000000064'

const oracleAbi = parseAbi([
  'function getL1Fee(bytes unsigned) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
  'function operatorFeeScalar() view returns (uint256)',
  'function operatorFeeConstant() view returns (uint256)',
])
const nodeAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool creates, bytes data) view returns (uint64 gas, uint256 baseFee, uint256 l1BaseFee)',
])

/** The bytes as they were before they were signed: what the oracle is asked about. */
function unsignedOf(signed: Hex): Hex {
  const { r, s, v, yParity, ...fields } = parseTransaction(signed) as Answer
  return serializeTransaction(fields)
}

/** A chain of the OP stack: it takes what its oracle says of the bytes, and what operators get. */
export const startOpStack = (rpc: Rpc, upstream: string) =>
  startRollup(rpc, upstream, {
    contracts: { [opOracle]: 'GasPriceOracle' },
    async charge(signed, { gasUsed }) {
      const oracle = { address: opOracle, abi: oracleAbi }
      const args = [BigInt(gasUsed)] as const
      const [l1Fee, operators, scalar, constant] = await Promise.all([
        rpc.request(
          readContract({ ...oracle, functionName: 'getL1Fee', args: [unsignedOf(signed)] }),
        ),
        rpc.request(readContract({ ...oracle, functionName: 'getOperatorFee', args })),
        rpc.request(readContract({ ...oracle, functionName: 'operatorFeeScalar', args: [] })),
        rpc.request(readContract({ ...oracle, functionName: 'operatorFeeConstant', args: [] })),
      ])
      const fields = {
        l1Fee: hex(l1Fee),
        operatorFeeScalar: hex(scalar),
        operatorFeeConstant: hex(constant),
      }
      return { fields, wei: l1Fee + operators }
    },
  })

/** The blocks of Ethereum when Arbitrum has few of its own. */
const l1Ahead = 22_000_000n

/** Arbitrum: the gas of bytes is gas used, and `NUMBER` is the L1's. */
export const startArbitrum = (rpc: Rpc, upstream: string, lacks?: readonly string[]) => {
  const gasOfBytes = async (signed: Hex) => {
    const { to, data = '0x' } = parseTransaction(signed)
    return gasOf(to as Address, data)
  }
  const gasOf = async (to: Address, data: Hex) => {
    const [gas] = await rpc.request(
      readContract({
        ...{ address: nodeInterface, abi: nodeAbi, functionName: 'gasEstimateL1Component' },
        args: [to, false, data],
      }),
    )
    return gas
  }
  return startRollup(rpc, upstream, {
    contracts: { [arbSys]: 'ArbSys', [nodeInterface]: 'NodeInterface' },
    lacks,
    async estimate({ params: [transaction] }) {
      const { to, data = '0x' } = transaction as { to: Address; data?: Hex }
      return gasOf(to, data)
    },
    async refuse(signed) {
      const { gas = 0n } = parseTransaction(signed)
      return gas < 21_000n + (await gasOfBytes(signed)) ? 'intrinsic gas too low' : undefined
    },
    async charge(signed, { gasUsed, effectiveGasPrice }) {
      const { gas = 0n } = parseTransaction(signed)
      const more = await gasOfBytes(signed)
      const used = BigInt(gasUsed) + more
      if (used > gas) throw new Error(`out of gas: ${used} of ${gas}`)
      return { fields: { gasUsed: hex(used) }, wei: more * BigInt(effectiveGasPrice) }
    },
    async ask(call) {
      if (call.method !== 'eth_call') return call
      const [transaction, at, state = {}, block = {}] = call.params as [
        object,
        Answer,
        object,
        object,
      ]
      const head = await rpc.request(
        typeof at === 'object'
          ? raw('eth_getBlockByHash', at.blockHash, false)
          : raw('eth_getBlockByNumber', at, false),
      )
      if (head === null) return call
      const number = BigInt(head.number)
      const own = { stateDiff: { [word(0)]: word(number), [word(1)]: head.parentHash } }
      const seen = { ...block, number: hex(number + l1Ahead) }
      return { ...call, params: [transaction, at, { ...state, [arbSys]: own }, seen] }
    },
  })
}
