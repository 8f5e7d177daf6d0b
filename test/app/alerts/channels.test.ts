import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AlertHours } from '../../../src/app/alerts/alertHours.ts'
import { type Channel, timeoutMs } from '../../../src/app/alerts/channel.ts'
import { createAlertTeller } from '../../../src/app/alerts/createAlertTeller.ts'
import { openChannels } from '../../../src/app/alerts/openChannels.ts'
import { openMail } from '../../../src/app/alerts/openMail.ts'
import type { AlertItem } from '../../../src/bot/journal/alerts/alerts.ts'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { createLog } from '../../../src/bot/report/createLog.ts'
import type { Channels } from '../../../src/config/readChannels.ts'
import { secretUrl } from '../../../src/core/secret.ts'
import { heldDeadlines } from '../../support/heldDeadlines.ts'
import { type Place, places } from '../../support/journals.ts'
import { type Receiver, receivers, secrets } from './receivers.ts'

const start = Date.UTC(2026, 10, 22, 12)
const minute = 60_000
const item = (code: string, subject = 'weekly', kind = 'look'): AlertItem => ({
  ...{ kind, code, severity: 'warning', subject, since: new Date(start).toISOString() },
  ...{ sentence: `${code} <it> is & was.`, next: 'Look at "it".' },
})
const stale = item('LOOK_STALE')
const low = item('GAS_LOW', 'ETH', 'gas')

const always: AlertHours = { quiet: undefined, digest: undefined, timeZone: 'UTC' }
let hours = always

let place: Place
let now: number
let logged: string
const clock = { now: () => now, sleep: async () => {} }

beforeEach(async () => {
  now = start
  logged = ''
  hours = always
  const [file] = places
  if (file === undefined) throw new Error('a file is one of the places')
  place = await file.make()
})
afterEach(async () => {
  for (const one of Object.values(secrets)) expect(logged).not.toContain(one)
  await place.remove()
})

