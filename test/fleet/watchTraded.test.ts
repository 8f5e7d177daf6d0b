import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Member } from '../../src/app/fleet/members.ts'
import { gapsWith, untradedSince, watchTraded } from '../../src/app/fleet/watchTraded.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { attentionText, lockItem } from '../../src/bot/report/attention.ts'
import { createLog } from '../../src/bot/report/createLog.ts'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import type { Clock } from '../../src/core/clock.ts'
import {
  sampleBytes,
  samplePlan,
  sampleQuote,
  wallet as walletOfSwap,
} from '../bot/journal/sampleSwap.ts'
import { goodYaml } from '../config/goodYaml.ts'

/** A receiver of alerts and of heartbeats; a minute of the fleet passes in some milliseconds. */

let over: AbortController
let told: { event: string; code: string; subject: string }[] = []
let beats = 0
let logged: string[] = []
let members: readonly Member[] = []
let seen = () => members
let watching: Promise<void>
let undo: (() => unknown)[] = []
let now = Date.UTC(2026, 10, 24)

const clock: Clock = {
  now: () => now,
  async sleep(ms, signal) {
    now += ms
    await delay(2)
    if (signal?.aborted) throw signal.reason
  },
}
const member = (wallets: readonly string[]): Member => ({
  ...{ id: 'one', role: 'worker', blind: [] },
  wallets,
})

async function start(
  names: readonly string[],
  before: (configOf: (wallet: string) => Config) => Promise<unknown> = async () => {},
  channels?: Config['channels'],
) {
  const server = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.method === 'GET') beats += 1
    else told.push(JSON.parse(Buffer.concat(chunks).toString()))
    answer.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-untraded-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
  const environment = {
    WEBHOOK_URL: `http://127.0.0.1:${port}/hook`,
    WEBHOOK_SECRET: 'key-of-a-test-that-is-long-enough-0123456789',
    HEARTBEAT_URL: `http://127.0.0.1:${port}/alive`,
  }
  const config = loadConfig({ file: 'ballast.yaml', environment, cwd })
  const configOf = (wallet: string) => ({
    ...{ ...config, channels: channels ?? config.channels },
    database: { dialect: 'sqlite', path: join(cwd, `${wallet}.db`) } as const,
  })
  await before(configOf)
  over = new AbortController()
  watching = watchTraded({
    ...{ paper: false, configOf, wallets: () => names, clock },
    log: createLog({ level: 'warn', sink: (line) => logged.push(line) }),
    present: async () => seen(),
    signal: over.signal,
  })
  undo.push(() => server.close())
}

beforeEach(() => {
  ;[told, beats, undo, logged] = [[], 0, [], []]
  seen = () => members
})
afterEach(async () => {
  over.abort()
  await watching
  for (const each of undo) each()
})

test('a wallet that nobody trades is told of once, and the heartbeat is silent', async () => {
  members = [member(['one', 'two'])]
  await start(['one', 'two'])
  await expect.poll(() => beats).toBeGreaterThan(2)
  expect(told).toEqual([])
  members = [member(['one'])]
  await expect
    .poll(() => told)
    .toMatchObject([{ event: 'begun', code: 'WALLET_NOT_TRADED', subject: 'two' }])
  const heard = beats
  const silence = now
  await expect.poll(() => now).toBeGreaterThan(silence + 30 * 60_000)
  expect([told.length, beats - heard <= 1]).toEqual([1, true])
  members = [member(['one']), member(['two'])]
  await expect.poll(() => beats).toBeGreaterThan(heard + 2)
})

test('a wallet that is taken and ends over and over is told of once, and the heartbeat is silent', async () => {
  members = [member(['one'])]
  await start(['one'])
  await expect.poll(() => beats).toBeGreaterThan(2)
  let looks = 0
  seen = () => {
    looks += 1
    // Watch and heartbeat look by turns: each second look would be of one of them alone.
    return [member(looks % 3 === 0 ? ['one'] : [])]
  }
  await expect.poll(() => told).toMatchObject([{ event: 'begun', code: 'WALLET_NOT_TRADED' }])
  const [heard, begun] = [beats, now]
  await expect.poll(() => now).toBeGreaterThan(begun + 30 * 60_000)
  expect([told.length, beats - heard <= 1]).toEqual([1, true])
  seen = () => members
  await expect.poll(() => beats).toBeGreaterThan(heard + 2)
})

test('gaps: a handover of seconds is none, each or all of them; three that last are', () => {
  const after = (traded: readonly (readonly [number, boolean])[]) =>
    untradedSince(
      traded.reduce<ReturnType<typeof gapsWith>>(
        (gaps, [second, isTraded]) => gapsWith(gaps, { now: second * 1_000, isTraded }),
        [],
      ),
    )
  expect(after([[0, false]])).toBeUndefined()
  expect(
    after([
      [0, false],
      [60, false],
    ]),
  ).toBeUndefined()
  expect(
    after([
      [0, false],
      [61, false],
    ]),
  ).toBe(0)
  expect(
    after([
      [0, false],
      [61, true],
    ]),
  ).toBeUndefined()
  const gap = (at: number, lasts: number) =>
    [
      [at, false],
      [at + lasts, true],
    ] as const
  expect(after([...gap(0, 40), ...gap(100, 40)])).toBeUndefined()
  expect(after([...gap(0, 20), ...gap(100, 20), ...gap(200, 20)])).toBeUndefined()
  expect(after([...gap(0, 20), ...gap(100, 20), ...gap(200, 21)])).toBe(0)
  // The first one is ten minutes old.
  expect(after([...gap(0, 20), ...gap(100, 20), ...gap(200, 21), [620, true]])).toBeUndefined()
  expect(after([...gap(0, 20), ...gap(100, 20), ...gap(200, 21), [619, true]])).toBe(0)
  // A clock that was set back.
  expect(
    after([
      [500, false],
      [561, false],
      [400, false],
    ]),
  ).toBeUndefined()
})

