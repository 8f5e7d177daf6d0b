import { setImmediate } from 'node:timers/promises'
import { createSchedule } from '../../../src/bot/schedule/createSchedule.ts'
import type { TurnEnd } from '../../../src/bot/schedule/timetable.ts'
import type { Clock } from '../../../src/core/clock.ts'
import type { Random } from '../../simulator/random.ts'
import { createBook, type Planned } from './createBook.ts'

/** How bad a world is; all are probabilities. */
export type Weather = {
  /** Of an end of the process, at each step. */
  readonly restart: number
  /** Of the clock being set, at each step. */
  readonly jump: number
  /** That a tick throws, or that the journal does. */
  readonly failure: number
  /** That a tick leaves its slot open. */
  readonly open: number
  /** That a tick takes its time. */
  readonly slow: number
}

type Life = {
  readonly planned: readonly Planned[]
  readonly from: number
  readonly to: number
  readonly weather: Weather
  readonly random: Random
}

type Sleeper = { readonly until: number; readonly wake: () => void }

const minute = 60_000
const day = 86_400_000

/**
 * A bot that lives through years on a virtual clock: it is killed and started again with nothing but its record of
 * closed slots, its clock is set, its ticks fail, stay open or take hours. Whatever it does is judged at once by a book
 * that knows the slots from elsewhere; what became of them is returned.
 */
export async function liveThrough({ planned, from, to, weather, random }: Life) {
  const book = createBook(planned, from)
  let [uptime, offset] = [0, from]
  let sleepers: Sleeper[] = []
  let life = 0
  let asleep = { until: 0, offset: 0 }
  const counts = { restarts: 0, jumps: 0, steps: 0 }

  const now = () => offset + uptime
  /** As likely a second as an hour or a day. */
  const span = (least: number, most: number) => Math.round(least * (most / least) ** random.next())
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const sleeper = { until: uptime + milliseconds, wake: resolve }
      sleepers.push(sleeper)
      signal?.addEventListener('abort', () => {
        sleepers = sleepers.filter((one) => one !== sleeper)
        reject(signal.reason)
      })
    })
  const killed = () => new Promise<never>(() => {})

  function start() {
    life += 1
    const mine = life
    const abort = new AbortController()
    const clock: Clock = {
      now,
      sleep(milliseconds, signal) {
        if (milliseconds > minute) throw new Error(`slept ${milliseconds} ms at once`)
        if (mine === life) asleep = { until: uptime + milliseconds, offset }
        return sleep(milliseconds, signal)
      },
    }
    const schedule = createSchedule({
      entries: book.entries(),
      clock,
      signal: abort.signal,
      async tick({ name }, slot): Promise<TurnEnd> {
        book.begins(name, slot, now())
        if (random.chance(weather.slow)) await sleep(span(1_000, 3_600_000))
        if (mine !== life) return killed()
        if (random.chance(weather.failure)) {
          book.ends(name, 'open')
          throw new Error('the market is away')
        }
        const open = random.chance(weather.open)
        book.ends(name, open ? 'open' : random.chance(0.2) ? 'waited' : 'executed')
        return open ? 'open' : 'closed'
      },
      async onMissed({ name }, { missed, reason }) {
        if (mine !== life) return killed()
        if (random.chance(weather.failure)) {
          book.failsToRecord(name)
          throw new Error('the journal is away')
        }
        book.misses(name, missed, { reason, now: now() })
      },
      onError: () => {},
    })
    const state = { hasEnded: false }
    const ended = schedule.run().then(() => {
      state.hasEnded = true
    })
    // What the book finds wrong is thrown where it is seen; what else goes wrong ends the schedule.
    ended.catch(() => {})
    return { abort, ended, state }
  }

  /** All that can go on goes on; what still sleeps then must have nothing to do. */
  async function settle(): Promise<void> {
    await setImmediate()
    // A clock that was set while it sleeps it sees when it wakes.
    if (!bot.abort.signal.aborted && asleep.offset === offset)
      book.sleeps(now(), asleep.until - uptime)
    book.assertClean()
  }

  /** To the next instant at which somebody wakes. */
  async function step(): Promise<void> {
    counts.steps += 1
    const first = Math.min(...sleepers.map(({ until }) => until))
    if (first === Number.POSITIVE_INFINITY) throw new Error('nobody will ever wake again')
    uptime = first
    const due = sleepers.filter(({ until }) => until <= uptime)
    sleepers = sleepers.filter(({ until }) => until > uptime)
    for (const { wake } of due) wake()
    await settle()
  }

  let bot = start()
  async function restart(): Promise<void> {
    counts.restarts += 1
    if (random.chance(0.5)) {
      // Killed, wherever it is: what sleeps never wakes.
      life += 1
      sleepers = []
      bot.abort.abort()
    } else {
      bot.abort.abort()
      while (!bot.state.hasEnded) await (sleepers.length > 0 ? step() : setImmediate())
      sleepers = []
    }
    book.dies()
    uptime += span(1_000, random.chance(0.8) ? 3_600_000 : 4 * day)
    bot = start()
    await settle()
  }

  await settle()
  // A leap of the clock beyond the end leaves slots behind it, which are told all the same.
  while (now() < to || !book.isThrough(to)) {
    await step()
    if (bot.state.hasEnded) throw new Error('the schedule has ended by itself')
    if (random.chance(weather.restart)) await restart()
    if (random.chance(weather.jump)) {
      counts.jumps += 1
      offset += (random.chance(0.5) ? -1 : 1) * span(1_000, day)
    }
    // Nothing is due for long: the machine sleeps until shortly before, or years would take too many minutes.
    const idle = book.idleUntil(now()) - random.between(0, 5) * minute
    if (idle > now()) offset += idle - now()
    else if (asleep.until >= uptime + minute) offset += random.between(0, 4) * minute
  }
  bot.abort.abort()
  while (!bot.state.hasEnded) await (sleepers.length > 0 ? step() : setImmediate())
  await bot.ended
  return { ...counts, tally: book.tally() }
}
