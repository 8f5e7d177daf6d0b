import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AlertHours } from '../../../src/app/alerts/alertHours.ts'
import type { Channel } from '../../../src/app/alerts/channel.ts'
import { createAlertTeller } from '../../../src/app/alerts/createAlertTeller.ts'
import { openChannels } from '../../../src/app/alerts/openChannels.ts'
import type { AlertItem } from '../../../src/bot/journal/alerts/alerts.ts'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { ballastError } from '../../../src/core/errors.ts'
import { secret } from '../../../src/core/secret.ts'
import { heldDeadlines } from '../../support/heldDeadlines.ts'
import { type Place, places } from '../../support/journals.ts'
import { silent } from '../../support/silent.ts'

const key = 'alert-signing-key-of-a-test-0123456789'
const iso = (at: number) => new Date(at).toISOString()
const start = Date.UTC(2026, 10, 22, 12)
const minute = 60_000
const item = (code: string, subject = 'weekly', kind = 'look'): AlertItem => ({
  severity: 'warning',
  ...{ kind, code, subject, since: iso(start), sentence: `${code} it is.`, next: 'Look.' },
})
const stale = item('LOOK_STALE')
const low = item('GAS_LOW', 'ETH', 'gas')
const missed = item('SLOT_MISSED', 'weekly@noon', 'slot')

const hours: AlertHours = { quiet: undefined, digest: undefined, timeZone: 'UTC' }

type Event = { id: string; event: string; code: string; at: string }
type Reply = (answer: ServerResponse) => unknown