const held =
  (kind: 'drain' | 'halt', scope: string) => async (configOf: (wallet: string) => Config) => {
    const { database, haltFile } = configOf('one')
    const journal = await openJournal({ database, haltFile, clock })
    await journal.locks.open({
      ...{ kind, scope, code: 'BY_OPERATOR', reason: 'x', expiresAt: undefined },
    })
    await journal.shut()
  }

test('one of which a person drained a strategy is told of all the same', async () => {
  members = [member([])]
  await start(['one'], held('drain', 'strategy sell-strength'))
  await expect.poll(() => told).toMatchObject([{ event: 'begun', code: 'WALLET_NOT_TRADED' }])
})

test('one that a person drained is no news', async () => {
  members = [member([])]
  await start(['one'], held('drain', 'all'))
  const begun = now
  await expect.poll(() => now).toBeGreaterThan(begun + 20 * 60_000)
  expect(told).toEqual([])
})

/** A swap of signed bytes is under way, and a person drains. */
const drainedBehindSwap = async (configOf: (wallet: string) => Config) => {
  const { database, haltFile } = configOf('one')
  const journal = await openJournal({ database, haltFile, clock })
  await journal.wallet.adopt({ chainId: 31_337, wallet: walletOfSwap, nonceOfChain: 0 })
  const planned = samplePlan()
  await journal.swaps.reserve(planned, () => {})
  await journal.attempts.commitSwap(sampleBytes(planned, 0), sampleQuote(planned))
  await journal.shut()
  await held('drain', 'all')(configOf)
}

test('one that a person drained behind a swap is told of: somebody must follow it to its end', async () => {
  members = [member([])]
  await start(['one'], drainedBehindSwap)
  const begun = now
  await expect.poll(() => now).toBeGreaterThan(begun + 20 * 60_000)
  expect(told).toMatchObject([{ event: 'begun', code: 'WALLET_NOT_TRADED' }])
  expect(beats > 2).toBe(false)
})

/** A breaker's halt, which lasts until a person lets go of it. */
const shortfall = async (configOf: (wallet: string) => Config) => {
  const { database, haltFile, wallet } = configOf('one')
  const journal = await openJournal({ database, haltFile, clock })
  const { lock } = await journal.locks.open({
    ...{ kind: 'halt', code: 'SHORTFALL', reason: 'less came', expiresAt: undefined },
    scope: `wallet ${wallet.address.toLowerCase()}`,
  })
  return { journal, lock }
}

test('a halt whose process was killed before it told of it is told once', async () => {
  members = [member([])]
  await start(['one'], async (configOf) => (await shortfall(configOf)).journal.shut())
  const begun = now
  await expect.poll(() => now).toBeGreaterThan(begun + 30 * 60_000)
  expect(told).toMatchObject([{ event: 'begun', code: 'SHORTFALL', severity: 'critical' }])
})

test('a halt that its process told of is not told again', async () => {
  members = [member([])]
  await start(['one'], async (configOf) => {
    const { journal, lock } = await shortfall(configOf)
    const source = {
      chainId: 31_337,
      wallet: configOf('one').wallet.address,
      mode: 'live',
    } as const
    const channels = ['webhook']
    await journal.alerts.begin({ items: [attentionText(lockItem(lock))], source, channels })
    const offered = { channel: 'webhook', severities: ['critical'], limit: 10 } as const
    const due = await journal.alerts.due(offered)
    expect(due).toHaveLength(1)
    for (const { id } of due) await journal.alerts.delivered({ id, channel: 'webhook' })
    await journal.shut()
  })
  const begun = now
  await expect.poll(() => now).toBeGreaterThan(begun + 30 * 60_000)
  expect(told).toEqual([])
})

test('one that is traded and hindered silences the heartbeat, and is not said to be untraded', async () => {
  members = [{ ...member(['one']), blind: ['one'] }]
  await start(['one'])
  const begun = now
  await expect.poll(() => now).toBeGreaterThan(begun + 20 * 60_000)
  expect({ beats, told }).toEqual({ beats: 0, told: [] })
  const codes = logged.map((line) => JSON.parse(line).code)
  expect(new Set(codes)).toEqual(new Set(['WALLET_HINDERED']))
})

test.each([
  ['halt', undefined, true],
  ['halt', {}, false],
  ['drain', {}, true],
] as const)(
  'the heartbeat beside a %s, with the channels %o: %s',
  async (kind, channels, beating) => {
    members = [member([])]
    await start(['one'], held(kind, 'all'), channels)
    const begun = now
    await expect.poll(() => now).toBeGreaterThan(begun + 20 * 60_000)
    // The first one comes before a minute without a process is over.
    expect(beats > 2).toBe(beating)
  },
)
