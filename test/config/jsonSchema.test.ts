import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { paramsSchema } from '../../src/bot/strategy/paramsSchema.ts'
import { shippedStrategies } from '../../src/bot/strategy/shippedStrategies.ts'
import { template } from '../../src/cli/configTemplate.ts'
import { strategyEntry } from '../../src/cli/strategyEntry.ts'
import { jsonSchema } from '../../src/config/jsonSchema.ts'
import { goodYaml } from './goodYaml.ts'

type Schema = {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly default?: unknown
  readonly examples?: unknown
  readonly enum?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

const shipped = shippedStrategies()
const schema = jsonSchema(
  shipped.map(({ use, strategy }) => ({
    name: use,
    summary: strategy.summary,
    params: paramsSchema(strategy),
  })),
) as Schema

/** As an editor judges: where it underlines, with what. */
const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(
  schema,
)
function underlined(yaml: string): readonly string[] {
  if (validate(parse(yaml))) return []
  return (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .map(({ instancePath, keyword, params }) =>
      keyword === 'additionalProperties'
        ? `${instancePath}/${params.additionalProperty}: ${keyword}`
        : `${instancePath}: ${keyword}`,
    )
}

describe('jsonSchema', () => {
  test('unknown keys are marked, defaults are not required', () => {
    expect(schema.additionalProperties).toBe(false)
    expect(schema.anyOf?.map(({ required }) => required)).toEqual([
      ['chain', 'service', 'tokens', 'wallet', 'policy'],
      ['wallets'],
    ])
    expect(schema.properties?.chain?.required).toEqual(['name', 'chainId', 'currency', 'rpcUrl'])
    expect(schema.properties?.quote?.properties?.expiry?.default).toBe('30s')
  })

  test('a file with several wallets has sections in the entries of wallets and chains', () => {
    const { wallet, chain, service, tokens, ...top } = parse(goodYaml)
    const entry = { ...wallet, chain: 'local' }
    const fleet = { ...top, chains: [{ chain, service, tokens }], wallets: [entry] }
    const marked = (file: unknown) => underlined(stringify(file))
    expect(marked(fleet)).toEqual([])
    expect(marked({ ...fleet, wallets: [{ ...entry, polcy: {} }] })).toEqual([
      '/wallets/0/polcy: additionalProperties',
    ])
    // What one process reads is one for all.
    expect(marked({ ...fleet, wallets: [{ ...entry, database: 'x' }] })).toEqual([
      '/wallets/0/database: additionalProperties',
    ])
    expect(marked({ ...top, chains: fleet.chains })).not.toEqual([])
  })

  test('a strategy is one of a list, or a path', () => {
    const using = (use: string) => underlined(goodYaml.replace('use: threshold', `use: ${use}`))
    expect(goodYaml).toContain('use: threshold')
    expect(using('./buy-low/strategy.ts')).toEqual([])
    expect(using('treshold').length).toBeGreaterThan(0)
  })

  test('a number may be written as one', () => {
    expect(schema.properties?.chain?.properties?.chainId).toMatchObject({
      type: ['integer', 'string'],
      examples: ['1'],
    })
  })

  test('the strategies there are can be chosen from', () => {
    expect(schema.properties?.strategies?.items?.properties?.use?.anyOf?.[0]).toEqual({
      enum: shipped.map(({ use }) => use),
      enumDescriptions: shipped.map(({ strategy }) => strategy.summary),
    })
  })

  test('a key is described by its strategy, and by its kind', () => {
    const { properties } = paramsSchema({
      params: (fields) =>
        fields.object({
          late: fields.required(fields.seconds, { doc: 'How late it may be.', example: '5s' }),
          most: fields.optional(fields.bps, { doc: 'The most. It is not more.' }),
          rest: fields.bps,
        }),
    })
    expect(properties?.late?.examples).toEqual(['5s'])
    expect(properties?.most?.examples).toEqual(['25 bps'])
    const described = Object.entries(properties ?? {}).map(([key, part]) => [key, part.description])
    expect(Object.fromEntries(described)).toEqual({
      late: 'How late it may be. A duration of whole seconds.',
      most: 'The most. It is not more. A share in basis points: 1 bps is 0.01 %.',
      rest: 'A share in basis points: 1 bps is 0.01 %.',
    })
  })

  test('a right file has nothing underlined', () => {
    expect(underlined(goodYaml)).toEqual([])
  })

  const params = '/strategies/0/params'
  test.each([
    ['maxFee: 10 bps', 'maxFee: 10', ['/policy/maxFee: type']],
    ['maxFee: 10 bps', 'maxFee: 0.1 %', ['/policy/maxFee: pattern']],
    ['expiry: 30s', 'expiry: "30"', ['/quote/expiry: pattern']],
    ['5 WETH, 5', '5WETH, 5', ['/policy/perSwap/0: pattern']],
    [
      'perHour: 1',
      'perHuor: 1',
      ['/policy/notional: required', '/policy/notional/perHuor: additionalProperties'],
    ],
    [
      'use: threshold',
      'use: treshold',
      ['enum', 'pattern', 'anyOf'].map((one) => `/strategies/0/use: ${one}`),
    ],
    ['sell: 1 WETH', 'sell: 1', [`${params}/sell: type`]],
    ['price: 2950 USDC', 'price: 2950USDC', [`${params}/price: pattern`]],
    ['every: 5s', 'every: 5 seconds', [`${params}/every: pattern`]],
    ['buy: USDC, ', '', [`${params}: required`]],
    ['every: 5s', 'every: 5s, colour: red', [`${params}/colour: additionalProperties`]],
    [
      '    use: threshold',
      '    use: threshold\n    priority: high',
      ['/strategies/0/priority: pattern'],
    ],
    [
      '    use: threshold',
      '    use: threshold\n    prority: 3',
      ['/strategies/0/prority: additionalProperties'],
    ],
  ])('%s written as %s is underlined where it is wrong', (right, wrong, places) => {
    expect(goodYaml).toContain(right)
    expect(underlined(goodYaml.replace(right, wrong))).toEqual(places)
  })

  test('the parameters are those of the strategy that is used, and no other', () => {
    expect(underlined(goodYaml.replace('use: threshold', 'use: dca')).length).toBeGreaterThan(1)
  })

  test.each(shipped.map((one) => [one.use, one] as const))(
    '%s: its template has nothing underlined but what is to be filled in',
    (use, one) => {
      const entry = strategyEntry(one, use)
      const written = underlined(template([entry]))
      const blanks = underlined(template([]))
      expect(blanks.length).toBeGreaterThan(0)
      // Where an example trades a second coin, its address is one more.
      const more = /\bDAI\b/.test(entry) ? ['/tokens/DAI/address: pattern'] : []
      expect([...written].sort()).toEqual([...blanks, ...more].sort())
    },
  )
})
