import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createReload } from '../../src/app/createReload.ts'
import { systemClock } from '../../src/core/clock.ts'
import { BallastError } from '../../src/core/errors.ts'
import { manualClock } from '../bot/schedule/manualClock.ts'
import { goodYaml } from '../config/goodYaml.ts'

let cwd: string
let stop: AbortController
let changes: { key: string; from: unknown; to: unknown }[][]
let problems: BallastError[]
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'reload-'))
  stop = new AbortController()
  changes = []
  problems = []
  write(goodYaml)
})
afterEach(() => {
  stop.abort()
  rmSync(cwd, { recursive: true })
})

const write = (text: string, file = 'ballast.yaml') =>
  writeFileSync(join(cwd, file), text, { mode: 0o600 })
const changed = (...pairs: readonly (readonly [string, string])[]) =>
  pairs.reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }, goodYaml)

function start(environment: Record<string, string> = {}, wallet?: string) {
  const reload = createReload({ configFile: 'ballast.yaml', environment, cwd, wallet })
  const clock = manualClock(Date.UTC(2026, 0, 1))
  const step = (seconds = 1) => clock.moveTo(clock.now() + seconds * 1_000)
  const watching = reload.watch({
    clock,
    signal: stop.signal,
    onChange: (_running, list) => {
      changes.push(list.map(({ path, from, to }) => ({ key: path.join('.'), from, to })))
    },
    onProblem: (problem) => problems.push(problem),
  })
  return { reload, step, watching }
}

