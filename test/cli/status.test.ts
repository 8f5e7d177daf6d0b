import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockJournal } from '../../src/bot/journal/holdJournal.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { contextWith } from '../../src/bot/strategy/testing.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'

const hourMs = 3_600_000

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-status-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** A journal in which a calendar was closed slot by slot, each written down so long ago. */
async function closed(...slots: readonly { state: 'done' | 'missed' | 'failed'; ago: number }[]) {
  let now = Date.now()
  const journal = await openJournal({
    database: { dialect: 'sqlite', path: join(cwd, 'ballast.db') },
    haltFile: join(cwd, 'HALT'),
    clock: { now: () => now, sleep: async () => {} },
  })
  for (const { state, ago } of slots) {
    now = Date.now() - ago
    const slot = now - hourMs
    const run = {
      slot,
      upto: slot + (state === 'missed' ? 2 : 0),
      slots: state === 'missed' ? 3 : 1,
    }
    await journal.slots.close({
      strategy: 'weekly',
      calendar: '',
      state,
      reason: `${state}, so`,
      ...run,
    })
  }
  return journal
}

const status = (...args: string[]) => callCli(['status', ...args], { cwd })

test('status: what was to be done in the last day and was not, the newest first, and nothing else', async () => {
  const journal = await closed(
    { state: 'failed', ago: 25 * hourMs },
    { state: 'missed', ago: 5 * hourMs },
    { state: 'done', ago: 4 * hourMs },
    { state: 'failed', ago: 3 * hourMs },
  )
  await journal.shut()
  const { undone } = JSON.parse((await status('--json')).stdout)
  expect(undone).toMatchObject([
    { strategy: 'weekly', state: 'failed', slots: 1 },
    { strategy: 'weekly', state: 'missed', slots: 3 },
  ])
  const lines = (await status()).stdout.split('\n').filter((line) => line.startsWith('NOT DONE'))
  expect(lines).toEqual([
    `NOT DONE weekly: the slot of ${undone[0].from} failed: failed, so.`,
    `NOT DONE weekly: 3 slots from ${undone[1].from} to ${undone[1].until} were missed: missed, so.`,
  ])
})

test('status: a bot that a halt ended is not to be started again first', async () => {
  const journal = await closed()
  await journal.decisions.record({
    ...{ strategy: 'sell-strength', slot: 1, at: 1, context: contextWith({}) },
    decision: { kind: 'wait', reason: 'for a price' },
  })
  const halt = { kind: 'halt', scope: 'all', code: 'BY_OPERATOR', reason: 'a fire' } as const
  await journal.locks.open({ ...halt, expiresAt: undefined })
  await journal.shut()
  const [first] = (await status()).stdout.split('\n')
  expect(first).toMatch(
    /^DEAD: .* A halt holds, BY_OPERATOR: do not start it before that is released\./,
  )
})

test('status: every configured strategy with its latest decision, and when it decides again', async () => {
  const before = JSON.parse((await status('--json')).stdout)
  expect(before).toMatchObject({
    strategies: [{ name: 'sell-strength', decision: null, reason: null, decidedAt: null }],
    undone: [],
  })
  const journal = await closed()
  const at = Date.now()
  for (const [strategy, kind] of [
    ['sell-strength', 'wait'],
    ['sell-strength', 'postpone'],
    ['gone', 'wait'],
  ] as const)
    await journal.decisions.record({
      ...{ strategy, slot: at, at, context: contextWith({}) },
      decision: { kind, reason: `${kind} for a price` },
    })
  await journal.shut()
  const { stdout } = await status('--json')
  const { strategies } = JSON.parse(stdout)
  expect(strategies).toMatchObject([
    {
      name: 'sell-strength',
      decision: 'postpone',
      reason: 'postpone for a price',
      decidedAt: new Date(at).toISOString(),
    },
  ])
  expect(Date.parse(strategies[0].nextAt)).toBeGreaterThan(at)
  // No process holds the journal: what stands there is of the past.
  expect((await status()).stdout).toContain(
    `DEAD: the bot does not run. Its last decision was at ${new Date(at).toISOString()}.\n`,
  )
  expect((await status()).stdout).toMatch(
    /^sell-strength +\S+Z +\S+Z +postpone +postpone for a price$/m,
  )
})

/** The exit codes of `status --check` and of `status`, and what both print first. */
async function checked() {
  const [plain, check, json] = [
    await status(),
    await status('--check'),
    JSON.parse((await status('--json')).stdout),
  ]
  expect(json.check).toBe(check.code)
  expect(check.stdout.split(':')[0]).toBe(json.state)
  const codes = json.attention.map(({ code }: { code: string }) => code)
  return { plain: plain.code, check: check.code, state: json.state, codes }
}

