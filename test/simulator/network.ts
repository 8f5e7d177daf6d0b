import type { Hex } from '../../src/chain/calls/fields.ts'
import { type Block, type Branch, genesis, type Mined, mine, type State, type Tx } from './chain.ts'
import { createPool } from './pool.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { wallet } from './world.ts'

/** What becomes of the transactions that a reorganisation takes off the chain. */
export type Removed = 'dropped' | 'waiting' | 'late' | 'reverting'

export type Network = ReturnType<typeof createNetwork>

/** What the market settles around, wei. */
const baseFeeUsual = 15_000_000_000n

/** Half as much again as the wallet pays at most, and gone within a few dozen blocks. */
const baseFeeMost = 300_000_000_000n

/** The chain everybody agrees on in the end, the transactions that wait for it, and what befalls both. */
export function createNetwork({
  scheduler,
  random,
  blockMs,
  state,
  onMined,
}: {
  scheduler: Scheduler
  random: Random
  blockMs: number
  state: State
  /** Told of each transaction of the wallet that a block takes. */
  onMined: (mined: Mined) => void
}) {
  const pool = createPool()
  const timestampNow = () => Math.floor(scheduler.now() / 1_000)
  let branch: Block[] = [genesis({ timestamp: timestampNow() - 60, state })]
  let salt = 0
  let latest = 0
  let offers = 0
  let muted = false
  let refusal: ((offers: number) => string | undefined) | undefined
  let fullness = 0.5
  /** Full blocks still to come. */
  let crowded = 0
  /** Blocks that take nothing of ours. */
  let censored = 0
  /** Where a miner prefers what a replacement pushed out. */
  let contrary = false
  let halted = false
  const unpaid = new Set<Hex>()
  const foreign = new Set<Hex>()
  /** Everything that was ever offered, so that it can come back. */
  const seen = new Map<Hex, Tx>()

  const head = () => branch.at(-1) as Block
  const moves = (authorization: Hex) => ({
    pays: !unpaid.has(authorization),
    surplus: BigInt(`0x${authorization.slice(2, 8)}`),
  })

  function extend(timestamp: number, baseFee?: bigint): void {
    const parent = head()
    salt += 1
    if (parent.baseFee > baseFeeMost) crowded = 0
    if (crowded > 0) crowded -= 1
    // Where gas is dear, people wait: blocks are emptier until it is not.
    else fullness = parent.baseFee > baseFeeUsual ? random.next() / 4 : 0.3 + random.next() / 2
    const candidates = (nonce: number) => {
      if (censored > 0) return undefined
      return (contrary ? pool.replacedAt(nonce) : undefined) ?? pool.at(nonce)
    }
    const block = mine(parent, {
      timestamp: Math.max(timestamp, parent.timestamp + 1),
      salt,
      fullness: crowded > 0 ? 1 : fullness,
      ...(baseFee === undefined ? {} : { baseFee }),
      candidates,
      moves,
    })
    if (censored > 0) censored -= 1
    branch.push(
      muted ? { ...block, mined: block.mined.map((one) => ({ ...one, logs: [] })) } : block,
    )
    latest = Math.max(latest, block.timestamp)
    for (const mined of block.mined) if (!foreign.has(mined.tx.hash)) onMined(mined)
    pool.settle(block.state)
  }

  const network = {
    head,
    branch: (): Branch => branch,
    /** Unix seconds; of the latest block that there ever was, on whatever branch. */
    latestTimestamp: () => latest,
    pool,
    /** Offers a transaction to everybody. Undefined where it was taken; otherwise why not. */
    offer(tx: Tx): string | undefined {
      seen.set(tx.hash, tx)
      offers += 1
      const refused = refusal?.(offers)
      if (refused !== undefined) return refused
      return pool.add(tx, head().state)
    },
    /** What every node says to what it is offered, instead of taking it. */
    refuse: (next: ((offers: number) => string | undefined) | undefined) => {
      refusal = next
    },
    /** The router does what it should and says nothing of it. */
    mute: (on: boolean) => {
      muted = on
    },
    extend: () => extend(timestampNow()),
    /** Takes blocks off the chain and puts one more in their place. */
    reorganise(depth: number, removed: Removed, { lateMs }: { lateMs: number }): readonly Tx[] {
      const kept = branch.length - Math.min(depth, branch.length - 1)
      const gone = branch.slice(kept)
      const times = gone.map(({ timestamp }) => timestamp)
      const taken = gone.flatMap(({ mined }) => mined.map(({ tx }) => tx))
      branch = branch.slice(0, kept)
      for (const tx of taken) {
        // Whoever else uses the key sends again: a gap that nobody closes is not ours to close.
        if (foreign.has(tx.hash)) pool.add(tx, head().state)
        else if (removed === 'waiting' || removed === 'reverting') pool.add(tx, head().state)
        if (removed === 'late') scheduler.late(lateMs, () => void pool.add(tx, head().state))
      }
      if (removed === 'reverting')
        for (const { mined } of gone)
          for (const { moved } of mined) if (moved !== undefined) unpaid.add(moved.authorization)
      for (const timestamp of times) extend(timestamp)
      extend(timestampNow())
      return taken
    },
    /** The base fee leaps and blocks are full for a while. */
    crowd(blocks: number, times: bigint): void {
      crowded = blocks
      const leapt = head().baseFee * times
      extend(timestampNow(), leapt < baseFeeMost ? leapt : baseFeeMost)
    },
    censor: (blocks: number) => {
      censored = blocks
    },
    preferReplaced: (on: boolean) => {
      contrary = on
    },
    evict: (nonce: number) => pool.drop(nonce),
    unpay: (authorization: Hex) => unpaid.add(authorization),
    /** Somebody else uses the wallet's key. */
    intrude(nonce: number): void {
      const hash: Hex = `0x${(0xf0e1n * 2n ** 240n + BigInt(foreign.size)).toString(16)}`
      const fee = head().baseFee * 40n
      foreign.add(hash)
      pool.drop(nonce)
      network.offer({
        hash,
        nonce,
        to: wallet,
        data: '0x',
        value: 0n,
        gas: 21_000n,
        maxFeePerGas: fee,
        maxPriorityFeePerGas: fee,
      })
    },
    isForeign: (hash: Hex) => foreign.has(hash),
    known: (hash: Hex) => seen.get(hash),
    /** Changes what the wallet holds from the next block on. */
    pay(change: (state: State) => State): void {
      const last = head()
      branch[branch.length - 1] = { ...last, state: change(last.state) }
    },
    halt: (on: boolean) => {
      halted = on
    },
    /** Everything goes its ordinary way from now on. */
    heal(): void {
      censored = 0
      crowded = 0
      contrary = false
      halted = false
    },
    /** Lets blocks come by themselves. `slotMs` says how long the next takes. */
    start(slotMs: () => number): void {
      const tick = () => {
        if (!halted) extend(timestampNow())
        scheduler.after(slotMs(), tick)
      }
      scheduler.after(blockMs, tick)
    },
  }
  return network
}