/** One process of a bot. */
async function open(channels: Channels) {
  const journal = await openJournal({ ...place, clock })
  const sink = (line: string) => {
    logged += line
  }
  const log = createLog({ level: 'debug', sink })
  const teller = createAlertTeller({
    ...{ journal, clock, log },
    ...{ hours: () => hours, currency: 'ETH' },
    source: { chainId: 1, wallet: '0xaa', mode: 'live' },
    signal: new AbortController().signal,
    channels: openChannels(channels, log),
  })
  return {
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
const waiting = async () =>
  (
    await place.rows<{ channel: string }>(
      'SELECT channel FROM alert_delivery WHERE delivered_at IS NULL',
    )
  ).map(({ channel }) => channel)

describe.each(receivers)('alerts by %s', (_name, startReceiver) => {
  let receiver: Receiver
  const ids = () => receiver.taken.map(({ id }) => id)
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(async () => {
    await receiver.stop()
  })

  test('an event is told once, with what it is, why and what to do', async () => {
    const bot = await open(receiver.channels)
    await bot.rounds(3, 1_000, [stale])
    await bot.close()
    expect(receiver.taken).toHaveLength(1)
    expect(ids()[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(receiver.taken[0]?.text).toContain('LOOK_STALE')
  })

  test('busy, away for hours, restarts: nothing lost, nothing twice', async () => {
    receiver.refusals.push('busy', 'away')
    const first = await open(receiver.channels)
    await first.rounds(4, 1_000, [stale])
    expect(receiver.asked()).toBe(1)
    await first.rounds(1, minute, [stale])
    expect(receiver.asked()).toBe(2)
    await first.close()

    await receiver.stop()
    const second = await open(receiver.channels)
    await second.rounds(6, 20 * minute, [stale, low])
    await second.rounds(6, 20 * minute, [low])
    await second.close()
    expect(await waiting()).toHaveLength(3)

    await receiver.start()
    const third = await open(receiver.channels)
    await third.rounds(10, 20 * minute, [low])
    await third.close()
    expect(await waiting()).toEqual([])
    expect(ids()).toHaveLength(3)
    expect(new Set(ids()).size).toBe(3)
  })

  test('while it is away, it is asked for one event each time and not for all that wait', async () => {
    receiver.refusals.push('away', 'away', 'away')
    const bot = await open(receiver.channels)
    const asked: number[] = []
    for (const stepMs of [1_000, 4_000, 1_000, 9_000, 1_000, 19_000, 1_000]) {
      await bot.rounds(1, stepMs, [stale, low, item('HEAD_STALE'), item('DISK_LOW')])
      asked.push(receiver.asked())
    }
    await bot.close()
    expect(asked).toEqual([1, 1, 2, 2, 3, 3, 7])
  })

  test('an answer that was lost: told again, under the same id', async () => {
    receiver.refusals.push('lost')
    const bot = await open(receiver.channels)
    await bot.rounds(2, minute, [stale])
    await bot.close()
    expect(ids()).toHaveLength(2)
    expect(new Set(ids()).size).toBe(1)
  })

  test('one that it refuses for what it says keeps no other back, and arrives', async () => {
    receiver.refusals.push('markup')
    const bot = await open(receiver.channels)
    await bot.rounds(3, minute, [stale, low])
    await bot.close()
    expect(await waiting()).toEqual([])
    expect(new Set(ids()).size).toBe(2)
    expect(ids()).toHaveLength(2)
  })

  test('its secrets are in no line of the log', async () => {
    receiver.refusals.push('busy', 'away', 'lost')
    const bot = await open(receiver.channels)
    await bot.rounds(6, 10 * minute, [stale])
    await receiver.stop()
    await bot.rounds(2, minute, [low])
    await bot.close()
    expect(logged).toContain('no alert: ')
  })
})

test.each(receivers.filter(([name]) => name !== 'mail'))(
  '%s says how long it wants to be left alone',
  async (_name, make) => {
    const receiver = await make()
    receiver.refusals.push('busy')
    const bot = await open(receiver.channels)
    await bot.rounds(6, 10_000, [stale, low])
    expect(receiver.asked()).toBe(1)
    await bot.rounds(1, 10_000, [stale, low])
    expect(receiver.asked()).toBe(3)
    await bot.close()
    await receiver.stop()
  },
)

test('markup that telegram refuses goes out as plain text at once', async () => {
  const telegram = await receivers.find(([name]) => name === 'telegram')?.[1]()
  if (telegram === undefined) throw new Error('there is a telegram')
  telegram.refusals.push('markup')
  const bot = await open(telegram.channels)
  await bot.rounds(1, 1_000, [stale])
  await bot.rounds(1, 1_000, [stale, low])
  await bot.close()
  await telegram.stop()
  const [plain, marked] = telegram.taken.map(({ text }) => text)
  expect(plain).toMatch(/^WARNING LOOK_STALE: weekly\nLOOK_STALE <it> is & was\.\nNext: /)
  expect(marked).toMatch(/^<b>WARNING GAS_LOW: ETH<\/b>\nGAS_LOW &lt;it&gt; is &amp; was\.\n/)
})

test('a channel that is away keeps no other back, and a new one begins with what is new', async () => {
  const all = await Promise.all(receivers.map(([, make]) => make()))
  const [webhook, telegram, slack, mail] = all
  if (!webhook || !telegram || !slack || !mail) throw new Error('there are four')
  await telegram.stop()
  const { webhook: hook } = webhook.channels
  const first = await open({ ...telegram.channels, ...slack.channels, ...mail.channels })
  await first.rounds(5, minute, [stale])
  expect([slack, mail].map(({ taken }) => taken.length)).toEqual([1, 1])
  expect(await waiting()).toEqual(['telegram'])
  await first.rounds(2, minute, [])
  expect([slack, mail].map(({ taken }) => taken.length)).toEqual([2, 2])
  await first.close()
  await telegram.start()
  const second = await open({ ...telegram.channels, ...(hook && { webhook: hook }) })
  await second.rounds(5, 10 * minute, [stale, low])
  await second.close()
  // Of what began again while it was away, the one that was away hears the last begin.
  expect(all.map(({ taken }) => taken.length)).toEqual([2, 2, 2, 2])
  for (const one of all) await one.stop().catch(() => {})
})

test.each(places)(
  'a channel that takes nothing for weeks keeps what lasts, and takes no place of another, on $dialect',
  async ({ make }) => {
    const own = await make()
    const journal = await openJournal({ ...own, clock })
    const source = { chainId: 1, wallet: '0xaa', mode: 'live' }
    const told = { source, channels: ['slack', 'mail'] }
    const dueOf = async (channel: string) =>
      (
        await journal.alerts.due({ channel, severities: ['critical', 'warning'], limit: 3_000 })
      ).map(({ id, body }) => ({ id, ...JSON.parse(body) }))
    const full = { ...item('DISK_LOW', '/data', 'disk'), severity: 'critical' as const }
    const lasting = Array.from({ length: 900 }, (_, nth) => item('LOOK_STALE', `strategy ${nth}`))
    const passing = Array.from({ length: 200 }, (_, nth) => item('GAS_LOW', `coin ${nth}`, 'gas'))
    await journal.alerts.begin({ items: [full], ...told })
    now += minute
    await journal.alerts.begin({ items: [full, ...passing], ...told })
    now += minute
    await journal.alerts.end({ items: [full], ...told })
    for (const { id } of await dueOf('mail'))
      await journal.alerts.delivered({ id, channel: 'mail' })
    for (const { id } of await dueOf('mail'))
      await journal.alerts.delivered({ id, channel: 'mail' })
    now += minute
    await journal.alerts.begin({ items: [full, ...lasting], ...told })
    const [slack, mail] = [await dueOf('slack'), await dueOf('mail')]
    expect(mail).toHaveLength(900)
    // Of 1 + 200 + 200 + 900 the 301 oldest that are over made room.
    expect([slack.length, await waitingOf(own, 'slack')]).toEqual([1_000, 1_000])
    const codes = slack.map(({ code }) => code)
    expect([codes[0], codes.filter((code) => code === 'LOOK_STALE').length]).toEqual([
      ...['DISK_LOW', 900],
    ])
    await journal.shut()
    await own.remove()
  },
)
const waitingOf = async (own: Place, channel: string) =>
  (
    await own.rows(
      `SELECT alert_id FROM alert_delivery WHERE delivered_at IS NULL AND channel = '${channel}'`,
    )
  ).length

test('a mail server that answers without end keeps no other back, nor the end of the bot', async () => {
  const [webhook] = await Promise.all(receivers.slice(0, 1).map(([, make]) => make()))
  if (webhook === undefined) throw new Error('there is a webhook')
  // Each line comes long before a connection counts as silent.
  let lines = 0
  const tarpit = createServer((socket) => {
    socket.write('220 hello\r\n')
    const drip = setInterval(() => {
      lines += 1
      socket.write('250-wait\r\n')
    }, 50)
    socket.on('error', () => undefined).on('close', () => clearInterval(drip))
    socket.resume()
  }).listen(0, '127.0.0.1')
  await once(tarpit, 'listening')
  const { port } = tarpit.address() as AddressInfo
  const url = secretUrl(`smtp://127.0.0.1:${port}`)
  const mail = { url, from: 'a@b.example', to: ['c@d.example'] }
  const deadlines = heldDeadlines()
  const bot = await open({ ...webhook.channels, mail })
  const round = bot.rounds(1, 1_000, [stale])
  await expect.poll(() => [webhook.taken.length, lines > 3]).toEqual([1, true])
  deadlines.passNewest(2 * timeoutMs)
  await round
  expect(await waiting()).toEqual(['mail'])
  expect(logged).toContain('the mail server did not take it')
  await bot.close()
  // Without a connection that is left behind.
  await new Promise((resolve) => tarpit.close(resolve))
  await webhook.stop()
})

describe('when people are told', () => {
  let slack: Receiver
  const told = () => slack.taken.map(({ text }) => /^\*?(\w+ \w+)/.exec(text)?.[1])
  beforeEach(async () => {
    const found = await receivers.find(([name]) => name === 'slack')?.[1]()
    if (found === undefined) throw new Error('there is a slack')
    slack = found
  })
  afterEach(async () => {
    await slack.stop()
  })

  test('in quiet hours only what is critical; the rest waits for their end, over a restart too', async () => {
    // It is 12:00 UTC: 13:00 in Berlin.
    hours = { ...always, quiet: { from: 13 * 60, to: 15 * 60 }, timeZone: 'Europe/Berlin' }
    const full = { ...item('DISK_LOW', '/data', 'disk'), severity: 'critical' as const }
    const paused = { ...item('BY_OPERATOR', 'lock 1', 'lock'), severity: 'info' as const }
    const first = await open(slack.channels)
    await first.rounds(2, minute, [stale, full, paused])
    await first.close()
    expect(told()).toEqual(['CRITICAL DISK_LOW'])
    const second = await open(slack.channels)
    await second.rounds(1, 117 * minute, [stale, full, paused])
    expect(told()).toHaveLength(1)
    await second.rounds(1, minute, [stale, full, paused])
    await second.close()
    expect(told().slice(1).sort()).toEqual(['INFO BY_OPERATOR', 'WARNING LOOK_STALE'])
  })

  test('one digest a day at its time, over restarts too, and late rather than never', async () => {
    hours = { ...always, digest: 14 * 60, timeZone: 'Europe/Berlin' }
    const first = await open(slack.channels)
    await first.rounds(5, 10 * minute, [])
    expect(told()).toEqual([])
    await first.rounds(5, 10 * minute, [stale])
    await first.close()
    const digests = () => slack.taken.filter(({ text }) => text.includes('DAILY_DIGEST'))
    expect(digests()).toHaveLength(1)
    expect(digests()[0]?.text).toMatch(
      /^\*INFO DAILY_DIGEST: 2026-11-22\*\nSwaps of the last 24 hours: none\. .*Needs attention now: LOOK_STALE \([^)]+\)\.\nNext: ballast report\n/,
    )
    const second = await open(slack.channels)
    await second.rounds(3, minute, [])
    expect(digests()).toHaveLength(1)
    // It was down at 14:00 of the next day.
    await second.rounds(1, 30 * 60 * minute, [])
    await second.rounds(2, minute, [])
    await second.close()
    expect(digests()).toHaveLength(2)
    expect(digests()[1]?.text).toContain('Nothing needs attention now.')
  })
})

describe('a mail that the server takes for one of two', () => {
  /** What the server answers to the second recipient, whom it names by a domain in small letters. */
  let answer: string
  let told: string[]
  let text: string
  let logs: string
  let mail: Channel
  let server: Server
  beforeEach(async () => {
    told = []
    logs = ''
    server = createServer((socket) => {
      socket.write('220 hello\r\n')
      let isBody = false
      socket.on('data', (chunk) => {
        for (const line of String(chunk).split('\r\n').slice(0, -1)) {
          if (isBody) text += `${line}\n`
          if (isBody && line !== '.') continue
          isBody = line === 'DATA'
          if (isBody) text = ''
          const reply = line.startsWith('RCPT TO:<second@') ? answer : '250 ok'
          if (reply.startsWith('2') && line.startsWith('RCPT')) told.push(line.slice(9, 14))
          socket.write(isBody ? '354 go\r\n' : `${reply}\r\n`)
        }
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const url = secretUrl(`smtp://127.0.0.1:${port}`)
    const sink = (line: string) => {
      logs += line
    }
    const to = ['first@d.example', 'second@D.Example']
    mail = openMail({ url, from: 'a@b.example', to }, createLog({ level: 'warn', sink }))
  })
  afterEach(async () => {
    await mail.close()
    server.close()
  })
  const offer = (id: string, tries = 0) =>
    mail.offer({
      ...{ id, tries },
      body: JSON.stringify({
        ...{ id, event: 'begun', severity: 'critical', code: 'SHORTFALL', subject: 'a swap' },
        ...{ since: '', sentence: 'less came', next: 'look' },
        ...{ chainId: 1, wallet: '0x', mode: 'live' },
      }),
    })
  const notBoth = {
    reason: 'the mail server did not take it for 1 of 2 recipients',
    ...{ retryAfterMs: 0, isAway: false },
  }

  test('has not told the other', async () => {
    answer = '450 later'
    expect(await offer('1')).toEqual(notBoth)
    // Nothing else waits for the one.
    expect(await offer('1', 1)).toEqual(notBoth)
    answer = '250 ok'
    expect(await offer('1', 2)).toBeUndefined()
    // Nobody is told twice.
    expect(told).toEqual(['first', 'secon'])
  })

  test('is taken where the other is refused for good, and the next names him', async () => {
    answer = '550 no such user'
    expect(await offer('1')).toBeUndefined()
    expect(text).not.toContain('refuses')
    expect(await offer('2')).toBeUndefined()
    expect(text).toContain('The mail server refuses second@d.example')
    expect(logs).toContain('the mail server does not take it for 1 of 2 recipients')
    expect(logs).not.toContain('second')
    answer = '250 ok'
    expect(await offer('3')).toBeUndefined()
    expect(await offer('4')).toBeUndefined()
    expect(text).not.toContain('refuses')
    expect(told).toEqual(['first', 'first', 'first', 'secon', 'first', 'secon'])
  })

  test('is taken where the other is refused for good later, or for now too often', async () => {
    answer = '450 later'
    expect(await offer('1')).toEqual(notBoth)
    answer = '550 no such user'
    expect(await offer('1', 1)).toBeUndefined()
    answer = '450 later'
    expect(await offer('2', 8)).toBeUndefined()
    expect(told).toEqual(['first', 'first'])
  })
})
