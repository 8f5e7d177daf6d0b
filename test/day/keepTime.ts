import { setTimeout as delay } from 'node:timers/promises'
import { getBlock } from '../../src/chain/calls/node.ts'
import type { Rpc, RpcCall } from '../../src/chain/rpc/rpc.ts'
import type { PassingCall } from '../support/rpcProxy.ts'
import type { virtualClock } from './virtualClock.ts'

/**
 * Virtual milliseconds of one step. While the bot does nothing, an hour goes by in some seconds; while it works, time
 * hardly goes at all. Steps are taken when bot and node have caught up, so that a slow machine only takes longer.
 */
const steps = { idle: 2_000, busy: 5 }
/** Of a day that is taped: a look that takes more than five seconds is refused, and the recorder looks as well. */
const tapedSteps = { idle: 1_000, busy: 5 }

/** Real milliseconds between two steps, for whatever is under way in the market. */
const restMs = 1

/** After so many steps without a call the bot does nothing but wait. */
const quietSteps = 3

/** What the bot calls while all it does is wait for blocks, and how long after it they come as the world says. */
const isWaiting = new Set(['eth_sendRawTransaction', 'eth_getTransactionReceipt'])
const waitingMs = 30_000

/** Virtual time between blocks while it does not wait for them: often enough that nothing looks dead. */
const idleBlockMs = 120_000

const stamp = (unixSeconds: number): RpcCall<void> => ({
  method: 'evm_setNextBlockTimestamp',
  params: [unixSeconds],
  parse: () => undefined,
})
const mine: RpcCall<void> = { method: 'evm_mine', params: [], parse: () => undefined }
const reach: RpcCall<void> = { method: 'eth_chainId', params: [], parse: () => undefined }

/**
 * Takes the steps of virtual time and mines its blocks, each at its moment. Before the first call after a wait a block
 * of that moment is mined, so that the bot finds a chain that is alive.
 */
export async function keepTime({
  clock,
  rpc,
  blockMs,
  onStep,
  isTaped = false,
}: {
  clock: ReturnType<typeof virtualClock>
  rpc: Rpc
  /** Virtual time between blocks while the bot waits for them. */
  blockMs: number
  /** Resolves when the bot has taken the step as well, and what woke up has run. */
  onStep: () => Promise<void>
  /** Others read the chain too: blocks come as evenly while nothing is done, which takes longer. */
  isTaped?: boolean
}) {
  const step = isTaped ? tapedSteps : steps
  /** What is under way: calls of the bot, and whatever else time waits for. */
  let held = 0
  let quiet = 0
  let slept = false
  let waitsUntil = 0
  let mined = ((await rpc.request(getBlock('latest')))?.timestamp ?? 0) * 1_000
  let mining: Promise<void> = Promise.resolve()
  let open = true
  const isIdle = () => held === 0 && quiet >= quietSteps

  /** Time hardly goes from now on. @returns what ends that. */
  function hold(): () => void {
    slept ||= isIdle()
    held += 1
    quiet = 0
    return () => {
      held -= 1
      quiet = 0
    }
  }

  function mineNow(): Promise<void> {
    mining = mining.then(async () => {
      if (clock.now() < mined + 1_000) return
      const seconds = Math.floor(clock.now() / 1_000)
      mined = seconds * 1_000
      await rpc.request(stamp(seconds))
      await rpc.request(mine)
    })
    return mining
  }

  const running = (async () => {
    while (open) {
      const waits = isTaped || clock.now() < waitsUntil
      const due = mined + (waits ? blockMs : idleBlockMs)
      if (clock.now() >= due) await mineNow()
      else clock.stepTo(Math.min(clock.now() + (isIdle() ? step.idle : step.busy), due))
      await onStep()
      await rpc.request(reach)
      await delay(restMs)
      quiet += 1
    }
  })()

  return {
    hold,
    /** Before a call of the bot reaches the chain. */
    async onCall(calls: readonly PassingCall[]): Promise<void> {
      // Of a day that is taped blocks come evenly, and prices move with them: one is never older than the world says.
      const isStale = slept && clock.now() >= waitsUntil && !isTaped
      slept = false
      if (calls.some(({ method }) => isWaiting.has(method))) waitsUntil = clock.now() + waitingMs
      if (isStale) await mineNow()
    },
    /** Time hardly goes until this is over. */
    async during<result>(work: () => Promise<result>): Promise<result> {
      const end = hold()
      try {
        return await work()
      } finally {
        end()
      }
    },
    async stop() {
      open = false
      await running
      await mining
    },
  }
}
