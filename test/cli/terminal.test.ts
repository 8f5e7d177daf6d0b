import { Writable } from 'node:stream'
import { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTerminal } from '../../src/cli/terminal.ts'
import { whileWorking } from '../../src/cli/whileWorking.ts'
import { secret } from '../../src/core/secret.ts'
import { table } from '../../src/core/textLayout.ts'

test.each(['note', 'event'] as const)(
  '[LOCAL-35] messages that nobody reads are dropped from a mebibyte on, and counted: %s',
  async (call) => {
    const read: string[] = []
    let release = () => {}
    const stuck = new Promise<void>((resolve) => {
      release = resolve
    })
    const stream = new Writable({
      write(chunk, _, done) {
        void stuck.then(() => {
          read.push(String(chunk))
          done()
        })
      },
    })
    const other = new Writable({ write: (_chunk, _, done) => done() })
    const { [call]: tell } = createTerminal(
      call === 'note' ? { stdout: other, stderr: stream } : { stdout: stream, stderr: other },
    )
    tell('x'.repeat(2 * 1024 * 1024))
    for (const text of ['one', 'two', 'three']) tell(text)
    release()
    await expect.poll(() => stream.writableLength).toBe(0)
    tell('four')
    await expect
      .poll(() => read.slice(1))
      .toEqual(['3 messages were dropped: nobody read them.\n', 'four\n'])
  },
)

const said = (stdout: { isTTY?: boolean; columns?: number }) => {
  let text = ''
  const stream = Object.assign(
    new Writable({
      write(chunk, _, done) {
        text += String(chunk)
        done()
      },
    }),
    { getColorDepth: WriteStream.prototype.getColorDepth },
    stdout,
  )
  return { terminal: createTerminal({ stdout: stream, stderr: stream }), text: () => text }
}
const words = 'a sentence of many words '.repeat(9).trim()

describe('the width of a line', () => {
  test('a result is broken at eighty columns in a pipe, an event is not', () => {
    const { terminal, text } = said({})
    terminal.out(words)
    expect(
      text()
        .split('\n')
        .map(({ length }) => length > 80),
    ).not.toContain(true)
    terminal.event(words)
    terminal.note(words)
    expect(text().trimEnd().split('\n').slice(-2)).toEqual([words, words])
  })

  test('a terminal has its own, and at least eighty', () => {
    const widest = (columns: number) => {
      const { terminal, text } = said({ isTTY: true, columns })
      terminal.event(words)
      return Math.max(
        ...text()
          .split('\n')
          .map(({ length }) => length),
      )
    }
    expect([widest(40) > 40, widest(40) <= 80, widest(120) > 80, widest(120) <= 120]).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  test('a secret is taken out before it is broken', () => {
    const hidden = secret(`key-${'s3cr3t'.repeat(20)}`)
    const { terminal, text } = said({})
    terminal.out(`The key is ${hidden.reveal()}.`)
    terminal.out(table([['key', hidden.reveal(), words]]))
    expect(text()).toContain('[secret]')
    expect(text()).not.toContain('s3cr3t')
  })
})

describe('colour', () => {
  beforeEach(() => {
    // A machine that builds has its own: CI and TEAMCITY_VERSION say to Node that a terminal shows no colours.
    for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI', 'TEAMCITY_VERSION'])
      vi.stubEnv(name, undefined)
    vi.stubEnv('TERM', 'xterm-256color')
  })
  afterEach(() => vi.unstubAllEnvs())

  const shown = (isTTY: boolean) => {
    const { terminal, text } = said(isTTY ? { isTTY, columns: 80 } : {})
    terminal.out(
      table([
        ['check', 'verdict'],
        ['I1', 'BROKEN'],
        ['I2', 'holds'],
      ]),
    )
    terminal.out('REFUSED  dca: a reason that says SETTLED in a sentence')
    return text()
  }
  const red = (word: string) => `\u001b[31m${word}\u001b[39m`

  test('is on a terminal, on verdicts and states, not on words of a sentence', () => {
    const text = shown(true)
    expect(text).toContain(red('BROKEN'))
    expect(text).toContain(`\u001b[32mholds\u001b[39m`)
    expect(text).toContain(`${red('REFUSED')}  dca: a reason that says SETTLED in a sentence`)
  })

  test('is nowhere else: not in a pipe, not as JSON', () => {
    expect(shown(false)).not.toContain('\u001b')
    const { terminal, text } = said({ isTTY: true, columns: 80 })
    terminal.json({ state: 'BROKEN' })
    terminal.jsonLine({ state: 'BROKEN' })
    expect(text()).not.toContain('\u001b')
  })

  test('heeds NO_COLOR, and FORCE_COLOR where there is no terminal', () => {
    vi.stubEnv('NO_COLOR', '1')
    expect(shown(true)).not.toContain('\u001b')
    vi.stubEnv('NO_COLOR', undefined)
    vi.stubEnv('FORCE_COLOR', '1')
    expect(shown(false)).toContain(red('BROKEN'))
  })
})

test('a line of the log is JSON in a pipe, and on a terminal an instant, a level and facts', () => {
  const line = '{"level":40,"time":"2026-11-24T19:29:12.500Z","swapId":"7d48","msg":"slow node"}\n'
  const [pipe, screen] = [said({}), said({ isTTY: true, columns: 80 })]
  for (const { terminal } of [pipe, screen]) terminal.log(line)
  expect(pipe.text()).toBe(line)
  expect(stripVTControlCharacters(screen.text())).toBe(
    '2026-11-24 19:29:12Z  WARN   slow node  swapId=7d48\n',
  )
})

describe('progress', () => {
  test('is one line that is drawn over, and gives way to what comes', async () => {
    const { terminal, text } = said({ isTTY: true, columns: 80 })
    expect(terminal.progress('1 of 2')).toBe(true)
    terminal.progress('2 of 2')
    terminal.out('done')
    expect(text()).toBe('\r\u001b[2K1 of 2\r\u001b[2K2 of 2\r\u001b[2Kdone\n')
  })

  test('is a dated line a minute elsewhere', async () => {
    const { terminal, text } = said({})
    let now = Date.UTC(2026, 10, 24, 19)
    let sleeps = 0
    const clock = {
      now: () => now,
      sleep: async (ms: number, signal?: AbortSignal) => {
        await new Promise((resolve) => setImmediate(resolve))
        signal?.throwIfAborted()
        now += ms
        sleeps += 1
      },
    }
    const result = await whileWorking(
      { terminal, clock },
      () => `${sleeps} of 2`,
      async () => {
        while (sleeps < 2) await new Promise((resolve) => setImmediate(resolve))
        return 'done'
      },
    )
    expect(result).toBe('done')
    expect(text().split('\n').slice(0, 2)).toEqual([
      '2026-11-24 19:01:00Z  1 of 2',
      '2026-11-24 19:02:00Z  2 of 2',
    ])
  })
})
