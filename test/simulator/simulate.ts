import { createHash } from 'node:crypto'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { BallastError } from '../../src/core/errors.ts'
import { checkInvariants } from './checkInvariants.ts'
import { startEvents } from './events.ts'
import { createFleet, type Member, type Worker } from './fleet.ts'
import { killedAt } from './killedAt.ts'
import { createLife, type Life } from './life.ts'
import { type FaultId, type Faults, leaseMatrix, matrix } from './matrix.ts'
import { createNetwork } from './network.ts'
import { createNode } from './node.ts'
import { type Machine, openInFile } from './openMachine.ts'
import { operate } from './operate.ts'
import { createRandom } from './random.ts'
import { createScheduler } from './scheduler.ts'
import { createService } from './service.ts'
import type { Setup } from './setup.ts'
import { startProcess } from './startProcess.ts'
import type { Wish } from './wish.ts'
import { native, sold } from './world.ts'

/** How one seed went. */
export type Outcome = {
  readonly seed: number
  /** What is wrong at the end; none where all invariants hold. */
  readonly violations: readonly string[]
  readonly hits: Readonly<Partial<Record<FaultId, number>>>
  readonly crashes: number
  readonly swaps: number
  readonly settled: number
  /** What happened, in order. */
  readonly trace: readonly string[]
  readonly traceHash: string
}

/** Who has the journal: one process in a file, or two workers in turn on a server. */
export type Cast = 'one' | 'two'

/** Faults of each cast. A server looks after its own disk. */
export const rowsOf: Readonly<Record<Cast, readonly FaultId[]>> = {
  one: Object.keys(matrix) as FaultId[],
  two: ([...Object.keys(matrix), ...Object.keys(leaseMatrix)] as FaultId[]).filter(
    (id) => id !== 'LOCAL-20',
  ),
}

/** The start of every simulation; any instant would do. */
const start = Date.UTC(2026, 0, 1)

/**
 * Lets the bot live through one seed: trouble first, then none, and then everything must be decided and add up.
 * What is `always` there is there in every seed; the rest is drawn.
 */
