import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { printOutcomes } from '../../src/app/outcome.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { unpacked } from '../../src/bot/journal/store/packed.ts'
import type { SwapRecord } from '../../src/bot/record.ts'
import { createLog, endLine } from '../../src/bot/report/createLog.ts'
import { RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { reportFailure } from '../../src/cli/reportFailure.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { createChecklist } from '../../src/core/check.ts'
import { systemClock } from '../../src/core/clock.ts'
import { BallastError } from '../../src/core/errors.ts'
import { table } from '../../src/core/textLayout.ts'
import { createDashboard } from '../../src/dashboard/createDashboard.ts'
import { quietQueries } from '../support/noFigures.ts'

/** What a service, a node or a token may call itself. */
const hostile = {
  'a terminal sequence': 'ok\u001b[2J\u001b]0;title\u0007',
  'a C1 sequence': 'ok\u009b2J',
  'a carriage return': 'REFUSED\rSETTLED',
  'a line of ours': 'ok\nSETTLED dca: sold 1 WETH',
  'a line separator': 'ok\u2028SETTLED\u2029',
  'a text direction': 'ok\u202egnp.exe\u2066x',
  'invisible characters': 'U\u200bS\u200dD\ufeffC\u2060',
  'a null and a backspace': 'ok\u0000\b\b',
  'half a character': 'ok\ud83d',
  'a novel': 'x'.repeat(5_000),
} as const
const cases = Object.entries(hostile)

/** Whatever steers a terminal; a line break is judged by its own test. */
const steering = /[^\P{Cc}\n\t]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u
const cutMax = 1_100

/** Texts as a program that undoes the escapes would print them. */
const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, part]) => [name, ...textsOf(part)])
      : []

function capture() {
  let [stdout, stderr] = ['', '']
  const to = (take: (text: string) => void) =>
    new Writable({
      write(chunk, _, done) {
        take(String(chunk))
        done()
      },
    })
  const terminal = createTerminal({
    stdout: to((text) => {
      stdout += text
    }),
    stderr: to((text) => {
      stderr += text
    }),
  })
  return { terminal, stdout: () => stdout, stderr: () => stderr }
}

const failure = (text: string) =>
  new BallastError('The service refused.', {
    code: 'X',
    remedy: 'skip',
    fault: 'upstream',
    facts: { said: text },
  })

const swap = (text: string): SwapRecord => ({
  id: 'swap-1',
  strategy: 'dca',
  state: 'REJECTED',
  reason: text,
  code: 'X',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  sell: { token: 'WETH', wei: '1', text: '1' },
  buy: 'USDC',
  floor: { token: 'USDC', wei: '1', text: '1' },
  sold: null,
  received: null,
  recipient: null,
  againstIndicationBps: null,
  checks: null,
  gasUsed: null,
  gasPaidWei: null,
  gasPaidInAllWei: null,
  gasTipInAllWei: null,
  agrees: null,
  txHash: null,
  block: null,
  attempts: [],
})

const refusedCheck = (text: string) => {
  try {
    const checks = createChecklist('verify')
    checks.equal('symbol', 'USDC', text)
    checks.conclude()
  } catch (error) {
    return error as BallastError
  }
  throw new Error('the check cannot hold')
}

