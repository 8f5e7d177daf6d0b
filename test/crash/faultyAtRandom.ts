import type { Hex } from '../../src/chain/calls/fields.ts'
import { receipts, refusal, send } from './fault.ts'
import type { Bend, Exchange, Reply } from './startFaultyNode.ts'

/** What may happen to any exchange. Nothing here is a lie about the nonce or the chain: a bot rightly locks itself then. */
const ways: readonly ((exchange: Exchange) => Promise<Reply>)[] = [
  async () => 'drop',
  async () => 'hang',
  async ({ forward }) => {
    await forward()
    return 'drop'
  },
  async ({ forward }) => {
    await forward()
    return 'hang'
  },
  async ({ forward }) => {
    await forward()
    return { status: 502, text: '<html>bad gateway</html>' }
  },
  async (exchange) => {
    await exchange.forward()
    return refusal(exchange, 'internal error', -32_603)
  },
  async () => ({ status: 429, headers: { 'retry-after': '86400' }, text: '{}' }),
  async ({ forward }) => ({ cut: await forward() }),
  async ({ forward }) => {
    await forward()
    return { answers: await forward() }
  },
  async ({ calls, forward }) => {
    const answers = await forward()
    const isReceipt = (id: number) =>
      calls.some((call) => call.id === id && call.method === receipts)
    return {
      answers: answers.map((one) => (isReceipt(one.id) ? { ...one, result: null } : one)),
    }
  },
]

/** A node that fails so many times in a thousand exchanges, by numbers that a seed repeats. */
export function faultyAtRandom({ perMille, seed }: { perMille: number; seed: number }) {
  let state = seed
  let healed = false
  let count = 0
  const sent: Hex[] = []
  /** Below the bound; a linear congruence is random enough to choose among faults. */
  const below = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  const bend: Bend = async (exchange) => {
    for (const { method, params } of exchange.calls) if (method === send) sent.push(params[0])
    if (healed || below(1_000) >= perMille) return undefined
    count += 1
    return ways[below(ways.length)]?.(exchange)
  }
  return {
    bend,
    /** Faults so far. */
    count: () => count,
    /** All bytes that were offered. */
    sent: (): readonly Hex[] => sent,
    heal() {
      healed = true
    },
  }
}
