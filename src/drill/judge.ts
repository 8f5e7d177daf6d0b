import { decodeEventLog, encodeEventTopics } from 'viem'
import { z } from 'zod'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import { bytes, hash } from '../chain/calls/fields.ts'
import type { RpcCall } from '../chain/rpc/rpc.ts'
import { type Address, sameAddress } from '../core/token.ts'
import type { DrillScene } from './createForger.ts'
import type { BotAnswer } from './drillBot.ts'
import type { Lie } from './lie.ts'

/** A swap of the wallet, as the chain has it. */
type ChainSwap = {
  readonly recipient: Address
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** Observations from outside the bot, and the bot's own report. */
export type Evidence = {
  /** Calls of the signer, and transactions that reached the node. */
  readonly signatures: number
  readonly sent: number
  readonly swaps: readonly ChainSwap[]
  /** Requests that followed a redirect to another party. */
  readonly trapped: number
  readonly told: BotAnswer
  /** Its answer once every party is honest again. */
  readonly afterwards: BotAnswer
  readonly wanted: {
    readonly recipient: Address
    readonly amountIn: bigint
    readonly floor: bigint
  }
}

const ends = ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED', 'ABANDONED']

/**
 * The fault in the outcome of a lie; undefined when it was held.
 *
 * Held means: nothing was signed, and the bot reports why. Or, where the lie comes after the signature: the chain holds
 * at most one swap, the requested one, and the bot's account is the chain's.
 */
export function judgeLie(lie: Lie, evidence: Evidence): string | undefined {
  const { signatures, sent, trapped, told } = evidence
  if (trapped > 0) return 'a redirect was followed to another host'
  if (told.crashed) return `the bot failed instead of refusing: ${told.by}`
  const untouched = signatures === 0 && sent === 0
  if (told.code === 'INTERRUPTED') return 'it took too long to decide anything'
  if (untouched)
    return told.code === undefined ? 'nothing was signed, and nobody was told why' : undefined
  if (lie.signs !== 'may')
    return `${signatures} signed, ${sent} sent although the lie was there before`
  return settled(evidence, { early: false })
}

/** The fault in the outcome of an honest case: it must settle, as requested. */
export function judgeControl(evidence: Evidence): string | undefined {
  const { told, swaps } = evidence
  if (told.state !== 'SETTLED') return `was not settled: ${told.state ?? 'unplanned'}, ${told.by}`
  if (swaps.length !== 1) return `the chain holds ${swaps.length} swaps`
  return settled(evidence, { early: true })
}

function settled(
  { swaps, told, afterwards, wanted }: Evidence,
  { early }: { early: boolean },
): string | undefined {
  const [swap, ...more] = swaps
  if (more.length > 0) return `the chain holds ${swaps.length} swaps for one wish`
  const says = [told, afterwards].filter(({ state }) => state === 'SETTLED')
  if (swap === undefined)
    return says.length > 0 ? 'it says settled, and the chain knows of no swap' : ended(afterwards)
  if (!sameAddress(swap.recipient, wanted.recipient)) return 'somebody else received'
  if (swap.amountIn !== wanted.amountIn) return `${swap.amountIn} were sold`
  if (swap.amountOut < wanted.floor) return `${swap.amountOut} were received, below the floor`
  const last = early ? told : afterwards
  if (last.state !== 'SETTLED') return `the chain settled it, and the bot says ${last.state}`
  const wrong = says.find(
    ({ sold, received, doubted }) =>
      !doubted && (sold !== swap.amountIn || received !== swap.amountOut),
  )
  if (wrong !== undefined) return `it reports ${wrong.sold} for ${wrong.received}`
  const false_ = !['SETTLED', undefined].includes(told.state) && ends.includes(told.state ?? '')
  return false_ ? `the chain settled it, and the bot said ${told.state}` : undefined
}

const ended = ({ state }: BotAnswer) =>
  state === undefined || ends.includes(state) ? undefined : `it stays ${state} for ever`

const logs = z.array(z.looseObject({ topics: z.array(hash), data: bytes }))

/** Swaps of the wallet since a block, as the chain itself knows them. */
export function chainSwaps(
  { router, wallet }: DrillScene,
  sinceBlock: number,
): RpcCall<readonly ChainSwap[]> {
  const topics = encodeEventTopics({
    abi: swapRouterAbi,
    eventName: 'Swapped',
    args: { caller: wallet },
  })
  const fromBlock = `0x${sinceBlock.toString(16)}`
  return {
    method: 'eth_getLogs',
    params: [{ address: router, topics, fromBlock, toBlock: 'latest' }],
    parse: (answer) =>
      logs.parse(answer).map(({ topics: signature, data }) => {
        const { args } = decodeEventLog({
          abi: swapRouterAbi,
          eventName: 'Swapped',
          topics: signature as never,
          data,
        })
        const { recipient, amountIn, amountOut } = args
        return { recipient, amountIn, amountOut }
      }),
  }
}
