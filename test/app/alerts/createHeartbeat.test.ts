import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHeartbeat, hindranceIn } from '../../../src/app/alerts/createHeartbeat.ts'
import type { AlertItem } from '../../../src/bot/journal/alerts/alerts.ts'
import { createLog } from '../../../src/bot/report/createLog.ts'
import type { Clock } from '../../../src/core/clock.ts'
import { secretUrl } from '../../../src/core/secret.ts'
import { silent } from '../../support/silent.ts'

/** A service that alarms when no request came for a while. */
async function startSwitch() {
  const heard: string[] = []
  let [status, body] = [200, 'OK']
  const server = createServer((request, answer) => {
    heard.push(`${request.method} ${request.url}`)
    answer.writeHead(status).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    heard,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/key-of-the-switch-test`,
    answerWith: (next: number, text = 'OK') => {
      status = next
      body = text
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

let dead: Awaited<ReturnType<typeof startSwitch>>
beforeEach(async () => {
  dead = await startSwitch()
})
afterEach(() => dead.stop())

const item = (
  kind: string,
  code: string,
  severity: AlertItem['severity'] = 'warning',
): AlertItem => ({
  ...{ kind, code, severity, subject: '', since: '', sentence: '', next: '' },
})
const halted = item('lock', 'SHORTFALL', 'critical')
const refusing = item('alert', 'ALERTS_UNDELIVERED')

const ping = 'GET /ping/key-of-the-switch-test'

test('a beat a minute while it can look, and none while it cannot', async () => {
  const minutes: (readonly AlertItem[] | 'broken' | 'refused')[] = [
    [],
    [halted],
    [item('look', 'LOOK_STALE')],
    [item('head', 'HEAD_UNKNOWN')],
    'broken',
    'refused',
    [],
  ]
  const beats: number[] = []
  const ending = new AbortController()
  const slept: number[] = []
  let minute = 0
  const clock: Clock = {
    now: () => 0,
    async sleep(ms) {
      slept.push(ms)
      beats.push(dead.heard.length)
      minute += 1
      if (minute > minutes.length) ending.abort()
    },
  }
  let logged = ''
  const sink = (line: string) => {
    logged += line
  }
  const heartbeat = createHeartbeat({
    url: secretUrl(dead.url),
    async hindrance() {
      const now = minutes[minute - 1] ?? []
      dead.answerWith(now === 'refused' ? 503 : 200)
      if (now === 'broken') throw new Error('the journal is gone')
      return now === 'refused' ? undefined : hindranceIn(now, ['slack'])
    },
    ...{ clock, log: createLog({ level: 'debug', sink }) },
  })
  await heartbeat.run(ending.signal)
  await heartbeat.close()
  expect(beats).toEqual([0, 1, 2, 2, 2, 2, 3, 4])
  expect(dead.heard).toEqual(Array(4).fill(ping))
  expect(new Set(slept)).toEqual(new Set([60_000]))
  expect(logged).toMatch(/LOOK_STALE.*HEAD_UNKNOWN.*journal is gone.*answered with 503/s)
  expect(logged).not.toContain('key-of-the-switch')
})

test('where every channel refuses, or there is none, the switch alone tells of it', () => {
  const found = (channels: readonly string[], ...items: readonly AlertItem[]) =>
    hindranceIn(items, channels)?.code
  expect(found(['slack', 'mail'], halted, refusing)).toBeUndefined()
  expect(found(['slack', 'mail'], halted, refusing, refusing)).toBe('ALERTS_UNDELIVERED')
  expect(found(['slack'], refusing)).toBe('ALERTS_UNDELIVERED')
  expect(found([])).toBeUndefined()
  expect(found([], item('lock', 'CLOCK_SKEW'), item('lock', 'BY_OPERATOR', 'info'))).toBe(undefined)
  expect(found([], item('swap', 'SWAP_STUCK', 'critical'))).toBeUndefined()
  expect(found([], item('gas', 'GAS_LOW'), halted)).toBe('SHORTFALL')
})

test('a check that was deleted is answered with 200 as well: the log says so', async () => {
  const ending = new AbortController()
  let sleeps = 0
  const sleep = async () => {
    sleeps += 1
    if (sleeps > 1) ending.abort()
  }
  const errors: unknown[] = []
  dead.answerWith(200, 'OK (not found)')
  const heartbeat = createHeartbeat({
    ...{
      url: secretUrl(dead.url),
      hindrance: async () => undefined,
      clock: { now: () => 0, sleep },
    },
    log: { ...silent, error: (...said: readonly unknown[]) => errors.push(...said) },
  })
  await heartbeat.run(ending.signal)
  await heartbeat.close()
  expect(errors).toEqual(['heartbeat: the dead-man switch answered OK (not found)'])
})

test('a bot that ends within its first minute, over and over, has no beat', async () => {
  for (let start = 0; start < 3; start += 1) {
    const ending = new AbortController()
    const clock: Clock = { now: () => 0, sleep: async () => ending.abort() }
    const url = secretUrl(dead.url)
    const heartbeat = createHeartbeat({ url, hindrance: async () => undefined, clock, log: silent })
    await heartbeat.run(ending.signal)
    await heartbeat.close()
  }
  expect(dead.heard).toEqual([])
})

test('a bot that ends while it looks has no beat', async () => {
  const ending = new AbortController()
  const heartbeat = createHeartbeat({
    url: secretUrl(dead.url),
    async hindrance() {
      ending.abort()
      return undefined
    },
    ...{ clock: { now: () => 0, sleep: async () => {} }, log: silent },
  })
  await heartbeat.run(ending.signal)
  await heartbeat.close()
  expect(dead.heard).toEqual([])
})

test('a process that is killed is noticed', async () => {
  const root = join(import.meta.dirname, '../../..')
  // A minute of it takes 20 ms.
  const script = `
    import { createHeartbeat } from '${root}/src/app/alerts/createHeartbeat.ts'
    import { secretUrl } from '${root}/src/core/secret.ts'
    import { setTimeout } from 'node:timers/promises'
    const clock = { now: Date.now, sleep: () => setTimeout(20) }
    const log = { warn: console.log, error: console.log }
    const url = secretUrl('${dead.url}')
    await createHeartbeat({ url, clock, log, hindrance: async () => undefined }).run(new AbortController().signal)
  `
  const bot = spawn(process.execPath, ['--input-type=module', '-e', script])
  const ended = once(bot, 'close')
  await expect.poll(() => dead.heard.length, { timeout: 120_000 }).toBeGreaterThan(3)
  bot.kill('SIGKILL')
  await ended
  // What was on its way has arrived when the switch hears nothing in twenty-five minutes of that clock.
  let before = -1
  await expect
    .poll(
      () => {
        const isSilent = before === dead.heard.length
        before = dead.heard.length
        return isSilent
      },
      { interval: 500, timeout: 120_000 },
    )
    .toBe(true)
})
