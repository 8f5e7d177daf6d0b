import type { FaultId, Faults } from './matrix.ts'
import type { Network, Removed } from './network.ts'
import type { Node } from './node.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

type Stage = {
  readonly network: Network
  readonly endpoint: Node
  readonly scheduler: Scheduler
  readonly random: Random
  readonly faults: Faults
  readonly blockMs: number
  readonly confirmations: number
  /** Whether no process of the bot runs. */
  readonly isDown: () => boolean
  /** Moves the clock of the bot's machine. */
  readonly jump: (milliseconds: number) => void
  /** What befalls two workers alone. */
  readonly strikeWorkers: () => void
}

const reorganisations = {
  'CHAIN-01': 'dropped',
  'CHAIN-02': 'waiting',
  'CHAIN-03': 'late',
  'CHAIN-04': 'reverting',
} as const satisfies Partial<Record<FaultId, Removed>>

/** What befalls the chain and the machine between two blocks; starts the blocks. */
export function startEvents(stage: Stage): void {
  const { network, scheduler, random, faults, blockMs } = stage
  network.start(() => {
    if (!faults.on) return blockMs
    strike(stage)
    stage.strikeWorkers()
    if (faults.strikes('CHAIN-15', 0.05)) {
      faults.hit('CHAIN-15')
      return blockMs * random.between(3, 8)
    }
    return blockMs
  })
  if (faults.has('CHAIN-16'))
    scheduler.after(random.between(2, 10) * blockMs, () => {
      if (!faults.on) return
      faults.hit('CHAIN-16')
      network.halt(true)
      scheduler.after(random.between(10, 30) * blockMs, () => network.halt(false))
    })
}

/** What can happen to a block happens rarely, so that most swaps are met by one thing or two. */
function strike(stage: Stage): void {
  const { network, endpoint, random, faults, blockMs, confirmations } = stage
  const { nonce } = network.head().state
  const waiting = network.pool.at(nonce)
  for (const [id, removed] of Object.entries(reorganisations) as [FaultId, Removed][]) {
    if (!faults.strikes(id, 0.08)) continue
    const twoHeads = faults.strikes('CHAIN-17', 0.5)
    if (twoHeads) {
      faults.hit('CHAIN-17')
      endpoint.freeze(random.between(1, 3) * blockMs)
    }
    const depth = random.between(1, confirmations)
    const lateMs = random.between(4, 20) * blockMs
    const taken = network.reorganise(depth, removed, { lateMs })
    if (taken.length > 0) faults.hit(id)
  }
  if (faults.strikes('CHAIN-06', 0.2)) {
    if (waiting !== undefined) faults.hit('CHAIN-06')
    network.crowd(random.between(2, 8), BigInt(random.between(2, 9)))
  }
  if (faults.strikes('CHAIN-25', 0.06)) {
    if (waiting !== undefined) faults.hit('CHAIN-25')
    network.censor(random.between(3, 14))
  }
  if (faults.strikes('CHAIN-09', 0.3)) {
    if (network.pool.replacedAt(nonce) !== undefined) faults.hit('CHAIN-09')
    network.preferReplaced(true)
  }
  if (faults.strikes('CHAIN-10', 0.2) && network.evict(nonce)) faults.hit('CHAIN-10')
  if (faults.strikes('CHAIN-11', 0.1) && waiting !== undefined) {
    faults.hit('CHAIN-11')
    network.intrude(nonce)
  }
  if (stage.isDown() && faults.strikes('CHAIN-13', 0.2)) {
    faults.hit('CHAIN-13')
    network.intrude(nonce)
  }
  if (faults.strikes('LOCAL-32', 0.05)) {
    faults.hit('LOCAL-32')
    stage.jump(random.pick([-3_600_000, 3_600_000]))
  }
  if (faults.strikes('RPC-19', 0.05)) {
    faults.hit('RPC-19')
    endpoint.freeze(random.between(3, 20) * blockMs)
  }
  if (faults.strikes('RPC-38', 0.04)) endpoint.cut(random.between(1, 10) * blockMs)
}
