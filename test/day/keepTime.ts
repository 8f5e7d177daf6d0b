import { getBlock } from '../../src/chain/calls/node.ts'
import type { Rpc, RpcCall } from '../../src/chain/rpc/rpc.ts'
import type { PassingCall } from '../support/rpcProxy.ts'
import type { virtualClock } from './virtualClock.ts'

/**
 * While the bot does nothing, an hour goes by in some seconds; while it works, its real milliseconds must count for
 * little; while it waits for blocks, only they count.
 */
const rates = { idle: 400, busy: 2, confirming: 50 }
/** Of a day that is taped: a look that takes more than five seconds is refused, and the recorder looks as well. */
const tapedRates = { idle: 100, busy: 2, confirming: 25 }

/** What the bot asks while all it does is wait for blocks. */
const isWaiting = new Set(['eth_sendRawTransaction', 'eth_getTransactionReceipt'])

/** So long after its last call to the chain the bot is taken to be waiting. Real milliseconds. */
const quietMs = 120

/** By so much a nap is late on a machine that is not starved. Real milliseconds. */
const lagMs = 25
/** Time goes on, however slow the machine. */
const slownessMax = 16

/** Virtual time between blocks: while it works as the world says, while it waits often enough that nothing looks dead. */
const blockMs = { idle: 120_000, busy: 12_000 }

const stamp = (unixSeconds: number): RpcCall<void> => ({
  method: 'evm_setNextBlockTimestamp',
  params: [unixSeconds],
  parse: () => undefined,
})
const mine: RpcCall<void> = { method: 'evm_mine', params: [], parse: () => undefined }

/**
 * Mines the blocks of virtual time, and lets it run while the bot waits. Before the first call after a wait a block of
 * that moment is mined, so that the bot finds a chain that is alive.
 */
export async function keepTime({
  clock,
  rpc,
  onPace,
  isTaped = false,
}: {
  clock: ReturnType<typeof virtualClock>
  rpc: Rpc
  /** Resolves when the bot goes by the new pace as well. */
  onPace: () => Promise<void>
  /** Others read the chain too: blocks come as evenly while nothing is done, which takes longer. */
  isTaped?: boolean
}) {
  const pace = isTaped ? tapedRates : rates
  let busyUntil = 0
  /** How many times as slow as it should be the machine is just now; whole, so that the pace changes seldom. */
  let slowness = 1
  let lag = 0
  const nap = async (milliseconds: number) => {
    const since = performance.now()
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    lag = Math.max(0.98 * lag, performance.now() - since - milliseconds)
    slowness = Math.min(2 ** Math.max(0, Math.ceil(Math.log2(lag / lagMs))), slownessMax)
  }
  let mined = ((await rpc.request(getBlock('latest')))?.timestamp ?? 0) * 1_000
  let mining: Promise<void> = Promise.resolve()
  let open = true
  const isBusy = () => performance.now() < busyUntil
  const setRate = async (rate: number) => {
    if (clock.pace().rate === rate) return
    clock.setRate(rate)
    await onPace()
  }

  function mineNow(): Promise<void> {
    mining = mining.then(async () => {
      const seconds = Math.max(Math.floor(clock.now() / 1_000), mined / 1_000 + 1)
      if (clock.now() < mined + 1_000) return
      mined = seconds * 1_000
      await rpc.request(stamp(seconds))
      await rpc.request(mine)
    })
    return mining
  }

  const running = (async () => {
    while (open) {
      if (!isBusy()) await setRate(pace.idle / slowness)
      const { rate } = clock.pace()
      const due = mined + (isBusy() || isTaped ? blockMs.busy : blockMs.idle)
      if (clock.now() >= due) await mineNow()
      await nap(Math.min(Math.max((due - clock.now()) / rate, 1), 10))
    }
  })()

  return {
    /** Before a call of the bot reaches the chain. */
    async onCall(calls: readonly PassingCall[]): Promise<void> {
      const slept = !isBusy()
      busyUntil = Math.max(busyUntil, performance.now() + quietMs * slowness)
      const waits = calls.some(({ method }) => isWaiting.has(method))
      await setRate((waits ? pace.confirming : pace.busy) / slowness)
      // Of a day that is taped blocks come evenly, and prices move with them: one is never older than the world says.
      if (slept && !isTaped) await mineNow()
    },
    /** Time goes slowly until this is over. */
    async during<result>(work: () => Promise<result>): Promise<result> {
      busyUntil = Number.POSITIVE_INFINITY
      await setRate(pace.busy)
      const done = await work()
      busyUntil = performance.now() + quietMs
      return done
    },
    async stop() {
      open = false
      await running
      await mining
    },
  }
}
