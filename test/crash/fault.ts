import { type Hex, keccak256, parseTransaction } from 'viem'
import type { Address } from '../../src/core/token.ts'
import type { Answered, Chain } from './driveChain.ts'
import type { Bend, Exchange, Reply } from './startFaultyNode.ts'

/** Where a fault happens. */
export type Scene = {
  readonly chain: Chain
  readonly router: Address
  readonly wallet: { readonly address: Address; readonly privateKey: Hex }
  readonly maker: Address
  readonly usdc: Address
  /** Runs something while no block is mined. */
  still<result>(act: () => Promise<result>): Promise<result>
}

/** Something that goes wrong around a swap, by its row in the matrix. */
export type Fault = {
  readonly id: string
  readonly what: string
  /** The first crash point that can make a difference: the plan, or by default the commit of the signed bytes. */
  readonly from?: 'plan'
  /** Somebody else uses the key: the bot must lock itself, and the wallet's nonce and gas are not its own. */
  readonly foreign?: true
  /** The bot locks itself on what the node says, and goes on once a person has looked. */
  readonly halts?: true
  /** What the node does. Called once for each case, so that what it counts begins at zero. */
  begin?(scene: Scene): Bend
  /** What happens once the first process is dead. */
  afterDeath?(scene: Scene): Promise<void>
}

export const send = 'eth_sendRawTransaction'
export const receipts = 'eth_getTransactionReceipt'

const sendOf = ({ calls }: Exchange) => calls.find(({ method }) => method === send)

/** The bytes of a swap on their way to the node; undefined for anything else, approvals and cancellations too. */
export function swapIn(exchange: Exchange, { router }: Scene): Hex | undefined {
  const raw = sendOf(exchange)?.params[0] as Hex | undefined
  if (raw === undefined) return undefined
  return parseTransaction(raw).to?.toLowerCase() === router.toLowerCase() ? raw : undefined
}

/** A cancellation on its way: to the wallet itself. */
export function cancelIn(exchange: Exchange, { wallet }: Scene): Hex | undefined {
  const raw = sendOf(exchange)?.params[0] as Hex | undefined
  if (raw === undefined) return undefined
  return parseTransaction(raw).to?.toLowerCase() === wallet.address.toLowerCase() ? raw : undefined
}

type Act = (exchange: Exchange, scene: Scene & { readonly raw: Hex }) => Promise<Reply | undefined>

/** Acts on the first `times` offers of a swap. */
export const onSwap =
  (times: number, act: Act) =>
  (scene: Scene): Bend => {
    let left = times
    return async (exchange) => {
      const raw = swapIn(exchange, scene)
      if (raw === undefined || left === 0) return undefined
      left -= 1
      return act(exchange, { ...scene, raw })
    }
  }

/** Acts on the first `times` exchanges that carry the method. */
export const onMethod =
  (method: string, times: number, act: (exchange: Exchange) => Promise<Reply>) => (): Bend => {
    let left = times
    return async (exchange) => {
      if (left === 0 || !exchange.calls.some((call) => call.method === method)) return undefined
      left -= 1
      return act(exchange)
    }
  }

/** Changes the first `times` answers to the method. */
export const bent =
  (
    method: string,
    times: number,
    change: (result: Answered, params: Answered[], scene: Scene) => Answered,
  ) =>
  (scene: Scene): Bend => {
    let left = times
    return async ({ calls, forward }) => {
      if (left === 0 || !calls.some((call) => call.method === method)) return undefined
      left -= 1
      const answers = await forward()
      const results = calls.map(async (call) => {
        const answer = answers.find(({ id }) => id === call.id)
        if (call.method !== method || answer?.error !== undefined) return answer
        return { ...answer, result: await change(answer.result, call.params, scene) }
      })
      return { answers: await Promise.all(results) }
    }
  }

/** The node's words in place of its answer. */
export const refusal = ({ calls }: Exchange, message: string, code = -32_000): Reply => ({
  answers: calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } })),
})

/** The answer of a node that took the bytes. */
export const acceptance = ({ calls }: Exchange, raw: Hex): Reply => ({
  answers: calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: keccak256(raw) })),
})