describe('createReload', () => {
  test('starts with what the file says, frozen', () => {
    const { reload } = start()
    const { config, strategies } = reload.current()
    expect(config.strategies).toHaveLength(1)
    expect(strategies).toMatchObject([{ name: 'sell-strength', priority: 0 }])
    expect([reload.current(), config, strategies].map((part) => Object.isFrozen(part))).toEqual([
      true,
      true,
      true,
    ])
  })

  test('throws at the start what every command would', () => {
    write(changed(['every: 5s', 'evry: 5s']))
    expect(start).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        summary:
          'ballast.yaml:37:58 strategies[0].params.evry: is not a known key; did you mean every?',
      }),
    )
  })

  test('a strategy whose price would rest on one endpoint is refused, as the next start would', async () => {
    const { reload, step } = start()
    write(
      changed([
        'use: threshold\n    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }',
        'use: dca\n    params: { sell: 1 WETH, buy: USDC, cron: "0 9 * * *", timeZone: UTC, tolerance: 50 bps }',
      ]),
    )
    await step(2)
    expect(problems).toMatchObject([{ code: 'PRICE_UNWITNESSED' }])
    expect(reload.current().strategies).toMatchObject([{ strategy: { name: 'threshold' } }])
  })

  test('a watch that begins again compares with what is in force, not with the first text', async () => {
    const { reload, step, watching } = start()
    const other = changed(['slippage: 10 bps', 'slippage: 12 bps'])
    write(other)
    await step(2)
    expect(reload.current().config.quote.slippageBps).toBe(12)
    stop.abort()
    await watching
    // Put back while nobody watches, as in a restart within the process.
    write(goodYaml)
    const clock = manualClock(Date.UTC(2026, 0, 2))
    const again = new AbortController()
    const following = reload.watch({
      ...{ clock, signal: again.signal, onProblem: (problem) => problems.push(problem) },
      onChange: () => {},
    })
    await clock.moveTo(clock.now() + 2_000)
    expect(reload.current().config.quote.slippageBps).toBe(10)
    again.abort()
    await following
  })

  test('what is refused is known until a text is taken over or put back, a start of the watch too', async () => {
    const { reload, step, watching } = start()
    const found = () =>
      reload.refused() && [reload.refused()?.since, reload.refused()?.problem.code]
    const [begun, wrong] = [Date.UTC(2026, 0, 1), changed(['every: 5s', 'evry: 5s'])]
    expect(found()).toBeUndefined()
    write(wrong)
    await step(2)
    expect(found()).toEqual([begun + 2_000, 'CONFIG_INVALID'])
    write(changed(['slippage: 10 bps', 'slippage: 12 bps'], ['8545', '8546']))
    await step(2)
    expect(found()).toEqual([begun + 2_000, 'CONFIG_NEEDS_RESTART'])
    write(goodYaml)
    await step(2)
    expect(found()).toBeUndefined()
    write(wrong)
    await step(2)
    write(changed(['slippage: 10 bps', 'slippage: 12 bps']))
    await step(2)
    expect([found(), changes.length]).toEqual([undefined, 1])
    write(wrong)
    await step(2)
    stop.abort()
    await watching
    write(changed(['slippage: 10 bps', 'slippage: 12 bps']))
    const again = new AbortController()
    const clock = manualClock(begun)
    const following = reload.watch({
      ...{ clock, signal: again.signal, onChange: () => {}, onProblem: () => {} },
    })
    expect(found()).toBeDefined()
    await clock.moveTo(begun + 1_000)
    await clock.moveTo(begun + 2_000)
    expect(found()).toBeUndefined()
    again.abort()
    await following
  })

  test('what was refused for another file is looked at again in silence, until that is put right', async () => {
    const { reload, step } = start()
    write('RPC_URL=nonsense', '.env')
    reload.ask()
    await step(2)
    expect(reload.refused()?.problem.code).toBe('CONFIG_INVALID')
    await step(60)
    await step(60)
    expect(problems).toHaveLength(1)
    write('', '.env')
    await step(60)
    await step()
    expect([reload.refused(), changes]).toEqual([undefined, []])
  })

  test('a wallet that a text did not name is unnamed until a text is taken over', async () => {
    const { reload, step } = start({}, 'treasury')
    write(changed(['name: treasury', 'name: other']))
    await step(2)
    expect(reload.refused()?.isUnnamed).toBe(true)
    write(changed(['every: 5s', 'evry: 5s']))
    await step(2)
    expect(reload.refused()).toMatchObject({ isUnnamed: true, problem: { code: 'CONFIG_INVALID' } })
    write(goodYaml)
    await step(2)
    expect(reload.refused()).toBeUndefined()
    write(changed(['every: 5s', 'evry: 5s']))
    await step(2)
    expect(reload.refused()?.isUnnamed).toBe(false)
  })

  test('a strategy, a limit, a breaker and the quote change while it runs, all at once', async () => {
    const { reload, step } = start()
    const before = reload.current()
    write(
      changed(
        ['2950 USDC', '3000 USDC'],
        ['    use: threshold\n', '    use: threshold\n    priority: 5\n'],
        ['perDay: 600000 USD', 'perDay: 500000 USD'],
        ['slippage: 10 bps', 'slippage: 12 bps'],
        ['database:', 'breakers: { failures: { count: 2 } }\ndatabase:'],
      ),
    )
    await step(2)
    expect(problems).toEqual([])
    expect(changes).toEqual([
      [
        { key: 'quote.slippage', from: '10 bps', to: '12 bps' },
        { key: 'policy.notional.perDay', from: '600000 USD', to: '500000 USD' },
        { key: 'breakers.failures.count', from: '3', to: '2' },
        { key: 'strategies.sell-strength.params.price', from: '2950 USDC', to: '3000 USDC' },
        { key: 'strategies.sell-strength.priority', from: '0', to: '5' },
      ],
    ])
    const { config, strategies } = reload.current()
    expect(config.quote.slippageBps).toBe(12)
    expect(config.breakers.failures.count).toBe(2)
    expect(strategies).toMatchObject([
      { priority: 5, params: { price: { bought: { wei: 3_000_000_000n } } } },
    ])
    expect(config.hash).not.toBe(before.config.hash)
    // Whoever decided with the old one still has it whole.
    expect(before.config.quote.slippageBps).toBe(10)
    expect(before.strategies).toMatchObject([
      { priority: 0, params: { price: { bought: { wei: 2_950_000_000n } } } },
    ])
  })

  test('a strategy file that changed needs a restart, and says so without a change of the configuration', async () => {
    const text = readFileSync('strategies/threshold.ts', 'utf8')
    write(text, 'mine.ts')
    write(changed(['use: threshold', 'use: ./mine.ts']))
    const { reload, step } = start()
    const before = reload.current()
    write(`${text}// later\n`, 'mine.ts')
    await step(2)
    expect(problems.map(({ summary }) => summary)).toEqual([
      'ballast.yaml:36:5 strategies[0].use: ./mine.ts has changed since this process loaded it: restart to run the new text, or put the old one back.',
    ])
    await step(3)
    expect(problems).toHaveLength(1)
    write(text, 'mine.ts')
    await step(2)
    expect([problems.length, changes]).toEqual([1, []])
    expect(reload.current().strategies[0]?.strategy).toBe(before.strategies[0]?.strategy)
  })

  test('a strategy behind a link, as a volume of Kubernetes has it, that leads to other code: the same', async () => {
    const text = readFileSync('strategies/threshold.ts', 'utf8')
    for (const [release, code] of [
      ['one', text],
      ['two', `${text}// later\n`],
    ] as const) {
      mkdirSync(join(cwd, release))
      write(code, `${release}/mine.ts`)
    }
    symlinkSync('one', join(cwd, '..data'))
    symlinkSync('..data/mine.ts', join(cwd, 'mine.ts'))
    write(changed(['use: threshold', 'use: ./mine.ts']))
    const { reload, step } = start()
    const before = reload.current()
    symlinkSync('two', join(cwd, '..new'))
    renameSync(join(cwd, '..new'), join(cwd, '..data'))
    await step(2)
    expect(problems.map(({ summary }) => summary)).toEqual([
      expect.stringContaining('./mine.ts has changed since this process loaded it'),
    ])
    // Nor does it come in with a change of the configuration.
    write(changed(['use: threshold', 'use: ./mine.ts'], ['price: 2950', 'price: 3000']))
    await step(2)
    expect([changes, reload.current().strategies[0]?.strategy]).toEqual([
      [],
      before.strategies[0]?.strategy,
    ])
  })

  test('strategies come and go by their names, and their order is told', async () => {
    const { reload, step } = start()
    const dca = `  - name: weekly
    use: dca
    params: { sell: 500 USDC, buy: WETH, cron: 0 9 * * 1, timeZone: UTC, tolerance: 50 bps, price: 4000 USDC per WETH }
`
    write(changed(['strategies:\n', `strategies:\n${dca}`]))
    await step(2)
    expect(reload.current().strategies.map(({ name }) => name)).toEqual(['weekly', 'sell-strength'])
    expect(changes[0]).toContainEqual({
      key: 'strategies',
      from: ['sell-strength'],
      to: ['weekly', 'sell-strength'],
    })
    expect(changes[0]?.map(({ key }) => key)).not.toContain('strategies.sell-strength.use')
    write(goodYaml)
    await step(2)
    expect(reload.current().strategies.map(({ name }) => name)).toEqual(['sell-strength'])
    expect(changes[1]).toContainEqual({
      key: 'strategies.weekly.params.sell',
      from: '500 USDC',
      to: undefined,
    })
  })

  test.each([
    ['chain.rpcUrl', ['8545', '8547']],
    ['chain.confirmations', ['confirmations: 2', 'confirmations: 3']],
    [
      'service.router',
      [
        'router: "0x5FbDB2315678afecb367f032d93F642f64180aa3',
        'router: "0x5fbdb2315678afecb367f032d93f642f64180ab1',
      ],
    ],
    ['tokens.USDC.decimals', ['decimals: 6', 'decimals: 8']],
    ['wallet.name', ['name: treasury', 'name: other']],
    ['quote.timeout', ['timeout: 3s', 'timeout: 4s']],
    ['policy.tokens', ['tokens: [ETH, WETH, USDC]', 'tokens: [USDC, ETH, WETH]']],
    [
      'policy.recipients',
      ['recipients: []', 'recipients: ["0x5fbdb2315678afecb367f032d93f642f64180ab2"]'],
    ],
    ['policy.unit', ['  cooldown', '  unit: USDC\n  cooldown']],
    ['database', ['ballast.db', 'other.db']],
    ['dashboard.port', ['8787', '8788']],
    ['haltFile', ['database:', 'haltFile: STOP\ndatabase:']],
    ['logLevel', ['info', 'debug']],
  ] as const)('%s is for a restart: nothing of the file is in force', async (key, [from, to]) => {
    const { reload, step } = start()
    const before = reload.current()
    const limit = ['perDay: [200 WETH', 'perDay: [100 WETH'] as const
    const other =
      key === 'policy.unit'
        ? changed([from, to], limit).replace(/notional: .*/, (all) =>
            all.replaceAll(' USD', ' USDC'),
          )
        : changed([from, to], limit)
    write(other)
    await step(3)
    expect(reload.current()).toBe(before)
    expect(changes).toEqual([])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({
      code: 'CONFIG_NEEDS_RESTART',
      summary: expect.stringContaining(
        `ballast.yaml changes ${key}, which a running bot cannot take over: nothing of it is in force.`,
      ),
      facts: expect.objectContaining({
        'policy.perDay': '[200 WETH, 200 ETH, 600000 USDC] -> [100 WETH, 200 ETH, 600000 USDC]',
      }),
    })
    // What can change does, once the rest is put back.
    write(changed(limit))
    await step(2)
    expect(changes).toHaveLength(1)
  })

  test('a wrong file is told with its places, and the last good one stays', async () => {
    const { reload, step } = start()
    const before = reload.current()
    write(changed(['maxFee: 10 bps', 'maxFee: 10'], ['buy: USDC', 'buy: UDSC']))
    await step(3)
    expect(reload.current()).toBe(before)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({
      summary:
        "ballast.yaml:30:3 policy.maxFee: '10' has no unit: write '10 bps' (1 bps is 0.01 %).",
      facts: {
        problem2:
          "ballast.yaml:37:29 strategies[0].params.buy: 'UDSC' is not a configured token; did you mean USDC? Known tokens: ETH, WETH, USDC.",
      },
    })
  })

  test('an anchor inside itself is told with its place, and the repaired file is taken', async () => {
    const { reload, step, watching } = start()
    const before = reload.current()
    write(`a: &a [*a]\n${goodYaml}`)
    await step(3)
    expect(problems.map(({ summary }) => summary)).toEqual([
      'ballast.yaml:1:8 this alias stands inside its own anchor: write the value out.',
    ])
    expect(reload.current()).toBe(before)
    write(changed(['2950 USDC', '3000 USDC']))
    await step(3)
    expect(changes).toHaveLength(1)
    stop.abort()
    await expect(watching).resolves.toBeUndefined()
  })

  test('half a file that would be right by itself is not taken', async () => {
    const { reload, step } = start()
    const whole = changed(['2950 USDC', '3000 USDC'])
    const half = whole.slice(0, whole.indexOf('strategies:'))
    write(half)
    await step()
    write(whole)
    await step(2)
    expect(reload.current().strategies).toMatchObject([{ name: 'sell-strength' }])
    expect(changes.flat().map(({ key }) => key)).toEqual(['strategies.sell-strength.params.price'])
  })

  test('remarks and order are nothing to speak of', async () => {
    const { step } = start()
    write(`# a remark\n${changed(['logLevel: info\n', ''])}`)
    await step(3)
    expect({ changes, problems }).toEqual({ changes: [], problems: [] })
  })

  test('what is asked for is answered: no change, or a key of .env that needs a restart', async () => {
    write('QUOTE_API_KEY=the-first-key-of-all\n', '.env')
    const { reload, step } = start()
    await step(2)
    reload.ask()
    await step(2)
    expect(changes).toEqual([[]])
    write(
      'QUOTE_API_KEY=another-key-of-them\nWALLET_PASSWORD_FILE=correct-horse-99\nRPC_URL=http://127.0.0.1:8545/a-key-in-the-path\n',
      '.env',
    )
    await step(3)
    expect(problems).toEqual([])
    reload.ask()
    await step(2)
    expect(problems).toHaveLength(1)
    expect(problems[0]?.facts).toEqual({
      'chain.rpcUrl': 'http://127.0.0.1:8545 -> http://127.0.0.1:8545 (what differs is not shown)',
      'service.apiKey': '[secret] -> [secret] (what differs is not shown)',
      // Its text may be the password itself, in the place of a path.
      'wallet.passwordFile': 'not there -> [secret]',
    })
    expect(problems[0]?.message).not.toMatch(/correct-horse|first-key|another-key|a-key-in/)
  })

  test('the secrets of alerts are for a restart too, set, changed and removed', async () => {
    const url = 'https://hook.example/the-first-path'
    write(`HEARTBEAT_URL=${url}\n`, '.env')
    const { reload, step } = start()
    await step(2)
    const problemOf = async (text: string) => {
      write(text, '.env')
      reload.ask()
      await step(3)
      return problems.at(-1)?.facts
    }
    const secrets = { WEBHOOK_URL: 'https://hook.example/a', WEBHOOK_SECRET: 'k'.repeat(32) }
    const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`)
    expect(await problemOf(`HEARTBEAT_URL=${url}-2\n${lines.join('')}`)).toEqual({
      HEARTBEAT_URL: '[secret] -> [secret] (what differs is not shown)',
      WEBHOOK_URL: 'not there -> [secret]',
      WEBHOOK_SECRET: 'not there -> [secret]',
    })
    expect(await problemOf('')).toEqual({ HEARTBEAT_URL: '[secret] -> not there' })
    expect(changes).toEqual([])
  })

  test('what cannot be carried out ends the watch: it is neither lost nor a problem of the file', async () => {
    const reload = createReload({ configFile: 'ballast.yaml', environment: {}, cwd })
    const clock = manualClock(Date.UTC(2026, 0, 1))
    const watching = reload.watch({
      clock,
      signal: stop.signal,
      async onChange() {
        throw new BallastError('The journal is away.', {
          ...{ code: 'JOURNAL_AWAY', remedy: 'halt', fault: 'upstream' },
        })
      },
      onProblem: (problem) => problems.push(problem),
    })
    const ended = expect(watching).rejects.toMatchObject({ code: 'JOURNAL_AWAY' })
    write(changed(['2950 USDC', '3000 USDC']))
    await clock.moveTo(clock.now() + 2_000)
    // Had the watch gone on, this would end it, and without an error.
    stop.abort()
    await ended
    expect(problems).toEqual([])
  })

  test('a second change waits until the first is carried out', async () => {
    const reload = createReload({ configFile: 'ballast.yaml', environment: {}, cwd })
    const clock = manualClock(Date.UTC(2026, 0, 1))
    const step = () => clock.moveTo(clock.now() + 2_000)
    const steps: string[] = []
    let finish = () => {}
    void reload.watch({
      clock,
      signal: stop.signal,
      async onChange({ strategies }) {
        steps.push(`begins ${strategies[0]?.priority}`)
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        steps.push(`ends ${strategies[0]?.priority}`)
      },
      onProblem: (problem) => problems.push(problem),
    })
    const use = '    use: threshold\n'
    write(changed([use, `${use}    priority: 1\n`]))
    await step()
    write(changed([use, `${use}    priority: 2\n`]))
    await step()
    expect(steps).toEqual(['begins 1'])
    finish()
    await step()
    await step()
    expect(steps).toEqual(['begins 1', 'ends 1', 'begins 2'])
  })

  test('with the clock of the machine it takes two to three seconds', async () => {
    const reload = createReload({ configFile: 'ballast.yaml', environment: {}, cwd })
    const applied = new Promise<string>((resolve) => {
      void reload.watch({
        clock: systemClock,
        signal: stop.signal,
        onChange: ({ config }) => resolve(config.hash),
        onProblem: (problem) => resolve(problem.summary),
      })
    })
    write(changed(['2950 USDC', '3000 USDC']))
    expect(await applied).toBe(reload.current().config.hash)
  })
})