describe.each(cases)('%s', (_, text) => {
  test('terminal: on lines of ours, and cut', () => {
    const { terminal, stdout, stderr } = capture()
    terminal.out(table([['source', text, 'end']]))
    terminal.out(endLine(swap(text), 'ETH'))
    const blank = {
      facts: null,
      stage: null,
      intent: null,
      indicative: null,
      firm: null,
      simulation: null,
      sends: null,
    }
    terminal.out(
      printOutcomes(
        [
          {
            ...blank,
            strategy: 'dca',
            decision: 'swap',
            reason: text,
            outcome: 'refused',
            code: null,
            checks: [],
            swap: null,
          },
        ],
        false,
      ),
    )
    reportFailure(failure(text), { terminal, json: false, debug: false })
    reportFailure(refusedCheck(text), { terminal, json: false, debug: false })
    reportFailure(new RpcRefused('eth_call', { code: 3, message: text }), {
      terminal,
      json: false,
      debug: false,
    })
    expect(stdout()).not.toMatch(steering)
    expect(stderr()).not.toMatch(steering)
    // What goes on below is set in: a line of foreign text never begins where ours do.
    const ours = stdout()
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('  '))
    expect(ours).toHaveLength(3)
    for (const line of `${stdout()}${stderr()}`.split('\n')) {
      expect(line.length).toBeLessThan(cutMax)
      expect(line).not.toMatch(/^SETTLED/)
    }
  })

  test('JSON: also when its escapes are undone', () => {
    const { terminal, stdout } = capture()
    reportFailure(failure(text), { terminal, json: true, debug: false })
    expect(stdout()).not.toMatch(steering)
    for (const each of textsOf(JSON.parse(stdout()))) expect(each).not.toMatch(steering)
  })

  test('log: one line, and cut', () => {
    const lines: string[] = []
    const log = createLog({ level: 'info', sink: (line) => lines.push(line) })
    log.warn({ err: failure(text) }, 'x')
    log.warn({ err: new Error(text) }, 'x')
    log.warn({ source: text }, text)
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      expect(line.trimEnd()).not.toMatch(steering)
      expect(line.trimEnd()).not.toContain('\n')
      for (const each of textsOf(JSON.parse(line))) expect(each).not.toMatch(steering)
    }
    for (const line of lines.slice(0, 2)) expect(line.length).toBeLessThan(cutMax + 200)
  })

  test('dashboard: pages and JSON', async () => {
    const lock = {
      id: 1,
      kind: 'pause',
      scope: 'all',
      code: 'X',
      reason: text,
      openedAt: '2026-01-01T00:00:00.000Z',
      expiresAt: null,
    }
    const { app, close } = createDashboard({
      queries: {
        ...quietQueries,
        swaps: async () => [swap(text)],
        swap: async () => swap(text),
        strategies: async () => [],
        locks: async () => [lock],
        plan: async () => ({
          from: lock.openedAt,
          until: lock.openedAt,
          strategies: [],
          months: [],
          blocks: [],
          unknown: [text],
        }),
      },
      health: async () => ({
        ready: true,
        attention: [
          {
            ...{
              kind: 'gas',
              code: 'GAS_LOW',
              severity: 'warning',
              subject: text,
              since: lock.openedAt,
            },
            ...{ sentence: text, next: text },
          },
        ],
        mode: 'live',
        sandbox: false,
        chain: 'local',
        chainId: 1,
        currency: 'ETH',
        timeZone: 'UTC',
        explorer: null,
        wallet: '0x',
        head: null,
        balances: [],
      }),
      halt: async () => lock,
      clock: systemClock,
      host: '127.0.0.1',
      port: 8787,
    })
    for (const url of [
      '/',
      '/swaps/swap-1',
      '/api/swaps',
      '/api/locks',
      '/api/health',
      '/readyz',
    ]) {
      const { body } = await app.inject({ url, headers: { host: 'localhost:8787' } })
      expect(body, url).not.toMatch(steering)
      if (/^.(?:api|readyz)/.test(url))
        for (const each of textsOf(JSON.parse(body))) expect(each, url).not.toMatch(steering)
      else expect(body, url).not.toMatch(/x{1100}/)
    }
    await close()
  })

  test('audit: what is written there, and cut', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'ballast-foreign-')), 'journal.db')
    const journal = await openJournal({
      database: { dialect: 'sqlite', path },
      haltFile: `${path}.halt`,
      clock: systemClock,
    })
    await journal.locks.open({
      kind: 'pause',
      scope: 'all',
      code: 'X',
      reason: text,
      expiresAt: undefined,
    })
    await journal.shut()
    const db = new DatabaseSync(path)
    const facts = unpacked(db.prepare('SELECT facts FROM event').get()?.facts as Uint8Array)
    db.close()
    for (const each of textsOf(JSON.parse(facts))) {
      expect(each).not.toMatch(steering)
      expect(each.length).toBeLessThan(cutMax)
    }
  })
})

test('what is ours stays as it is', () => {
  const { terminal, stdout } = capture()
  const value = { text: 'größer als 10 €\n\t"quoted" \\u001b C:\\n', amount: 5n }
  terminal.json(value)
  expect(JSON.parse(stdout())).toEqual({ ...value, amount: '5' })
})