export async function simulate(
  seed: number,
  { disk, journal }: Machine,
  { always = [], cast = 'one' }: { always?: readonly FaultId[]; cast?: Cast } = {},
): Promise<Outcome> {
  disk.wipe()
  const random = createRandom(seed)
  const scheduler = createScheduler(start)
  const trace: string[] = []
  const say = (what: string) => void trace.push(`${scheduler.now() - start} ${what}`)
  const hits: Partial<Record<FaultId, number>> = {}
  const calm = random.chance(0.05)
  const chosen = new Set([
    ...always,
    ...(calm ? [] : rowsOf[cast].filter(() => random.chance(0.2))),
  ])
  const faults: Faults = {
    on: true,
    hit(id) {
      hits[id] = (hits[id] ?? 0) + 1
      say(id)
    },
    has: (id) => chosen.has(id),
    strikes: (id, probability) => faults.on && chosen.has(id) && random.chance(probability),
  }

  const blockMs = random.pick([2_000, 12_000])
  const confirmations = random.between(1, 3)
  const state = {
    nonce: random.pick([0, 7]),
    native: 50n * coin,
    sold: 50n * coin,
    bought: 0n,
    allowance: random.chance(0.1) ? 5n : 0n,
    used: new Set<string>(),
  }
  const network = createNetwork({
    scheduler,
    random,
    blockMs,
    state,
    onMined({ success, moved }) {
      if (!success) faults.hit('CHAIN-18')
      // Every quote leaves room, and the chain pays less than was quoted.
      if (moved !== undefined) faults.hit('CHAIN-20')
    },
  })
  const violations: string[] = []
  const world = {
    network,
    scheduler,
    random,
    faults,
    blockMs,
    onBytes(hash: Hex) {
      const [row] = disk.rows<{ hash: string }>('SELECT hash FROM attempt WHERE hash = ?', hash)
      if (row === undefined) violations.push(`bytes ${hash} were sent and are not stored`)
    },
  }
  const endpoint = createNode('endpoint', world)
  const witness = random.chance(0.5) ? createNode('witness', world) : undefined
  const wishes = Array.from({ length: random.pick([1, 1, 1, 1, 2]) }, (_, index): Wish => {
    const token = random.chance(0.7) ? native : sold
    return { id: `w${index}`, sell: { token, wei: coin + BigInt(index) } }
  })
  const plansMax = random.between(1, 2)
  const expirySeconds = (random.between(4, 8) * blockMs) / 1_000
  const service = createService({ scheduler, random, network, faults, expirySeconds, seed })
  const crashChance = random.pick([0, 0, 0.003, 0.01])
  const powered = random.chance(0.5)

  let skewMs = 0
  if (chosen.has('CHAIN-14')) {
    skewMs = random.between(-20, 20) * 1_000
    faults.hit('CHAIN-14')
  }
  let crashes = 0
  let finished = false
  let exits = 0

  const onPort = (one: Life, { member, what, moment }: Step) => {
    say(`${moment} ${what}`)
    if (moment === 'after' && what === 'commitBump') faults.hit('CHAIN-07')
    if (!faults.on) return
    member.strike(what, moment)
    if (crashes >= 2) return
    const place = killedAt(moment, what)
    const meant = place !== undefined && faults.strikes(place.row, place.chance)
    if (!meant && !random.chance(crashChance)) return
    if (!meant && moment === 'before' && random.chance(0.5)) {
      // Somewhere among the statements of this step, or not at all.
      let left = random.between(0, 6)
      member.expose(() => {
        if (left-- === 0 && faults.on) one.kill(`within ${what}`)
      })
      return
    }
    if (place !== undefined) faults.hit(place.row)
    one.kill(`${moment} ${what}`)
  }
  const blame = (violation: string) => void violations.push(violation)
  const fleet =
    cast === 'one' ? undefined : createFleet({ scheduler, random, faults, disk, say, blame })
  const alone = (one: Life): Member => ({
    openJournal: (clock) => openInFile(one, clock),
    strike: () => {},
    expose: disk.expose,
    leave: async () => disk.crash(undefined),
    died: () => disk.crash(powered ? { lostCommits: random.between(1, 3) } : undefined),
  })
  const lives = new Map<Worker | undefined, Life>()
  const broken = (error: unknown) => {
    violations.push(`the simulator itself: ${error instanceof Error ? error.stack : error}`)
    finished = true
  }
  function begin(worker?: Worker): void {
    const restart = (milliseconds: number, prepare: () => Promise<void>) =>
      scheduler.after(milliseconds, () => void prepare().then(() => begin(worker), broken))
    const onStep: Setup['onPort'] = (one, what, moment) => onPort(one, { member, what, moment })
    const mine = createLife({
      scheduler,
      onPort: onStep,
      onDeath(why) {
        if (finished) return
        say(`killed ${why}`)
        crashes += 1
        member.died()
        restart(random.between(500, 4 * blockMs), async () => {})
      },
    })
    const member = worker === undefined ? alone(mine) : worker.join(mine)
    lives.set(worker, mine)
    const openJournal: Setup['openJournal'] = (_, clock) => member.openJournal(clock)
    const own = { ...setup, openJournal, onPort: onStep }
    startProcess(wishes, { setup: own, life: mine, plansMax }).then(
      () => {
        if (mine.dead) return
        finished = true
        if (worker !== undefined) void member.leave()
      },
      (error: unknown) => {
        if (mine.dead) return
        say(`exit ${error instanceof BallastError ? error.code : String(error)}`)
        if (!(error instanceof BallastError) && !String(error).includes('disk is full'))
          say(error instanceof Error ? (error.stack ?? '') : '')
        void member.leave()
        const code = error instanceof BallastError ? error.code : undefined
        const isOfLease = code === 'JOURNAL_LOCKED' || code === 'LEASE_LOST'
        if (!isOfLease) exits += 1
        restart(random.between(1_000, 20_000), async () => {
          if (isOfLease || (exits % 3 !== 0 && code !== 'LOCKED')) return
          await (fleet?.operate(network) ?? operate({ journal, network, say }))
        })
      },
    )
  }
  const setup = {
    scheduler,
    random,
    faults,
    disk,
    endpoint,
    witness,
    service,
    confirmations,
    blockMs,
    pollMs: Math.round(blockMs * (0.9 + random.next())),
    skewMs: () => skewMs,
    onTrouble: (code: string) => say(`trouble ${code}`),
    onSign(kind: string) {
      if (kind !== 'CANCEL') return
      faults.hit('CHAIN-08')
      const [row] = disk.rows<{ deadline: number }>(
        'SELECT deadline FROM swap WHERE nonce IS NOT NULL ORDER BY signed_at DESC LIMIT 1',
      )
      if (row !== undefined && network.latestTimestamp() <= row.deadline)
        violations.push('CHAIN-08: a cancellation was signed while the swap could still be mined')
    },
  }

  startEvents({
    network,
    endpoint,
    scheduler,
    random,
    faults,
    blockMs,
    confirmations,
    isDown: () => [...lives.values()].every(({ dead }) => dead),
    jump: (milliseconds) => {
      skewMs += milliseconds
    },
    strikeWorkers: () => fleet?.strikeBetween(blockMs),
  })
  if (fleet === undefined) begin()
  else for (const worker of fleet.workers) begin(worker)
  await scheduler.run(() => finished, start + random.between(30, 70) * blockMs)
  faults.on = false
  network.heal()
  say('healed')
  const healedAt = scheduler.now()
  if (!(await scheduler.run(() => finished, healedAt + healingBlocks * blockMs)))
    violations.push(`not everything is decided ${healingBlocks} blocks after the last trouble`)
  // Whatever is still on its way arrives, and is mined if it can be.
  const quietAt = scheduler.now()
  await scheduler.run(() => false, Math.max(quietAt, scheduler.lateUntil()) + 5 * blockMs)
  finished = true
  for (const one of lives.values()) one.kill('the end')
  fleet?.server.drop()
  violations.push(...(await checkInvariants({ disk, journal, network, wishes, plansMax })))
  const rows = disk.rows<{ state: string }>('SELECT state FROM swap')
  return {
    seed,
    violations,
    hits,
    crashes,
    swaps: rows.length,
    settled: rows.filter((row) => row.state === 'SETTLED').length,
    trace,
    get traceHash() {
      return createHash('sha256').update(trace.join('\n')).digest('hex')
    },
  }
}

type Step = {
  readonly member: Member
  readonly what: string
  readonly moment: 'before' | 'after'
}

const coin = 10n ** 18n

/** Enough for three wishes with their approvals, one of which has to expire first. */
const healingBlocks = 250
