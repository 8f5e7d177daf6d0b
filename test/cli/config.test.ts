import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { shippedStrategies } from '../../src/bot/strategy/shippedStrategies.ts'
import { strategyEntry } from '../../src/cli/strategyEntry.ts'
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
  return text
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
    expect(text.match(/"FILL IN"/g)).toHaveLength(5)
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
    expect(schema.properties.strategies.items.properties.use.enum).toEqual(uses)
    expect(JSON.parse((await call('schema')).stdout)).toEqual(schema)
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
        'every: 5s, feed: "wss://user:word@feed.example/key-in-the-path?k=key-in-the-query", note: "see https://note.example/key-in-the-note, please"',
      ),
    )
    const { of, stdout } = await shown({
      DATABASE_URL: 'postgres://bot:password-of-it@db.example/journal',
    })
    expect(of('strategies.0.params.feed')?.value).toBe('wss://feed.example')
    expect(of('strategies.0.params.note')?.value).toBe('see https://note.example, please')
    expect(of('database')?.value).toBe('postgres://db.example')
    expect(stdout).not.toMatch(/key-in|user|word/)
    expect((await call('show')).stdout).not.toMatch(/key-in|user|word/)
  })

  test('the path of a database file is no address', async () => {
    write(goodYaml)
    const { of } = await shown({ DATABASE_URL: 'sqlite:///var/lib/ballast.db' })
    expect(of('database')?.value).toBe('sqlite:///var/lib/ballast.db')
  })

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