/** A receiver that verifies each request, and answers as it is told to. */
async function startReceiver() {
  const taken: Event[] = []
  const seen: string[] = []
  const replies: Reply[] = []
  const server = createServer(async (request: IncomingMessage, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const hmac = createHmac('sha256', key).update(body).digest('hex')
    const event = JSON.parse(body) as Event
    const genuine =
      request.headers['ballast-signature'] === `sha256=${hmac}` &&
      request.headers['ballast-event-id'] === event.id
    seen.push(genuine ? body : 'forged')
    const reply = replies.shift()
    if (reply !== undefined) {
      reply(answer)
      return
    }
    if (!taken.some(({ id }) => id === event.id)) taken.push(event)
    answer.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { taken, seen, replies, url: `http://127.0.0.1:${port}/hook?k=1`, server }
}

describe.each(places)('alerts in $dialect', ({ make }) => {
  let place: Place
  let now: number
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  const clock = {
    now: () => now,
    // The receiver is served meanwhile.
    sleep: async () => delay(1),
  }
  beforeEach(async () => {
    now = start
    place = await make()
    receiver = await startReceiver()
  })
  afterEach(async () => {
    receiver.server.close()
    receiver.server.closeAllConnections()
    await place.remove()
  })

  /** One process: it opens the journal and tells until it ends. */
  async function open(more: Partial<Parameters<typeof createAlertTeller>[0]> = {}) {
    const journal = await openJournal({ ...place, clock })
    const teller = createAlertTeller({
      ...{ journal, clock, log: silent },
      ...{ hours: () => hours, currency: 'ETH' },
      source: { chainId: 1, wallet: '0xaa', mode: 'live' },
      channels: openChannels({ webhook: { url: secret(receiver.url), key: secret(key) } }, silent),
      signal: new AbortController().signal,
      ...more,
    })
    return {
      journal,
      teller,
      /** Rounds, each so long after the one before. */
      async rounds(count: number, stepMs: number, items: readonly AlertItem[]) {
        for (let round = 0; round < count; round += 1) {
          now += stepMs
          await teller.record(items)
          await teller.deliver()
        }
      },
      async close() {
        await teller.close()
        await journal.shut()
      },
    }
  }
  const told = () => receiver.taken.map(({ event, code }) => `${event} ${code}`)

  test('a process without a channel ends what is over, so that those with one are told of it again', async () => {
    const [scheduler, worker] = [await open(), await open({ channels: [] })]
    await scheduler.teller.begin([stale])
    await scheduler.teller.deliver()
    await worker.rounds(1, minute, [stale])
    await worker.rounds(1, minute, [])
    now += 20 * 24 * 60 * minute
    await scheduler.teller.deliver()
    expect(told()).toEqual(['begun LOOK_STALE', 'ended LOOK_STALE'])
    await scheduler.teller.begin([stale])
    await scheduler.teller.deliver()
    expect(told()).toEqual(['begun LOOK_STALE', 'ended LOOK_STALE', 'begun LOOK_STALE'])
    await scheduler.close()
    await worker.close()
  })

  test('a process without a channel leaves what waits for those of others, and begins for them', async () => {
    const daily = { ...hours, digest: 0 }
    const [scheduler, worker] = [
      await open({ hours: () => daily }),
      await open({ channels: [], hours: () => daily }),
    ]
    receiver.replies.push((answer) => answer.writeHead(503).end())
    await scheduler.teller.begin([stale])
    await scheduler.teller.deliver()
    expect(told()).toEqual([])
    await worker.rounds(2, minute, [stale, low])
    now += 60 * minute
    await scheduler.rounds(1, minute, [stale, low])
    expect(told().sort()).toEqual(['begun GAS_LOW', 'begun LOOK_STALE', 'digest DAILY_DIGEST'])
    await scheduler.close()
    await worker.close()
  })

  test('the error that ends a bot is told last, and under a halt of the bot the halt alone', async () => {
    const ended = { ...item('BOT_ENDED', 'NONCE_FOREIGN', 'end'), severity: 'critical' as const }
    const bot = await open({ signal: AbortSignal.abort() })
    await bot.teller.run(
      async () => [],
      () => ended,
    )
    expect(told()).toEqual(['begun BOT_ENDED'])
    const stopped = { kind: 'halt', scope: 'strategy dca', code: 'BY_OPERATOR' } as const
    await bot.journal.locks.open({ ...stopped, reason: 'no more', expiresAt: undefined })
    const later = { ...ended, subject: 'JOURNAL_FULL' }
    await bot.teller.run(
      async () => [],
      () => later,
    )
    const before = ['begun BOT_ENDED', 'begun BOT_ENDED', 'begun BY_OPERATOR']
    expect(told().sort()).toEqual(before)
    const scope = `wallet 0x${'aa'.repeat(20)}`
    const halt = { kind: 'halt', scope, code: 'NONCE_SHARED', reason: 'a stranger' } as const
    await bot.journal.locks.open({ ...halt, expiresAt: undefined })
    const other = { ...ended, subject: 'NONCE_SHARED' }
    await bot.teller.run(
      async () => [],
      () => other,
    )
    expect(told().sort()).toEqual([...before, 'begun NONCE_SHARED'])
    await bot.close()
  })

  test('an end by the journal itself, which stores nothing more, is told by every channel all the same', async () => {
    const bot = await open()
    const full = async () => {
      throw ballastError('JOURNAL_FULL', 'The journal cannot grow.')
    }
    const offered: string[] = []
    const mail: Channel = {
      name: 'mail',
      offer: async ({ id, body }) => {
        offered.push(id, (JSON.parse(body) as { sentence: string }).sentence)
        return { reason: 'away', isAway: true, retryAfterMs: 0 }
      },
      close: async () => {},
    }
    const webhook = openChannels(
      { webhook: { url: secret(receiver.url), key: secret(key) } },
      silent,
    )
    const teller = createAlertTeller({
      ...{ clock, log: silent, hours: () => hours, currency: 'ETH' },
      journal: { ...bot.journal, alerts: { ...bot.journal.alerts, begin: full } },
      source: { chainId: 1, wallet: '0xaa', mode: 'live' },
      // One that fails keeps no other from it.
      channels: [mail, ...webhook],
      signal: AbortSignal.abort(),
    })
    const ended = { ...item('BOT_ENDED', 'JOURNAL_FULL', 'end'), severity: 'critical' as const }
    await teller.run(
      async () => [],
      () => ended,
    )
    expect(told()).toEqual(['begun BOT_ENDED'])
    expect(JSON.parse(receiver.seen[0] ?? '')).toEqual({
      ...ended,
      ...{ event: 'begun', id: receiver.taken[0]?.id, at: iso(now) },
      ...{ chainId: 1, wallet: '0xaa', mode: 'live' },
    })
    expect(offered).toEqual([receiver.taken[0]?.id, ended.sentence])
    // A person who stopped it has nothing to hear.
    await teller.run(async () => [])
    expect(receiver.seen).toHaveLength(1)
    await bot.close()
  })

  test('a channel that is configured while something lasts is told of it, once', async () => {
    const never: Channel = {
      name: 'slack',
      offer: async () => ({ reason: 'away', isAway: true, retryAfterMs: 0 }),
      close: async () => {},
    }
    const first = await open({ channels: [never] })
    await first.rounds(3, 1_000, [stale])
    await first.close()
    expect(told()).toEqual([])
    const second = await open()
    await second.rounds(4, 1_000, [stale])
    await second.rounds(1, 1_000, [])
    await second.close()
    expect(told()).toEqual(['begun LOOK_STALE', 'ended LOOK_STALE'])
  })

  test('what begins and what ends is told once, signed; the end of a slot is no news', async () => {
    const bot = await open()
    await bot.rounds(3, 1_000, [stale, missed])
    await bot.rounds(3, 1_000, [low])
    await bot.rounds(2, 1_000, [low, stale])
    await bot.close()
    expect(told().slice(0, 2).sort()).toEqual(['begun LOOK_STALE', 'begun SLOT_MISSED'])
    expect(told().slice(2, 4).sort()).toEqual(['begun GAS_LOW', 'ended LOOK_STALE'])
    expect(told().slice(4)).toEqual(['begun LOOK_STALE'])
    expect(receiver.seen).toHaveLength(5)
    expect(JSON.parse(receiver.seen[4] ?? '')).toEqual({
      ...stale,
      ...{ event: 'begun', id: receiver.taken[4]?.id, at: iso(now - 1_000) },
      ...{ chainId: 1, wallet: '0xaa', mode: 'live' },
    })
  })

  test('429, an outage and restarts: nothing lost, nothing twice by id', async () => {
    receiver.replies.push(
      (answer) => answer.writeHead(429, { 'retry-after': '60' }).end(),
      (answer) => answer.writeHead(503).end(),
      // It took the event, and the answer was lost.
      (answer) => answer.socket?.destroy(),
    )
    const first = await open()
    await first.rounds(1, 1_000, [stale])
    await first.rounds(59, 1_000, [stale])
    expect(receiver.seen).toHaveLength(1)
    await first.rounds(1, 1_000, [stale])
    expect(receiver.seen).toHaveLength(2)
    await first.close()

    const { port } = receiver.server.address() as AddressInfo
    receiver.server.close()
    receiver.server.closeAllConnections()
    const second = await open()
    // Hours without a receiver; what ended meanwhile is told as well.
    await second.rounds(100, 60_000, [stale, low])
    await second.rounds(100, 60_000, [low])
    await second.close()
    expect(
      await place.rows('SELECT alert_id FROM alert_delivery WHERE delivered_at IS NULL'),
    ).toHaveLength(3)

    receiver.server.listen(port, '127.0.0.1')
    await once(receiver.server, 'listening')
    const third = await open()
    await third.rounds(200, 60_000, [low])
    await third.close()
    expect(told().sort()).toEqual(['begun GAS_LOW', 'begun LOOK_STALE', 'ended LOOK_STALE'])
    const order = told()
    expect(order.indexOf('begun LOOK_STALE')).toBeLessThan(order.indexOf('ended LOOK_STALE'))
    // Every try of an event has the same bytes, so that its id is enough to know it by.
    const bodies = new Set(receiver.seen)
    expect(bodies.size).toBe(3)
    expect(receiver.seen).toHaveLength(6)
    expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(3)
  })

  test('an event that the receiver refuses keeps no other back', async () => {
    receiver.replies.push((answer) => answer.writeHead(400).end())
    const bot = await open()
    await bot.rounds(1, 1_000, [stale, low])
    expect(receiver.taken).toHaveLength(1)
    await bot.rounds(1, 5_000, [stale, low])
    expect(told().sort()).toEqual(['begun GAS_LOW', 'begun LOOK_STALE'])
    await bot.close()
  })

  test('the halt that ends a bot is told before it is gone', async () => {
    const many = Array.from({ length: 20 }, (_, n) => item('SWAP_STUCK', `swap-${n}`, 'swap'))
    const ending = new AbortController()
    const bot = await open({ signal: ending.signal })
    const halt = { kind: 'halt', scope: 'all', code: 'LEDGER_DRIFT', reason: 'gone' } as const
    // Halt and signal come with the first of the twenty: it is the last of them.
    receiver.replies.push(async (answer) => {
      await bot.journal.locks.open({ ...halt, expiresAt: undefined })
      ending.abort()
      answer.end()
    })
    await bot.teller.run(async () => many)
    await bot.close()
    expect(receiver.seen.map((body) => JSON.parse(body).code)).toEqual([
      'SWAP_STUCK',
      'LEDGER_DRIFT',
    ])
  })

  test('a lock is told, and the process ends, while the node is silent', async () => {
    const ending = new AbortController()
    const bot = await open({ signal: ending.signal })
    const halt = { kind: 'halt', scope: 'all', code: 'LEDGER_DRIFT', reason: 'gone' } as const
    await bot.journal.locks.open({ ...halt, expiresAt: undefined })
    const running = bot.teller.run(() => new Promise<never>(() => {}))
    await expect.poll(told).toEqual(['begun LEDGER_DRIFT'])
    ending.abort()
    await running
    await bot.close()
  })

  test('what comes and goes with the node is told once', async () => {
    const ending = new AbortController()
    const bot = await open({ signal: ending.signal })
    const away = { ...item('HEAD_UNKNOWN', 'chain', 'head') }
    let round = 0
    await bot.teller.run(async () => {
      round += 1
      now += 5_000
      if (round === 240) ending.abort()
      return round % 12 < 2 ? [away] : [low]
    })
    await bot.close()
    expect(told()).toEqual(['begun GAS_LOW'])
  })

  test('a channel that takes its time keeps no other waiting', async () => {
    const ending = new AbortController()
    const slow = Promise.withResolvers<undefined>()
    const offered: string[] = []
    const channel = (name: Channel['name'], answer: () => Promise<undefined>): Channel => ({
      name,
      async offer({ body }) {
        offered.push(`${name} ${JSON.parse(body).code}`)
        return answer()
      },
      close: async () => {},
    })
    const bot = await open({
      signal: ending.signal,
      channels: [channel('mail', () => slow.promise), channel('slack', async () => undefined)],
    })
    await bot.teller.run(async () => {
      if (offered.includes('slack GAS_LOW')) {
        slow.resolve(undefined)
        ending.abort()
      }
      return offered.includes('slack LOOK_STALE') ? [stale, low] : [stale]
    })
    await bot.close()
    const of = (name: string) => offered.filter((one) => one.startsWith(name))
    expect(of('mail')).toEqual(['mail LOOK_STALE'])
    expect(of('slack')).toEqual(['slack LOOK_STALE', 'slack GAS_LOW'])
  })

  /** A receiver that is away until it is told otherwise, the codes of what it was offered, and what it took. */
  function awayChannel(retryAfterMs = 0) {
    const offered: string[] = []
    const taken: string[] = []
    const state = { isAway: true }
    const channel: Channel = {
      name: 'slack',
      async offer({ body }) {
        const { event, code } = JSON.parse(body)
        offered.push(code)
        if (state.isAway) return { reason: 'It is away.', retryAfterMs, isAway: true }
        taken.push(`${event} ${code}`)
        return undefined
      },
      close: async () => {},
    }
    return { channel, offered, taken, state }
  }

  test('a halt is offered at once while a receiver rests, and then rests like the others', async () => {
    const halted = { ...item('BY_API', 'lock 1', 'lock'), severity: 'critical' as const }
    const { channel, offered } = awayChannel(3_600_000)
    const bot = await open({ channels: [channel] })
    await bot.rounds(3, 5_000, [stale])
    expect(offered).toEqual(['LOOK_STALE'])
    await bot.rounds(3, 5_000, [stale, halted, low])
    expect(offered).toEqual(['LOOK_STALE', 'BY_API'])
    await bot.close()
  })

  test('a halt is offered at once behind many that rest and are due', async () => {
    const { channel, offered } = awayChannel()
    const many = Array.from({ length: 12 }, (_, n) => ({
      ...item('SWAP_STUCK', `swap-${n}`, 'swap'),
      severity: 'critical' as const,
    }))
    const halted = { ...item('BY_API', 'lock 1', 'lock'), severity: 'critical' as const }
    const bot = await open({ channels: [channel] })
    await bot.rounds(20, 5_000, many)
    offered.length = 0
    await bot.rounds(1, 50 * minute, [...many, halted])
    expect(offered).toEqual(['BY_API'])
    await bot.close()
  })

  test('a receiver that takes a halt is back for what rests, after the time that it asked for', async () => {
    const halted = { ...item('BY_API', 'lock 1', 'lock'), severity: 'critical' as const }
    for (const askedMs of [0, 30 * minute]) {
      const { channel, offered, state } = awayChannel(askedMs)
      const bot = await open({ channels: [channel] })
      await bot.rounds(20, 5 * minute, [stale])
      state.isAway = false
      offered.length = 0
      await bot.rounds(1, 1_000, [stale, halted])
      expect(offered).toEqual(['BY_API'])
      await bot.rounds(1, 1_000, [stale, halted])
      expect(offered.slice(1)).toEqual(askedMs === 0 ? ['LOOK_STALE'] : [])
      await bot.rounds(1, askedMs, [stale, halted])
      expect(offered.slice(1)).toEqual(['LOOK_STALE'])
      await bot.rounds(1, minute, [])
      await bot.close()
    }
  })

  /** A receiver that says that it was called, and nothing more. */
  const silentChannel = (onOffer: () => void): Channel => ({
    name: 'mail',
    offer() {
      onOffer()
      return new Promise(() => {})
    },
    close: async () => {},
  })

  test('an event in hand holds the end of a bot for three seconds', async () => {
    const ending = new AbortController()
    const offered = Promise.withResolvers<void>()
    const deadlines = heldDeadlines()
    const never = silentChannel(offered.resolve)
    const bot = await open({ signal: ending.signal, channels: [never] })
    let isOver = false
    const running = bot.teller
      .run(async () => [stale])
      .finally(() => {
        isOver = true
      })
    await offered.promise
    ending.abort()
    await expect.poll(() => deadlines.lengths()).toContain(3_000)
    expect(isOver).toBe(false)
    deadlines.pass(3_000)
    await running
    await bot.close()
  })

  test('the end of a bot waits three seconds for a receiver that is slow, and it is told by the next', async () => {
    const ended = { ...item('BOT_ENDED', 'NONCE_FOREIGN', 'end'), severity: 'critical' as const }
    const deadlines = heldDeadlines()
    const offered = Promise.withResolvers<void>()
    const never = silentChannel(offered.resolve)
    const bot = await open({ signal: AbortSignal.abort(), channels: [never] })
    const running = bot.teller.run(
      async () => [],
      () => ended,
    )
    await offered.promise
    await expect.poll(() => deadlines.lengths()).toContain(3_000)
    deadlines.pass(3_000)
    await running
    now += 3_600_000
    const due = await bot.journal.alerts.due({
      ...{ channel: 'mail', severities: ['critical'], limit: 9 },
    })
    expect(due.map(({ body }) => JSON.parse(body).code)).toEqual(['BOT_ENDED'])
    await bot.close()
  })

  test('what is critical is told before what waited longer', async () => {
    const many = Array.from({ length: 12 }, (_, n) => item('SWAP_STUCK', `swap-${n}`, 'swap'))
    receiver.replies.push((answer) => answer.writeHead(503).end())
    const bot = await open()
    await bot.rounds(1, 1_000, many)
    const halted: AlertItem = { ...item('LEDGER_DRIFT', 'all', 'lock'), severity: 'critical' }
    await bot.rounds(1, 10_000, [...many, halted])
    await bot.close()
    expect(told()[0]).toBe('begun LEDGER_DRIFT')
  })

  test('a clock that is set back: what waits is offered, and no end before its begin', async () => {
    receiver.replies.push((answer) => answer.writeHead(503).end())
    const bot = await open()
    now = start + 86_400_000
    await bot.rounds(1, 0, [stale])
    expect(receiver.seen).toHaveLength(1)
    now = start
    await bot.rounds(2, 10_000, [])
    expect(told()).toEqual(['begun LOOK_STALE', 'ended LOOK_STALE'])
    await bot.close()
  })

  test('what waits and what is kept is bounded; the oldest make room', async () => {
    receiver.replies.push(
      ...Array.from({ length: 2 }, () => (answer: ServerResponse) => answer.writeHead(503).end()),
    )
    const many = Array.from({ length: 7 }, (_, n) => item('SWAP_STUCK', `swap-${n}`, 'swap'))
    const bot = await open()
    const waiting = () =>
      place.rows('SELECT alert_id FROM alert_delivery WHERE delivered_at IS NULL')
    // A receiver that was away for long: room is left for two of the seven.
    const old = Array.from(
      { length: 998 },
      (_, n) => `('old-${n}', 'webhook', 9, ${2 * start}, NULL)`,
    )
    const over = Array.from(
      { length: 998 },
      (_, n) => `('old-${n}', 'old-${n}', 'warning', '{}', ${start}, ${start})`,
    )
    await place.exec(
      `INSERT INTO alert (id, topic, severity, body, at, over_at) VALUES ${over.join()}`,
    )
    await place.exec(`INSERT INTO alert_delivery VALUES ${old.join()}`)
    await bot.rounds(1, 1_000, many)
    expect(await waiting()).toHaveLength(1_000)
    await place.exec(`UPDATE alert_delivery SET delivered_at = 1 WHERE alert_id LIKE 'old-%'`)
    await bot.rounds(12, 10_000, many)
    expect(await waiting()).toEqual([])
    expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(7)
    await bot.rounds(1, 31 * 86_400_000, many.slice(0, 1))
    await bot.rounds(1, 31 * 86_400_000, many.slice(0, 1))
    expect((await place.rows('SELECT topic FROM alert WHERE over_at IS NULL')).length).toBe(1)
    expect((await place.rows('SELECT topic FROM alert')).length).toBeLessThanOrEqual(7)
    await bot.close()
  })

  test('what was taken while the journal stored nothing is sent once, and stored once it can be', async () => {
    const bot = await open()
    let isFull = true
    const { delivered } = bot.journal.alerts
    const alerts: typeof bot.journal.alerts = {
      ...bot.journal.alerts,
      delivered: async (one) => {
        if (isFull) throw ballastError('JOURNAL_FULL', 'The journal cannot grow.')
        await delivered(one)
      },
    }
    const full = await open({ journal: { ...bot.journal, alerts } })
    const { teller } = full
    const many = Array.from({ length: 12 }, (_, n) => item('SWAP_STUCK', `swap-${n}`, 'swap'))
    await teller.record(many)
    for (let round = 0; round < 5; round += 1)
      await expect(teller.deliver()).rejects.toMatchObject({ code: 'JOURNAL_FULL' })
    expect(receiver.seen).toHaveLength(12)
    isFull = false
    await teller.deliver()
    expect(receiver.seen).toHaveLength(12)
    expect(
      await place.rows('SELECT alert_id FROM alert_delivery WHERE delivered_at IS NULL'),
    ).toEqual([])
    await full.close()
    await bot.close()
  })

  test('a channel that is back while the journal stores nothing is offered what waited once it can be stored', async () => {
    const bot = await open()
    let [isFull, isAway] = [false, true]
    const { delivered } = bot.journal.alerts
    const alerts: typeof bot.journal.alerts = {
      ...bot.journal.alerts,
      delivered: async (one) => {
        if (isFull) throw ballastError('JOURNAL_FULL', 'The journal cannot grow.')
        await delivered(one)
      },
    }
    const heard: string[] = []
    const channel = {
      name: 'webhook' as const,
      async offer({ body }: { readonly body: string }) {
        if (isAway) return { reason: 'answered with 503', isAway: true, retryAfterMs: 0 }
        heard.push(JSON.parse(body).code)
        return undefined
      },
      close: async () => {},
    }
    const full = await open({ journal: { ...bot.journal, alerts }, channels: [channel] })
    await full.rounds(180, minute, [low])
    ;[isFull, isAway] = [true, false]
    const ended = { ...item('BOT_ENDED', 'NONCE_FOREIGN', 'end'), severity: 'critical' as const }
    await expect(full.rounds(1, minute, [low, ended])).rejects.toMatchObject({
      code: 'JOURNAL_FULL',
    })
    expect(heard).toEqual(['BOT_ENDED'])
    isFull = false
    await full.rounds(2, minute, [low, ended])
    expect(heard).toEqual(['BOT_ENDED', 'GAS_LOW'])
    await full.close()
    await bot.close()
  })

  test('what a channel refuses for good keeps nothing back that begins again', async () => {
    const heard: string[] = []
    const bot = await open({
      channels: [
        {
          name: 'webhook',
          async offer({ body }) {
            const { event, code, sentence } = JSON.parse(body)
            if (sentence.includes('first') || `${event} ${code}` === 'ended GAS_LOW')
              return { reason: 'answered with 400', isAway: false, retryAfterMs: 0 }
            heard.push(`${event} ${code}`)
            return undefined
          },
          close: async () => {},
        },
      ],
    })
    const ended = { ...item('BOT_ENDED', 'NONCE_FOREIGN', 'end'), severity: 'critical' as const }
    await bot.rounds(5, minute, [{ ...ended, sentence: 'The first end.' }])
    await bot.rounds(60, minute, [low])
    await bot.rounds(2, minute, [ended])
    await bot.rounds(1, minute, [low])
    // Without the end between them, which was refused.
    expect(heard).toEqual(['begun GAS_LOW', 'begun BOT_ENDED', 'ended BOT_ENDED', 'begun GAS_LOW'])
    await bot.close()
  })

  test('a channel that takes nothing is known by what comes and goes, and then hears of it in order', async () => {
    const { channel, taken, state } = awayChannel()
    const bot = await open({ channels: [channel] })
    for (const items of [[stale], [], [stale], [], [stale]]) await bot.rounds(5, minute, items)
    const [refused] = await bot.journal.alerts.undelivered()
    expect(refused).toMatchObject({ channel: 'slack', at: start + minute })
    // As many as ALERTS_UNDELIVERED takes.
    expect(refused?.tries).toBeGreaterThanOrEqual(8)
    await bot.rounds(1, minute, [])
    state.isAway = false
    await bot.rounds(8, 60 * minute, [])
    const both = ['begun LOOK_STALE', 'ended LOOK_STALE']
    expect(taken).toEqual([...both, ...both, ...both])
    expect(await bot.journal.alerts.undelivered()).toEqual([])
    await bot.close()
  })

  test('what a channel refuses is known from the journal, until it is taken or the channel is gone', async () => {
    const refuses = new Set(['LOOK_STALE', 'GAS_LOW', 'DAILY_DIGEST'])
    const slack: Channel = {
      name: 'slack',
      offer: async ({ body }) =>
        refuses.has((JSON.parse(body) as Event).code)
          ? { reason: 'Slack answered with 404', isAway: false, retryAfterMs: 0 }
          : undefined,
      close: async () => {},
    }
    let quiet: AlertHours['quiet'] = { from: 0, to: 1_439 }
    const channels = [
      slack,
      ...openChannels({ webhook: { url: secret(receiver.url), key: secret(key) } }, silent),
    ]
    const bot = await open({ channels, hours: () => ({ ...hours, quiet }) })
    const { undelivered } = bot.journal.alerts
    const lasting = [stale, low]
    // Held back, and never tried.
    await bot.rounds(3, 600_000, lasting)
    expect(await undelivered()).toEqual([])
    quiet = undefined
    await bot.rounds(1, 1_000, lasting)
    const since = [{ channel: 'slack', at: start + 600_000 }]
    expect(await undelivered()).toMatchObject(since)
    // What lasts is undelivered although others are taken; its own alert does not keep it so.
    refuses.add('ALERTS_UNDELIVERED')
    const told = item('ALERTS_UNDELIVERED', 'slack', 'alert')
    await bot.rounds(3, 600_000, [...lasting, missed, told])
    expect(await undelivered()).toMatchObject(since)
    refuses.delete('GAS_LOW')
    refuses.delete('LOOK_STALE')
    await bot.rounds(3, 3_600_000, [...lasting, told])
    expect(await undelivered()).toEqual([])
    // What is over counts while nothing else is taken: a receiver may refuse one event for good.
    const [first, second] = [item('SLOT_FAILED', 'a', 'slot'), item('SLOT_FAILED', 'b', 'slot')]
    refuses.add('SLOT_FAILED')
    await bot.rounds(2, 1_000, [...lasting, first])
    await bot.rounds(1, 1_000, lasting)
    expect(await undelivered()).toMatchObject([{ channel: 'slack' }])
    await bot.rounds(1, 1_000, [...lasting, missed])
    await bot.rounds(1, 1_000, lasting)
    await bot.rounds(1, 1_000, [...lasting, missed])
    expect(await undelivered()).toEqual([])
    await bot.rounds(1, 1_000, [...lasting, second])
    expect(await undelivered()).toMatchObject([{ channel: 'slack' }])
    await bot.close()
    // The next start has another channel, or none: what it is not told raises nothing for ever.
    const next = await open()
    await next.rounds(1, 1_000, lasting)
    expect(await next.journal.alerts.undelivered()).toEqual([])
    receiver.replies.push(
      ...Array.from({ length: 9 }, () => (answer: ServerResponse) => answer.writeHead(404).end()),
    )
    await next.rounds(1, 1_000, [...lasting, second])
    expect(await next.journal.alerts.undelivered()).toMatchObject([{ channel: 'webhook' }])
    await next.journal.alerts.prune({ channels: [] })
    expect(await next.journal.alerts.undelivered()).toEqual([])
    await next.close()
  })
})
