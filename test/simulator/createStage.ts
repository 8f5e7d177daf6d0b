import { createLife, type Life } from './life.ts'
import type { Faults } from './matrix.ts'
import { createNetwork } from './network.ts'
import { createNode } from './node.ts'
import { type Machine, openInFile } from './openMachine.ts'
import { createRandom } from './random.ts'
import { createScheduler } from './scheduler.ts'
import { createService } from './service.ts'
import type { Setup } from './setup.ts'

const coin = 10n ** 18n
const blockMs = 12_000

/** A simulation without chance: nothing befalls the bot but what a test lets happen. */
export function createStage({ disk, journal }: Machine) {
  disk.wipe()
  const random = createRandom(1)
  const scheduler = createScheduler(Date.UTC(2026, 0, 1))
  const faults: Faults = { on: false, hit: () => {}, has: () => false, strikes: () => false }
  const state = {
    nonce: 0,
    native: 1_000n * coin,
    sold: 1_000n * coin,
    bought: 0n,
    allowance: 0n,
    used: new Set<string>(),
  }
  const network = createNetwork({ scheduler, random, blockMs, state, onMined: () => {} })
  const world = { network, scheduler, random, faults, blockMs, onBytes: () => {} }
  const service = createService({ scheduler, random, network, faults, expirySeconds: 60, seed: 1 })
  const setup: Setup = {
    scheduler,
    random,
    faults,
    disk,
    openJournal: openInFile,
    endpoint: createNode('endpoint', world),
    witness: undefined,
    service,
    confirmations: 2,
    blockMs,
    pollMs: blockMs,
    skewMs: () => 0,
    onPort: () => {},
    onTrouble: () => {},
    onSign: () => {},
  }
  network.start(() => blockMs)
  return {
    disk,
    journal,
    network,
    setup,
    /** A process that lives until somebody kills it. */
    begin: (): Life =>
      createLife({
        scheduler,
        onPort: setup.onPort,
        onDeath: () => disk.crash(undefined),
      }),
    /** Lets time pass until the work is done or so many blocks went by; says how it ended. */
    async until(
      work: Promise<unknown>,
      { blocks }: { blocks: number },
    ): Promise<'pending' | 'done' | { readonly failed: unknown }> {
      let end: 'pending' | 'done' | { readonly failed: unknown } = 'pending'
      work.then(
        () => {
          end = 'done'
        },
        (failed: unknown) => {
          end = { failed }
        },
      )
      await scheduler.run(() => end !== 'pending', scheduler.now() + blocks * blockMs)
      return end
    },
  }
}