test('status --check: a state and an exit code for each way it can stand', async () => {
  expect(await checked()).toEqual({ plain: 0, check: 14, state: 'NEVER', codes: [] })
  const journal = await closed({ state: 'missed', ago: 25 * hourMs })
  const decide = (at: number) =>
    journal.decisions.record({
      ...{ strategy: 'sell-strength', slot: at, at, context: contextWith({}) },
      decision: { kind: 'wait', reason: 'for a price' },
    })
  await decide(Date.now() - hourMs)
  expect(await checked()).toEqual({ plain: 0, check: 13, state: 'DEAD', codes: [] })

  const holder = lockJournal(join(cwd, 'ballast.db'))
  try {
    // It has just begun: nothing is late yet.
    expect(await checked()).toEqual({ plain: 0, check: 0, state: 'RUNNING', codes: [] })
    const anHourAgo = new Date(Date.now() - hourMs)
    utimesSync(join(cwd, 'ballast.db.pid'), anHourAgo, anHourAgo)
    expect(await checked()).toEqual({
      ...{ plain: 0, check: 12, state: 'STALE', codes: ['LOOK_STALE'] },
    })
    expect((await status()).stdout).toMatch(/^ATTENTION LOOK_STALE: sell-strength should decide/m)
    await decide(Date.now())
    expect(await checked()).toMatchObject({ check: 0, state: 'RUNNING' })

    const lock = {
      kind: 'halt',
      code: 'LEDGER_DRIFT',
      reason: 'gone',
      expiresAt: undefined,
    } as const
    await journal.locks.open({ ...lock, scope: 'strategy sell-strength' })
    const running = { plain: 0, check: 10, state: 'RUNNING', codes: ['LEDGER_DRIFT'] }
    expect(await checked()).toEqual(running)
    await journal.locks.open({ ...lock, scope: 'wallet 0xaa' })
    expect(await checked()).toMatchObject({ plain: 0, check: 11, state: 'PAUSED' })
  } finally {
    holder.release()
    await journal.shut()
  }
})

test('status: a lock that has ended leaves time for the next look', async () => {
  const journal = await closed()
  const at = Date.now() - hourMs
  await journal.decisions.record({
    ...{ strategy: 'sell-strength', slot: at, at, context: contextWith({}) },
    decision: { kind: 'wait', reason: 'for a price' },
  })
  const holder = lockJournal(join(cwd, 'ballast.db'))
  const anHourAgo = new Date(at)
  utimesSync(join(cwd, 'ballast.db.pid'), anHourAgo, anHourAgo)
  try {
    expect((await checked()).codes).toEqual(['LOOK_STALE'])
    const pause = { kind: 'pause', scope: 'all', code: 'BY_OPERATOR', reason: 'lunch' } as const
    await journal.locks.open({ ...pause, expiresAt: undefined })
    expect((await checked()).codes).toEqual(['BY_OPERATOR'])
    await journal.locks.release({ id: undefined, reason: 'eaten' })
    expect((await checked()).codes).toEqual([])
  } finally {
    holder.release()
    await journal.shut()
  }
})

test('status: an alert channel that refuses, by the journal alone', async () => {
  const journal = await closed({ state: 'done', ago: hourMs })
  const text = { severity: 'info', since: '', sentence: '', next: '' } as const
  await journal.alerts.begin({
    items: [{ ...text, kind: 'lock', code: 'BY_OPERATOR', subject: 'lock 1' }],
    source: { chainId: 1, wallet: '0xaa', mode: 'live' },
    channels: ['telegram'],
  })
  expect((await checked()).codes).toEqual([])
  const [event] = await journal.alerts.due({ channel: 'telegram', severities: ['info'], limit: 1 })
  const refuse = () =>
    journal.alerts.postponed({ id: event?.id ?? '', channel: 'telegram', forMs: 5_000 })
  for (let tries = 0; tries < 7; tries += 1) await refuse()
  expect((await checked()).codes).toEqual([])
  await refuse()
  await journal.shut()
  expect((await checked()).codes).toEqual(['ALERTS_UNDELIVERED'])
  expect((await status()).stdout).toMatch(
    /^ATTENTION ALERTS_UNDELIVERED: The alert channel telegram/m,
  )
})

/** Looks so often, then Ctrl-C; between the looks something happens. */
async function watched(looks: number, between: () => Promise<unknown>, ...args: string[]) {
  const stop = new AbortController()
  let left = looks
  const clock = {
    now: () => Date.UTC(2026, 10, 24, 19),
    async sleep() {
      left -= 1
      await between()
      if (left === 0) stop.abort()
    },
  }
  const isTTY = args.includes('tty')
  const words = args.filter((word) => word !== 'tty')
  return callCli(['status', '--watch', ...words], { cwd, clock, isTTY, signal: stop.signal })
}

test('status --watch: a dated block for each change in a pipe, and ends with 0', async () => {
  let looks = 0
  const { code, stdout } = await watched(4, async () => {
    looks += 1
    if (looks === 2) await callCli(['pause', '--reason', 'a look'], { cwd })
  })
  expect(code).toBe(0)
  const blocks = stdout.split('2026-11-24 19:00:00Z\n').slice(1)
  expect(blocks.map((block) => block.includes('a look'))).toEqual([false, true])
  const json = await watched(2, async () => {}, '--json')
  expect(
    json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).state),
  ).toEqual(['NEVER'])
})

test('status --watch: in one place on a terminal', async () => {
  const { code, stdout } = await watched(3, async () => {}, 'tty')
  expect(code).toBe(0)
  // Over the three lines of the frame before.
  const [first, ...frames] = stdout.split('\u001b[3A\r\u001b[J')
  expect(first).toContain('NEVER')
  expect(frames).toHaveLength(2)
})
