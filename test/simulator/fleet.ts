import { type Journal, openJournal } from '../../src/bot/journal/openJournal.ts'
import { type Fence, takeLease } from '../../src/bot/journal/store/postgres/takeLease.ts'
import type { Clock } from '../../src/core/clock.ts'
import { BallastError } from '../../src/core/errors.ts'
import type { Disk } from './disk.ts'
import type { Life } from './life.ts'
import type { Faults, LeaseFaultId } from './matrix.ts'
import type { Network } from './network.ts'
import { operate } from './operate.ts'
import { createOwnClock, type OwnClock } from './ownClock.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { createServer } from './server.ts'
import { layWire, takeUpWires } from './wires.ts'
import { chainId, journalOptions, wallet } from './world.ts'

/** A machine that runs one process of the bot after the other. */
export type Worker = ReturnType<typeof createFleet>['workers'][number]

type Machine = { readonly name: string; readonly clock: OwnClock }

/** A process of a worker: it takes the lease, or is told who has it. */
export type Member = {
  openJournal(clock: Clock): Promise<Journal>
  /** Where it may stand still at this step. */
  strike(what: string, moment: 'before' | 'after'): void
  /** Every statement that it gives passes here first. */
  expose(hazard: () => void): void
  /** Ends as a process does that was not killed: what it holds is given back. */
  leave(): Promise<void>
  died(): void
}

/** Steps at which standing still has a row of its own, and how often it does there. */
const places: Readonly<Record<string, readonly [LeaseFaultId, number]>> = {
  'before sign SWAP': ['LEASE-03', 0.5],
  'after sign SWAP': ['LEASE-04', 0.3],
  'before commitSwap': ['LEASE-04', 0.3],
  'after commitSwap': ['LEASE-05', 0.3],
  'before broadcast': ['LEASE-05', 0.3],
}

/** More than these, and a seed is about nothing else. */
const pausesMax = 4

