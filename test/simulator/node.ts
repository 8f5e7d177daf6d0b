import { keccak256, toFunctionSelector } from 'viem'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { type Rpc, type RpcCall, RpcGarbled, RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { BallastError } from '../../src/core/errors.ts'
import type { Block, Branch, Mined } from './chain.ts'
import type { Life } from './life.ts'
import type { Faults } from './matrix.ts'
import type { Network } from './network.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { send } from './send.ts'
import { bought, router, sold } from './world.ts'

/** One endpoint: what it sees of the network, and how it misbehaves. */
export type Node = {
  /** Keeps it on what it sees now for so long. */
  freeze(milliseconds: number): void
  /** Lets nobody reach it for so long. */
  cut(milliseconds: number): void
  /** The same endpoint as one process reaches it. */
  reach(life: Life): Rpc
}

const routerCode: Hex = '0x6001600155'
const otherCode: Hex = '0x60026002'

const selectors = {
  used: toFunctionSelector('usedAuthorization(bytes32)'),
  balance: toFunctionSelector('balanceOf(address)'),
  allowance: toFunctionSelector('allowance(address,address)'),
}

export type NodeWorld = {
  readonly network: Network
  readonly scheduler: Scheduler
  readonly random: Random
  readonly faults: Faults
  readonly blockMs: number
  /** Told of bytes that arrive, before they are looked at. */
  readonly onBytes: (hash: Hex) => void
}

export const unreachable = (label: string) =>
  new BallastError('The RPC endpoint did not answer in time.', {
    code: 'UNREACHABLE',
    remedy: 'retry',
    fault: 'upstream',
    facts: { endpoint: label },
  })

export function createNode(label: string, world: NodeWorld): Node {
  const { network, scheduler, random, faults, blockMs } = world
  let frozen: { branch: Branch; until: number } | undefined
  let cutUntil = 0

  /** What is seen by one call or one batch of them: never two states of the chain. */
  function look(calls: readonly RpcCall<unknown>[]): View {
    let branch = network.branch()
    if (frozen !== undefined && faults.on && scheduler.now() < frozen.until) branch = frozen.branch
    const asks = (method: string) => calls.some((call) => call.method === method)
    let lag = 0
    if (faults.strikes('RPC-16', 0.1)) {
      lag = random.between(1, 5)
      if (asks('eth_getTransactionCount')) faults.hit('RPC-16')
      if (asks('eth_call')) faults.hit('RPC-18')
    }
    if (lag > 0) branch = branch.slice(0, Math.max(1, branch.length - lag))
    return {
      branch,
      unindexed:
        // One index answers both.
        (asks('eth_getTransactionReceipt') || asks('eth_getTransactionByHash')) &&
        faults.strikes('RPC-17', 0.3)
          ? random.between(1, 6) * blockMs
          : 0,
      hasty: faults.strikes('RPC-20', 0.2),
      impostor: asks('eth_getCode') && faults.strikes('CHAIN-22', 0.1),
    }
  }

  /** What was mined, where the node's index has it already. */
  function indexed(branch: View['branch'], hash: Hex, { unindexed }: View) {
    const found = findMined(branch, hash)
    if (found === undefined) return undefined
    const age = scheduler.now() - 1_000 * found.block.timestamp
    if (unindexed === 0 || age >= unindexed) return found
    faults.hit('RPC-17')
    return undefined
  }

  function answer(call: RpcCall<unknown>, view: View): unknown {
    const { branch } = view
    const [first, second] = call.params as [never, never]
    switch (call.method) {
      case 'eth_getBlockByNumber': {
        const block = first === 'latest' ? branch.at(-1) : branch[Number(first)]
        return block === undefined ? null : header(block)
      }
      case 'eth_getTransactionReceipt': {
        const found = indexed(branch, first, view)
        return found === undefined ? null : receipt(found)
      }
      case 'eth_getTransactionByHash': {
        const found = indexed(branch, first, view)
        return found === undefined ? null : { hash: first, blockHash: found.block.hash }
      }
      case 'eth_getTransactionCount': {
        const { state } = blockAt(branch, second, call.method)
        if (second !== 'latest' || !view.hasty) return hex(state.nonce)
        let { nonce } = state
        while (network.pool.at(nonce) !== undefined) nonce += 1
        if (nonce > state.nonce) faults.hit('RPC-20')
        return hex(nonce)
      }
      case 'eth_getBalance':
        return hex(blockAt(branch, second, call.method).state.native)
      case 'eth_getCode':
        if (view.impostor) faults.hit('CHAIN-22')
        return view.impostor ? otherCode : routerCode
      case 'eth_maxPriorityFeePerGas':
        return hex(1_000_000_000n)
      case 'eth_estimateGas':
        return hex(21_000n)
      case 'eth_call':
        return callView(first, blockAt(branch, second, call.method))
      default:
        throw new Error(`the simulated node has no ${call.method}`)
    }
  }

  return {
    freeze(milliseconds) {
      frozen = { branch: [...network.branch()], until: scheduler.now() + milliseconds }
    },
    cut(milliseconds) {
      cutUntil = scheduler.now() + milliseconds
    },
    reach(life) {
      /** Answers, or what the transport throws. */
      const exchange = <result>(
        calls: readonly RpcCall<unknown>[],
        read: (view: View) => result,
      ): Promise<result> => {
        const what = `read ${calls[0]?.method}`
        if (faults.on && scheduler.now() < cutUntil) {
          faults.hit('RPC-38')
          return life.port(what, { ms: 10_000 }, () => {
            throw unreachable(label)
          })
        }
        const trouble = faults.on && random.chance(readTrouble) ? random.next() : 1
        const stall = faults.strikes('LOCAL-18', 0.01) ? 60_000 : 0
        if (stall > 0) faults.hit('LOCAL-18')
        const ms = stall + random.between(5, 300)
        return life.port(what, { ms }, () => {
          if (trouble < 0.6) throw unreachable(label)
          if (trouble < 1) throw new RpcGarbled(label, 'HTTP 200, not JSON')
          return read(look(calls))
        })
      }
      return {
        label,
        isOneExchange: () => true,
        close: async () => {},
        request<result>(call: RpcCall<result>): Promise<result> {
          if (call.method === 'eth_sendRawTransaction')
            return send(call, { life, label, world }) as Promise<result>
          return exchange([call], (view) => call.parse(answer(call, view)))
        },
        batch: ((calls: readonly RpcCall<unknown>[]) =>
          exchange(calls, (view) =>
            calls.map((call) => {
              try {
                return { ok: true, value: call.parse(answer(call, view)) }
              } catch (error) {
                return { ok: false, error: error as Error }
              }
            }),
          )) as Rpc['batch'],
      }
    },
  }
}

/** Where nothing else is said, one exchange in so many fails. */
const readTrouble = 0.04

type View = {
  readonly branch: Branch
  /** By how much its index of receipts lags behind its head, milliseconds. */
  readonly unindexed: number
  /** It counts what is pending. */
  readonly hasty: boolean
  /** It shows another contract at the router's address. */
  readonly impostor: boolean
}

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

function blockAt(branch: Branch, id: string, method: string): Block {
  const block = id === 'latest' ? branch.at(-1) : branch[Number(id)]
  if (block === undefined)
    throw new RpcRefused(method, { code: -32000, message: 'header not found' })
  return block
}

type Found = { readonly mined: Mined; readonly block: Block }

const header = ({ number, hash, parentHash, timestamp, baseFee }: Block) => ({
  number: hex(number),
  hash,
  parentHash,
  timestamp: hex(timestamp),
  baseFeePerGas: hex(baseFee),
})

function findMined(branch: Branch, hash: Hex): Found | undefined {
  for (let index = branch.length - 1; index >= 0; index--) {
    const block = branch[index] as Block
    if (block.mined.length === 0) continue
    const mined = block.mined.find(({ tx }) => tx.hash === hash)
    if (mined !== undefined) return { mined, block }
  }
  return undefined
}

const receipt = ({ mined: { tx, success, gasUsed, gasPrice, logs }, block }: Found) => ({
  transactionHash: tx.hash,
  status: success ? '0x1' : '0x0',
  blockNumber: hex(block.number),
  blockHash: block.hash,
  gasUsed: hex(gasUsed),
  effectiveGasPrice: hex(gasPrice),
  logs,
})

function callView({ to, data }: { to: string; data: Hex }, { state }: Block): Hex {
  const selector = data.slice(0, 10)
  if (to === router && selector === selectors.used)
    return word(state.used.has(`0x${data.slice(10)}`) ? 1n : 0n)
  if (selector === selectors.allowance) return word(state.allowance)
  if (selector !== selectors.balance) throw new Error(`the simulated chain has no view ${selector}`)
  if (to === sold.address) return word(state.sold)
  if (to === bought.address) return word(state.bought)
  throw new Error(`the simulated chain has no token ${to}`)
}

export const routerCodeHash = keccak256(routerCode)
