import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { appraiseByBands, screenStrategy } from '../../src/app/screenStrategies.ts'
import { loadStrategies } from '../../src/bot/strategy/load.ts'
import { shippedStrategies } from '../../src/bot/strategy/shippedStrategies.ts'
import { strategyEntry } from '../../src/cli/strategyEntry.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { presets } from '../../src/config/presets.ts'
import { systemClock } from '../../src/core/clock.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-config-'))
})

const uses = shippedStrategies().map(({ use }) => use)
const written = () => readFileSync(join(cwd, 'ballast.yaml'), 'utf8')
const write = (text: string, file = 'ballast.yaml') =>
  writeFileSync(join(cwd, file), text, { mode: 0o600 })
const call = (...argv: string[]) => callCli(['config', ...argv], { cwd })

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

/** What only the reader knows, as he would write it. */
const filledIn = (text: string) => {
  let next = 0xa0
  // A tank is to be bought the coin for, and to receive it.
  const tanks = /tanks: (\[.*?\])/.exec(text)?.[1]
  const allowed =
    tanks === undefined
      ? text
      : text
          .replace('recipients: []', `recipients: ${tanks}`)
          .replace(/^ {2}tokens: \[/m, `$&${/^ {2}currency: (\w+)/m.exec(text)?.[1]}, `)
  return allowed
    .replace('routerCodeHash: "FILL IN"', `routerCodeHash: "0x${'0'.repeat(64)}"`)
    .replace(/"FILL IN"/g, () => {
      next += 1
      return `"0x${'0'.repeat(38)}${next.toString(16)}"`
    })
}

describe('config init', () => {
  test.each(uses)('%s: filled in, the template is right as it stands', async (use) => {
    expect(await call('init', '--strategy', use)).toMatchObject({ code: 0, stderr: '' })
    const text = written()
    expect(text).toContain(`use: ${use}`)
    // Where an example trades a second coin, its address is one more.
    expect(text.match(/"FILL IN"/g)).toHaveLength(/\bDAI\b/.test(text) ? 6 : 5)
    write(filledIn(text))
    const { code, stdout, stderr } = await call('check', '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, strategies: [{ name: use, use }] })
  })

  test.each(uses)(
    '%s: each key that may be left out is there, with a value of its kind',
    async (use) => {
      await call('init', '--strategy', use)
      const text = filledIn(written())
      const optional = [...text.matchAll(/^#( {6}(\w+): .*)$/gm)]
      for (const [line, uncommented = '', key = ''] of optional) {
        write(text.replace(line, uncommented))
        const { stdout } = await call('check', '--json')
        const { error } = JSON.parse(stdout)
        const said = [error?.message, ...Object.values(error?.facts ?? {})].map(String)
        // What another key must say beside it is its strategy's own matter; the value itself is not wrong.
        expect(
          said.filter((it) => /not a known key|' is not |has no unit|one line/.test(it)),
          key,
        ).toEqual([])
      }
      expect(text).not.toMatch(/^#.*FILL IN/m)
    },
  )

  test.each(uses)('%s: the template is right with all of it uncommented', async (use) => {
    await call('init', '--strategy', use)
    write(filledIn(written()).replace(/^#( {6}\w+: )/gm, '$1'))
    expect(await call('check')).toMatchObject({ code: 0, stderr: '' })
  })

  test('a template has every key that is required, has an example, or is not documented', () => {
    const strategy = shippedStrategies()[0]?.strategy
    if (strategy === undefined) throw new Error('there is one')
    const made = strategyEntry(
      {
        use: 'mine',
        strategy: {
          ...strategy,
          params: (fields) =>
            fields.object({
              sell: fields.required(fields.amount, { doc: 'So much. Not more.' }),
              keep: fields.optional(fields.amount, { doc: 'Never sold.', example: '2 WETH' }),
              floor: fields.optional(fields.price, {
                doc: 'The worst price.',
                example: '7 USDC',
                suggested: true,
              }),
              most: fields.optional(fields.amount, { doc: 'Not in a template.' }),
              late: fields.optional(fields.seconds.describe('How late.')),
              weights: fields.weights,
              slices: fields.count.meta({ examples: ['7'], description: 'How many.' }),
            }),
        },
      },
      'mine',
    )
    expect(made.split('\n').slice(4)).toEqual([
      '      sell: 1 WETH                # So much.',
      '      floor: 7 USDC               # The worst price.',
      '      # How much of the whole each token is to be.',
      '      weights: { WETH: 60 %, USDC: 40 % }',
      '      slices: 7                   # How many.',
      '#      keep: 2 WETH               # Never sold.',
      '#      late: 1h                   # How late.',
    ])
  })

  test('the example of the plain template is right too, once it is uncommented', async () => {
    await call('init')
    const example = written().replace(
      /^strategies: \[\]\n((?:# {2}.*\n)+)/m,
      (_all, lines: string) => `strategies:\n${lines.replace(/^#/gm, '')}`,
    )
    expect(example).toMatch(/^strategies:\n {2}- name: sell-strength/m)
    write(filledIn(example))
    expect(await call('check')).toMatchObject({ code: 0, stderr: '' })
  })

  test.each(presets)(
    'of $name: a right file with its tokens and feeds, for every strategy',
    async (preset) => {
      const strategies = ['dca', 'gas-tank', 'rebalance', 'threshold', 'twap']
      const uses = strategies.flatMap((use) => ['--strategy', use])
      await call('init', '--chain', preset.name, ...uses)
      write(filledIn(written()))
      const { code, stderr, stdout } = await call('check', '--json')
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout).chain).toMatchObject({ name: preset.name, chainId: preset.chainId })
      const { chain, tokens, policy } = parse(written())
      expect([chain.currency, chain.blockTime]).toEqual([preset.currency, preset.blockTime])
      const { wrapped, stablecoins, feeds, gas } = preset
      if (gas !== undefined)
        expect([policy.maxGasPrice, policy.maxTip, parse(written()).breakers.maxGasPerDay]).toEqual(
          [...[gas.price, gas.tip, gas.perDay]],
        )
      expect(tokens).toEqual({
        [wrapped.symbol]: { address: wrapped.address, decimals: 18, wrapsNative: true },
        ...Object.fromEntries(stablecoins.map(({ symbol, ...token }) => [symbol, token])),
      })
      expect(
        policy.references.map(({ pair, address }: Record<string, string>) => [pair, address]),
      ).toEqual(feeds.map(({ symbol, address }) => [`${symbol}/USD`, address]))
    },
  )

  test('of a chain that has no preset: names those that are there, and writes nothing', async () => {
    const { code, stderr } = await call('init', '--chain', 'bas')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean base')])
  })

  test('several strategies, one of them twice, each with a name of its own', async () => {
    await call('init', '--strategy', 'dca', '--strategy', 'threshold', '--strategy', 'dca')
    write(filledIn(written()))
    const { stdout } = await call('check', '--json')
    expect(JSON.parse(stdout).strategies).toEqual([
      { name: 'dca', use: 'dca' },
      { name: 'threshold', use: 'threshold' },
      { name: 'dca-2', use: 'dca' },
    ])
  })

  test('each blank is one problem, in the order of the file', async () => {
    await call('init')
    const { code, stdout } = await call('check', '--json')
    expect(code).toBe(2)
    const { error } = JSON.parse(stdout)
    const lines = [error.message, ...Object.values(error.facts).slice(1)]
    expect(lines).toEqual(
      ['router', 'routerCodeHash', 'executor', 'feeSigner']
        .map((key) => expect.stringContaining(`service.${key}: is not filled in yet: write for`))
        .concat(expect.stringContaining('wallet.address: is not filled in yet: write for')),
    )
  })

  test('a strategy that is not there writes nothing', async () => {
    const { code, stderr } = await call('init', '--strategy', 'treshold')
    expect(code).toBe(2)
    expect(stderr).toContain("There is no strategy 'treshold'. Did you mean threshold?")
    expect(written).toThrow('ENOENT')
    const long = await call('init', '--strategy', 'x'.repeat(70))
    expect(long.stderr).toContain(`'${'x'.repeat(64)}…'. There are:`)
  })

  test('--list names what there is, and writes nothing', async () => {
    const { code, stdout } = await call('init', '--list')
    expect(code).toBe(0)
    for (const { use, strategy } of shippedStrategies())
      expect(stdout).toMatch(new RegExp(`^${use} +${strategy.summary}`, 'm'))
    expect(JSON.parse((await call('init', '--list', '--json')).stdout)).toEqual({
      strategies: shippedStrategies().map(({ use, strategy }) => ({
        use,
        summary: strategy.summary,
      })),
    })
    expect(written).toThrow('ENOENT')
  })

  test('the schema beside it knows the parameters', async () => {
    await call('init')
    const schema = JSON.parse(readFileSync(join(cwd, 'ballast.schema.json'), 'utf8'))
    expect(schema.properties.strategies.items.properties.use.anyOf[0].enum).toEqual(uses)
    expect(JSON.parse((await call('schema')).stdout)).toEqual(schema)
  })
})

describe('config check holds every strategy to policy', () => {
  const dai = '"0x5fbdb2315678afecb367f032d93f642f64180ab0"'
  const good = goodYaml
    .replace('wallet: {', `  DAI: { address: ${dai}, decimals: 18 }\nwallet: {`)
    .replace(
      'strategies:',
      '  bands: { WETH: { min: 1500 USD, max: 8000 USD }, USDC: { min: 0.9 USD, max: 1.1 USD } }\nstrategies:',
    )
  const check = async (text: string) => {
    write(text)
    const { code, stdout } = await call('check', '--json')
    const { ok, refused, warnings } = JSON.parse(stdout)
    return { code, ok, refused, warnings }
  }
  const entry = (use: string, params: string) =>
    good.replace(/use: threshold\n.*/, `use: ${use}\n    params: { ${params} }`)
  const allowing = (text: string) =>
    text
      .replace('tokens: [ETH,', 'tokens: [DAI, ETH,')
      .replace('pairs: [WETH/USDC]', 'pairs: [WETH/USDC, DAI/USDC]')
      .replace('perSwap: [', 'perSwap: [1000 DAI, ')
      .replace('perDay: [', 'perDay: [1000 DAI, ')
      .replace('recipients: []', `recipients: ["${tank}"]`)
  const calendar = 'cron: "0 9 * * *", timeZone: UTC, tolerance: 50 bps'
  const portfolio = 'tolerance: 50 bps, minimum: 200 USDC'
  const tank = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
  const gas = `sell: 600 USDC, tanks: ["${tank}"], below: 0.05 ETH, to: 0.2 ETH, tolerance: 50 bps, every: 5m`
  // Cut to what one swap may sell as well.
  const sweeping =
    'hold: 20000 USDC, above: 25000 USDC, below: 15000 USDC, sweep: 99999 USDC, refill: 99999 DAI, tolerance: 30 bps, every: 10m'
  const exit =
    'sell: 99999 DAI, buy: USDC, floor: 0.97 USDC, back: 0.99 USDC, confirm: 5 of 5, every: 1m, tolerance: 100 bps'
  const reverting =
    'buy: 1000 USDC, sell: 99 WETH, budget: 10000 USDC, band: 3 %, stop: 8 %, every: 1h, looks: 24, tolerance: 50 bps'
  const aDay = 'start: 2026-12-31T09:00:00Z, slices: 4, every: 6h, tolerance: 50 bps'

  test.each([
    ['threshold', 'sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s'],
    ['dca', `sell: 500 USDC, buy: WETH, price: 4000 USDC per WETH, ${calendar}`],
    // Cut to what one swap may sell: no amount of theirs is too much.
    ['twap', `sell: 100 WETH, buy: USDC, ${aDay}`],
    ['rebalance', `weights: { WETH: 60 %, USDC: 40 % }, probes: "50 WETH", ${portfolio}`],
    ['gas-tank', gas],
    ['cash-sweep', sweeping],
    ['depeg-exit', exit],
    ['mean-reversion', reverting],
    // The coin that pays the gas is priced and not traded.
    ['rebalance', `weights: { DAI: 50 %, USDC: 50 % }, in: USDC, keep: 1 ETH, ${portfolio}`],
  ])('%s: nothing to say of what policy lets through', async (use, params) => {
    const allowed = allowing(entry(use, params))
    expect(await check(allowed)).toEqual({ code: 0, ok: true, refused: [], warnings: [] })
  })

  test('an order that is over is told of', async () => {
    const cron = "cron: '0 9 * * 1', timeZone: UTC, tolerance: 50 bps"
    const over = entry('dca', `sell: 100 USDC, buy: WETH, ${cron}, end: 2020-01-01`)
    expect(await check(allowing(over))).toMatchObject({
      code: 0,
      warnings: ['sell-strength is over: its end is 2020-01-01T00:00:00.000Z'],
    })
  })

  const limit = (sell: string, price = '2950 USDC') =>
    entry('threshold', `sell: ${sell}, buy: USDC, price: ${price}, every: 5s`)
  test.each<[string, string, readonly string[], (readonly string[])?]>([
    [
      'a token, a pair and a limit that are not listed',
      limit('10 DAI', '0.9 USDC'),
      [
        'policy.token-sold: expected one of ETH, WETH, USDC, got DAI',
        'policy.pair: expected one of ETH/USDC, WETH/USDC, got DAI/USDC',
        'policy.per-swap: expected a limit of more than 0 DAI in policy.perSwap, got 10 DAI',
        'policy.per-day: expected at most 0 DAI in 24 hours, got 10 DAI on top of 0 DAI',
      ],
    ],
    [
      'a token bought',
      entry('dca', `sell: 500 USDC, buy: DAI, ${calendar}`),
      [
        'policy.token-bought: expected one of ETH, WETH, USDC, got DAI',
        'policy.pair: expected one of ETH/USDC, WETH/USDC, got USDC/DAI',
      ],
    ],
    [
      'a tank that is no recipient',
      entry('gas-tank', gas),
      [`policy.recipient: expected the wallet or a listed recipient, got ${tank}`],
    ],
    [
      'more than one swap may sell',
      limit('6 WETH'),
      ['policy.per-swap: expected more than 0, at most 5 WETH, got 6 WETH'],
    ],
    [
      'an exit from a lost peg, which the peg that policy holds it to would stop',
      allowing(entry('depeg-exit', exit)).replace(
        '  bands:',
        '  stablecoins: { DAI: 200 bps, USDC: 100 bps }\n  bands:',
      ),
      ['policy.pegs: expected every stablecoin at its peg, got DAI 397 bps off, allowed 200 bps'],
    ],
    [
      'a stop of a lost peg, which the peg that policy holds it to would stop',
      allowing(
        entry(
          'threshold',
          'sell: 1000 DAI, buy: USDC, when: stop, price: 0.97 USDC, tolerance: 100 bps, every: 5s',
        ),
      ).replace('  bands:', '  stablecoins: { DAI: 200 bps, USDC: 100 bps }\n  bands:'),
      ['policy.pegs: expected every stablecoin at its peg, got DAI 300 bps off, allowed 200 bps'],
    ],
    [
      'a slice of a dip that is more, though the usual one is not',
      entry(
        'dca',
        `sell: 9000 USDC, buy: WETH, dipBelow: 5 %, dipFactor: 2, price: 4000 USDC per WETH, ${calendar}`,
      ),
      ['policy.per-swap: expected more than 0, at most 15000 USDC, got 18000 USDC'],
    ],
    [
      'a least slice that is more',
      entry('twap', `sell: 100 WETH, buy: USDC, minimum: 6 WETH, ${aDay}`),
      ['policy.per-swap: expected more than 0, at most 5 WETH, got 6 WETH'],
    ],
    [
      'a least trade that is more, in what everything is counted in',
      entry(
        'rebalance',
        'weights: { WETH: 60 %, USDC: 40 % }, tolerance: 50 bps, minimum: 16000 USDC',
      ),
      ['policy.per-swap: expected more than 0, at most 15000 USDC, got 16000 USDC'],
    ],
    [
      'more than is sold in a day',
      limit('2 WETH').replace('perDay: [200 WETH', 'perDay: [1 WETH'),
      ['policy.per-day: expected at most 1 WETH in 24 hours, got 2 WETH on top of 0 WETH'],
      ['policy.perDay (1 WETH) is below policy.perSwap (5 WETH)'],
    ],
    [
      'worth too much even at the lower end of its band',
      limit('5 WETH').replace('min: 1500 USD', 'min: 4001 USD').replace('2950', '5000'),
      ['policy.notional-per-swap: expected at most 20000 USD a swap, got 20005 USD'],
    ],
    [
      'a price above the band',
      limit('1 WETH', '9000 USDC'),
      [
        'policy.within-bands: expected from 1363.636364 USDC to 8888.888888 USDC (policy.bands), got 9000 USDC to 9000 USDC',
      ],
    ],
    [
      'a price below the band',
      limit('1 WETH', '1000 USDC'),
      [
        'policy.within-bands: expected from 1363.636364 USDC to 8888.888888 USDC (policy.bands), got 1000 USDC to 1000 USDC',
      ],
    ],
    [
      'a worst price of a calendar',
      entry('dca', `sell: 500 USDC, buy: WETH, price: 10000 USDC per WETH, ${calendar}`),
      [
        'policy.within-bands: expected from 0.05625 WETH to 0.366666666666666666 WETH (policy.bands), got 0.05 WETH to 0.05 WETH',
      ],
    ],
    [
      'a worst price of slices',
      entry('twap', `sell: 4 WETH, buy: USDC, floor: 9000 USDC per WETH, ${aDay}`),
      [
        'policy.within-bands: expected from 1363.636364 USDC to 8888.888888 USDC (policy.bands), got 9000 USDC to 9000 USDC',
      ],
    ],
  ])('%s', async (_, text, sentences, warnings = []) => {
    expect(await check(text)).toEqual({
      code: 2,
      ok: false,
      refused: sentences.map((sentence) => ({
        name: 'sell-strength',
        sentence: `Refused: ${sentence}.`,
      })),
      warnings,
    })
  })

  test('a strategy that says nothing of its swaps is held to what it watches', async () => {
    write(limit('6 WETH').replace('pairs: [WETH/USDC]', 'pairs: []'))
    const config = loadConfig({ file: 'ballast.yaml', environment: {}, cwd })
    const [loaded] = await loadStrategies(config)
    if (loaded === undefined) throw new Error('there is one')
    const { typicalSwaps: _, ...strategy } = loaded.strategy
    const screening = { config, appraise: appraiseByBands(config, systemClock), clock: systemClock }
    expect(await screenStrategy(screening, { ...loaded, strategy })).toEqual([
      {
        name: 'sell-strength',
        sentence:
          'Refused: policy.pair: expected a pair of policy.pairs, which lists none, got WETH/USDC.',
      },
    ])
  })

  test('a person reads one line for each, and what to do', async () => {
    write(limit('6 WETH'))
    const { code, stdout } = await call('check')
    expect(code).toBe(2)
    expect(stdout).toMatch(
      /^refused +sell-strength: policy\.per-swap: expected more than 0, at most 5 WETH, got 6 WETH\.$/m,
    )
    expect(lastLine(stdout)).toBe('Next: correct what is refused above, then ballast config check')
  })

  test('weights that name the coin and not its wrapped form are a warning, the other way they are not', async () => {
    const half = `weights: { ETH: 60 %, USDC: 40 % }, keep: 1 ETH, ${portfolio}`
    expect(await check(entry('rebalance', half))).toEqual({
      code: 0,
      ok: true,
      refused: [],
      warnings: [
        'sell-strength: the weights name ETH and not WETH, so WETH of the wallet counts as nothing: with wrapped: WETH the two are one asset',
      ],
    })
    const whole = await check(entry('rebalance', `${half}, wrapped: WETH`))
    expect(whole.warnings).toEqual([])
    const gas = await check(entry('rebalance', `weights: { WETH: 60 %, USDC: 40 % }, ${portfolio}`))
    expect(gas.warnings).toEqual([])
  })
})

describe('the next step', () => {
  test('is the last line a person reads, and no part of what a program reads', async () => {
    expect(lastLine((await call('init')).stdout)).toBe('Next: ballast config check')
    write(goodYaml)
    expect(lastLine((await call('check')).stdout)).toBe('Next: ballast plan')
    expect((await call('check', '--json')).stdout).not.toContain('Next')
    write(goodYaml.replace(/strategies:[\s\S]*?(?=database)/, ''))
    expect(lastLine((await call('check')).stdout)).toBe(
      'Next: add a strategy; ballast config init --list names what there is',
    )
  })

  test('names the file that was named', async () => {
    const { stdout } = await call('init', '--config', 'other.yaml')
    expect(lastLine(stdout)).toBe("Next: ballast config check --config 'other.yaml'")
    write(goodYaml, 'other.yaml')
    expect(lastLine((await call('check', '--config', 'other.yaml')).stdout)).toBe(
      "Next: ballast plan --config 'other.yaml'",
    )
  })
})

describe('config show', () => {
  const shown = async (environment: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await callCli(['config', 'show', '--json'], {
      cwd,
      environment,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { hash, values } = JSON.parse(stdout) as {
      hash: string
      values: { key: string; value: unknown; origin: string }[]
    }
    return { hash, stdout, of: (wanted: string) => values.find(({ key }) => key === wanted) }
  }

  test('every value says where it is from', async () => {
    write(goodYaml)
    write('LOG_LEVEL=debug\nQUOTE_API_KEY=a-key-of-the-service\n', '.env')
    const { of } = await shown({ RPC_URL: 'http://127.0.0.1:9999' })
    expect(of('chain.chainId')).toMatchObject({ value: '31337', origin: 'ballast.yaml:3:3' })
    expect(of('chain.blockTime')).toMatchObject({ value: '12s', origin: 'default' })
    expect(of('chain.rpcUrl')).toMatchObject({ origin: 'RPC_URL (environment)' })
    expect(of('logLevel')).toMatchObject({ value: 'debug', origin: 'LOG_LEVEL (.env)' })
    expect(of('service.apiKey')).toMatchObject({
      value: '[secret]',
      origin: 'QUOTE_API_KEY (.env)',
    })
    expect(of('strategies.0.params.price')).toMatchObject({
      value: '2950 USDC',
      origin: 'ballast.yaml:37:40',
    })
    expect(of('strategies.0.priority')).toMatchObject({ value: '0', origin: 'default' })
  })

  test('an address anywhere keeps its scheme and host alone, also among parameters', async () => {
    write(
      goodYaml.replace(
        'every: 5s',
        'every: 5s, feed: "wss://user:word@feed.example/key-in-the-path?k=key-in-the-query", note: "see https://note.example/key-in-the-note, please", one: "by ws://me:word\'word,word\\"word@one.example now"',
      ),
    )
    const { of, stdout } = await shown({
      DATABASE_URL: 'postgres://bot:password-of-it@db.example/journal',
    })
    expect(of('strategies.0.params.feed')?.value).toBe('wss://feed.example')
    expect(of('strategies.0.params.note')?.value).toBe('see https://note.example please')
    expect(of('strategies.0.params.one')?.value).toBe('by ws://one.example now')
    expect(of('database')?.value).toBe('postgres://db.example')
    expect(stdout).not.toMatch(/key-in|user|word/)
    expect((await call('show')).stdout).not.toMatch(/key-in|user|word/)
  })

  test('the path of a database file is no address', async () => {
    write(goodYaml)
    const { of } = await shown({ DATABASE_URL: 'sqlite:///var/lib/ballast.db' })
    expect(of('database')?.value).toBe('sqlite:///var/lib/ballast.db')
  })

  test.each([
    ['RPC_URL', 'https://ops:Xk7,tR9qLmW2pZ@node.example/', 'chain.rpcUrl', 'https://node.example'],
    [
      'RPC_URL',
      "https://node.example/v2/Abcd'efgh,ijklmnop",
      'chain.rpcUrl',
      'https://node.example',
    ],
    [
      'DATABASE_URL',
      'postgres://ballast:aB3<xY9kQ7@db.example/b',
      'database',
      'postgres://db.example',
    ],
  ])(
    '%s %s: nothing of a key is shown, whatever signs are in it',
    async (name, value, key, seen) => {
      write(goodYaml)
      const { of, stdout } = await shown({ [name]: value })
      expect(of(key)?.value).toBe(seen)
      expect(stdout).not.toMatch(/tR9q|efgh|ijkl|xY9k/)
    },
  )

  test('the hash is of what is in force: words, order and keys of addresses do not count', async () => {
    write(goodYaml)
    const { hash } = await shown()
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    write(`# a remark\n${goodYaml.replace(/^(wallet: .*\n)(quote: .*\n)/m, '$2$1')}`)
    expect((await shown()).hash).toBe(hash)
    const keyed = await shown({ RPC_URL: 'http://127.0.0.1:8545/v3/a-key-of-the-node' })
    const other = await shown({ RPC_URL: 'http://127.0.0.1:8545/v3/another-key-of-it' })
    expect(keyed.hash).toBe(other.hash)
    write(goodYaml.replace('2950 USDC', '2951 USDC'))
    expect((await shown()).hash).not.toBe(hash)
  })
})
