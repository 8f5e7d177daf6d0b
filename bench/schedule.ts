/**
 * What a schedule of very many entries costs beside one of few, when as many of both are due every second. On a virtual
 * clock, so nothing but the schedule's own work is timed. Both take turns within each round; the ratio is the median
 * over rounds of the ratio within a round, so other work on the machine touches both alike.
 *
 * `npm run bench:schedule [-- --entries 10000 --few 100 --due 10 --rounds 30 --seconds 100]`
 */

import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createSchedule } from '../src/bot/schedule/createSchedule.ts'
import type { Entry } from '../src/bot/schedule/timetable.ts'
import { median } from './measure.ts'

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '10000' },
    few: { type: 'string', default: '100' },
    due: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '100' },
  },
})
const [many, few, due] = [Number(values.entries), Number(values.few), Number(values.due)]
const rounds = Number(values.rounds)
const spanMs = Number(values.seconds) * 1_000

/** `idle`: the same ones are due each second, the others tomorrow. `taking turns`: each has its second, by its jitter. */
const kinds: Readonly<Record<string, (count: number) => readonly Entry[]>> = {
  idle: (count) =>
    Array.from({ length: count }, (_, nth) => ({
      name: `entry-${nth}`,
      schedule: { kind: 'every', seconds: nth < due ? 1 : 86_400 },
    })),
  'taking turns': (count) =>
    Array.from({ length: count }, (_, nth) => ({
      name: `entry-${nth}`,
      schedule: { kind: 'every', seconds: count / due, jitter: count / due },
    })),
}

/** A schedule that runs for as long as it is told, as fast as it can. */
function open(entries: readonly Entry[]) {
  let [now, until, asked] = [Date.parse('2026-05-04T00:00:00.500Z'), 0, 0]
  let rest: (() => void) | undefined
  let resume: (() => void) | undefined
  const abort = new AbortController()
  const schedule = createSchedule({
    entries,
    clock: {
      now: () => now,
      async sleep(milliseconds, signal) {
        // Behind the ticks that were handed out: they are back in the queue before time goes on.
        for (let turn = 0; turn < 8; turn += 1) await undefined
        signal?.throwIfAborted()
        if (now + milliseconds > until) {
          rest?.()
          await new Promise<void>((resolve) => (resume = resolve))
        }
        now += milliseconds
      },
    },
    signal: abort.signal,
    async tick() {
      asked += 1
      return 'closed'
    },
    onMissed: async () => {},
    onError(error) {
      throw error
    },
  })
  void schedule.run()
  return {
    /** Milliseconds of this machine, and how many ticks they were. */
    async run() {
      await setImmediate()
      const before = asked
      until = now + spanMs
      const startedAt = performance.now()
      await new Promise<void>((resolve) => {
        rest = resolve
        resume?.()
      })
      return { ms: performance.now() - startedAt, ticks: asked - before }
    },
    close() {
      abort.abort()
      resume?.()
    },
  }
}

for (const [kind, entriesOf] of Object.entries(kinds)) {
  const [small, large] = [open(entriesOf(few)), open(entriesOf(many))]
  const taken: { few: number[]; many: number[]; ratios: number[] } = {
    few: [],
    many: [],
    ratios: [],
  }
  let ticks = { few: 0, many: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? small : large
    const one = await first.run()
    const other = await (first === small ? large : small).run()
    const [ofFew, ofMany] = first === small ? [one, other] : [other, one]
    taken.few.push(ofFew.ms / ofFew.ticks)
    taken.many.push(ofMany.ms / ofMany.ticks)
    taken.ratios.push(ofMany.ms / ofFew.ms)
    ticks = { few: ticks.few + ofFew.ticks, many: ticks.many + ofMany.ticks }
  }
  small.close()
  large.close()
  const micro = (figures: readonly number[]) => `${(median(figures) * 1_000).toFixed(1)} µs`
  console.log(
    `${kind.padEnd(12)} ${due} due a second: ${micro(taken.few)} a tick of ${few} entries, ${micro(taken.many)} of ${many}, ratio ${median(taken.ratios).toFixed(2)}, target <= 2 (${ticks.few} and ${ticks.many} ticks)`,
  )
}