/** Two workers of one wallet, their server, and what must never be so of their lease. */
export function createFleet({
  scheduler,
  random,
  faults,
  disk,
  say,
  blame,
}: {
  scheduler: Scheduler
  random: Random
  faults: Faults
  disk: Disk
  say: (what: string) => void
  blame: (violation: string) => void
}) {
  /** Who has the lease, by the server's books. */
  let held = { user: '', until: 0, died: false }
  let processes = 0
  let pauses = 0
  takeUpWires()
  disk.tellTime(scheduler.now)
  const machines: readonly Machine[] = ['a', 'b'].map((name) => ({
    name,
    clock: createOwnClock(scheduler),
  }))
  const cutUntil = new Map<Machine, number>()

  const server = createServer({
    scheduler,
    disk,
    onCommit(user, changes) {
      if (changes.some((change) => change.endsWith(' wallet_lease')))
        return noteLease(user, changes)
      if (user !== operator && user !== held.user)
        blame(`L1: ${user} committed ${changes} while ${held.user} has the lease`)
    },
  })
  function noteLease(user: string, changes: readonly string[]): void {
    const [row] = disk.rows<{ expires_at: number }>('SELECT expires_at FROM wallet_lease')
    const until = row?.expires_at ?? 0
    if (!changes.includes('insert wallet_lease')) {
      held = { ...held, until }
      return
    }
    say(`lease to ${user}`)
    if (held.until > scheduler.now()) blame(`L2: ${user} was given the lease of ${held.user}`)
    if (held.died) faults.hit('LEASE-06')
    held = { user, until, died: false }
  }
  const holds = (user: string) => held.user === user && held.until > scheduler.now()

  function join(worker: Machine, life: Life): Member {
    processes += 1
    const user = `${worker.name}${processes}`
    let release: () => Promise<void> = async () => {}
    let hazard = () => {}
    let hasLeft = false

    const standStill = (row: LeaseFaultId, chance: number) => {
      if (pauses >= pausesMax || !faults.strikes(row, chance)) return
      pauses += 1
      const ms = random.between(3, random.pick([14, 40, 120])) * 1_000
      const isClockDead = faults.strikes('LEASE-08', 0.7)
      say(`${user} stands still for ${ms}${isClockDead ? ', and its clock' : ''}`)
      const had = holds(user)
      const since = scheduler.now()
      life.pause(ms, () => {
        say(`${user} wakes`)
        if (isClockDead) worker.clock.lose(scheduler.now() - since)
        if (!had || holds(user)) return
        faults.hit(row)
        if (isClockDead) faults.hit('LEASE-08')
      })
    }

    layWire(user, {
      async open() {
        if (hasLeft) return new Promise(() => {})
        await reach('connect', 2_500)
        return server.open(user)
      },
      async ask(session, { sql, values, waitMs }) {
        if (session.isWriting) standStill('LEASE-02', 0.006)
        // As a guard does.
        else if (sql.includes('from "lock"')) standStill('LEASE-03', 0.06)
        else standStill('LEASE-01', 0.003)
        hazard()
        await reach(sql.slice(0, 6), waitMs)
        const answer = await life.guard(session.execute(sql, values))
        if (/^commit$/i.test(sql) && faults.strikes('LEASE-10', 0.05)) {
          faults.hit('LEASE-10')
          session.end()
          throw new Error('Connection terminated unexpectedly')
        }
        return answer
      },
    })
    /** Passes when it is awake and the server is in reach. */
    async function reach(what: string, waitMs: number): Promise<void> {
      if (life.dead) return new Promise(() => {})
      await life.awake()
      if (!faults.on || scheduler.now() >= (cutUntil.get(worker) ?? 0)) return
      if (holds(user)) faults.hit('LEASE-07')
      await life.port(`unanswered ${what}`, { ms: waitMs }, () => {
        throw new Error('Query read timeout')
      })
    }
    /** Believes no less and no more than the lease does; where it believes wrongly, that is told. */
    const watched = (fence: Fence): Fence => ({
      ...fence,
      assertHeld() {
        fence.assertHeld()
        if (worker.clock.isTrue && !holds(user))
          blame(`L3: ${user} believes in a lease that is ${held.user}'s, or nobody's`)
      },
    })
    return {
      async openJournal(clock) {
        const place = placeOf(user)
        const { database } = place
        const { elapsed } = worker.clock
        const lease = await life.guard(takeLease({ database, chainId, wallet, clock, elapsed }))
        release = lease.release
        return await life.guard(openJournal({ ...place, clock, fence: watched(lease.fence) }))
      },
      strike(what, moment) {
        const isAct = /^(?:sign|broadcast)/.test(what) && moment === 'before'
        if (isAct && worker.clock.isTrue && !holds(user))
          blame(`L4: ${user} began to ${what} without the lease`)
        const [row, chance] = places[`${moment} ${what}`] ?? (['LEASE-01', 0.004] as const)
        // Who asks a guard uses its answer at once.
        if (`${moment} ${what}` !== 'after guard') standStill(row, chance)
      },
      expose(next) {
        hazard = next
      },
      async leave() {
        await release()
        hasLeft = true
        server.drop(user)
      },
      died() {
        if (held.user === user) held = { ...held, died: true }
        // The process is gone, and its connections with it; a machine that is gone says nothing.
        if (random.chance(0.5)) server.drop(user)
      },
    }
  }

  return {
    workers: machines.map((machine) => ({ join: (life: Life) => join(machine, life) })),
    server,
    /** What befalls the workers between two blocks. */
    strikeBetween(blockMs: number): void {
      const worker = random.pick(machines)
      if (faults.strikes('LEASE-07', 0.15))
        cutUntil.set(worker, scheduler.now() + random.between(1, 5) * blockMs)
      if (faults.strikes('LEASE-08', 0.1)) {
        faults.hit('LEASE-08')
        worker.clock.stop(random.between(5, 60) * 1_000)
      }
      if (faults.strikes('LEASE-09', 0.05)) {
        faults.hit('LEASE-09')
        worker.clock.lose(random.pick([-60_000, 60_000]))
      }
    },
    /** A person's command, which needs no lease. Where a worker holds the journal for too long, it comes again another time. */
    async operate(network: Network): Promise<void> {
      layWire(operator, {
        open: async () => server.open(operator),
        ask: (session, { sql, values }) => session.execute(sql, values),
      })
      // Locks of any time are let go of, whatever a worker's clock was when it opened them.
      const clock = { now: () => 0, sleep: async () => {} }
      try {
        const journal = await openJournal({ ...placeOf(operator), clock })
        await operate({ journal, network, say })
      } catch (error) {
        if (!(error instanceof BallastError) || error.code !== 'JOURNAL_BUSY') throw error
        say('operator: busy')
      } finally {
        server.drop(operator)
      }
    },
  }
}

const operator = 'operator'

let named = 0

/** The journal as one process names it. No two have one address: a process shares its connections, and with no other. */
function placeOf(user: string) {
  named += 1
  const address = `postgres://${user}:${named}@simulated/journal`
  return {
    database: { dialect: 'postgres', url: { reveal: () => address } } as const,
    haltFile: journalOptions.haltFile,
  }
}
