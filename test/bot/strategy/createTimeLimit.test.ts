import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createTimeLimit } from '../../../src/bot/strategy/createTimeLimit.ts'
import type { Context, Own } from '../../../src/bot/strategy/index.ts'
import { checkStrategies, type LoadedStrategy } from '../../../src/bot/strategy/load.ts'
import { contextWith } from '../../../src/bot/strategy/testing.ts'
import type { BallastError } from '../../../src/core/errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'time-limit-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Parts = { top?: string; params?: string; schedule?: string; watch?: string; decide?: string }

let files = 0
/** Loads a strategy of these parts. `endless` is there for them, and counts its calls. */
function load({ top = '', params = '', schedule = '', watch = '', decide = '' }: Parts) {
  files += 1
  const use = `endless-${files}`
  const text = `import { defineStrategy, wait } from '#strategy'
const calls = { made: 0 }
const endless = () => { calls.made += 1; for (;;); }
${top}
export default defineStrategy<object>({
  name: 'endless', summary: 'Never ends.', params: (fields) => (${params} fields.object({})),
  schedule: () => (${schedule} { kind: 'every', seconds: 5 }), watch: () => (${watch} []),
  reserves: () => (calls.made > 0 ? endless() : []),
  decide: ({ slot }) => (slot === 0 ? ${decide === '' ? 'endless()' : decide} : wait(String(calls.made))),
})
`
  writeFileSync(join(folder, `${use}.ts`), text)
  const entry = { name: 'mine', use, params: {}, path: ['strategies', 0, 'params'], priority: 0 }
  const file = '/treasury/ballast.yaml'
  return checkStrategies({ file, tokens: { bySymbol: new Map() }, strategies: [entry] }, folder)
}

const limited = (loaded: LoadedStrategy | undefined) =>
  createTimeLimit()(loaded === undefined ? [] : [loaded])[0] as LoadedStrategy

const look = (slot: number) => contextWith({}, { slot }) as Context<unknown>
const own: Own = { inflight: [], fills: [], totals: [], lastFill: undefined }
const thrownBy = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    const { code, summary } = error as BallastError
    return { code, summary }
  }
  return undefined
}
const late = (part: string) => ({
  code: 'STRATEGY_BROKEN',
  summary: `mine: ${part} failed: no answer within 2 s. It is called again after a restart, or a change of the configuration.`,
})

test('an endless decide is ended, breaks its strategy, and is not called again', () => {
  const [loaded] = load({}).loaded
  const { strategy } = limited(loaded)
  expect(strategy.decide(look(1))).toEqual({ kind: 'wait', reason: '0' })
  expect(thrownBy(() => strategy.decide(look(0)))).toEqual(late('decide'))
  expect(thrownBy(() => strategy.decide(look(1)))).toEqual(late('decide'))
  // The strategy itself, as a replay has it: it was called twice, since a machine may stand still.
  expect(loaded?.strategy.decide(look(1))).toEqual({ kind: 'wait', reason: '2' })

  const reserving = () => strategy.reserves?.({ ...own, params: {}, now: 0, memory: undefined })
  expect([thrownBy(reserving), thrownBy(reserving)]).toEqual([late('reserves'), late('reserves')])
  expect(loaded?.strategy.decide(look(1))).toEqual({ kind: 'wait', reason: '4' })
})

test('the same list gives the same strategies; of another limit, others: a plan breaks none of the bot', () => {
  const all = load({}).loaded
  const [bot, plans] = [createTimeLimit(), createTimeLimit()]
  expect(bot(all)).toBe(bot(all))
  const decide = (limit: typeof bot, slot: number) => limit(all)[0]?.strategy.decide(look(slot))
  expect(thrownBy(() => decide(plans, 0))).toEqual(late('decide'))
  expect(decide(bot, 1)).toMatchObject({ kind: 'wait' })
  expect(thrownBy(() => decide(plans, 1))).toEqual(late('decide'))
})

test('what is late once, and then in time, answers', () => {
  const [loaded] = load({ decide: "(calls.made === 0 ? endless() : wait('in time'))" }).loaded
  const { strategy } = limited(loaded)
  expect(strategy.decide(look(0))).toEqual({ kind: 'wait', reason: 'in time' })
})

test('an error within the time stays what it is, and the next call is made', () => {
  const [loaded] = load({ decide: "(() => { throw new Error('no such pair') })()" }).loaded
  const { strategy } = limited(loaded)
  const failed = () => thrownBy(() => strategy.decide(look(0)))
  expect(failed()).toEqual({
    code: 'STRATEGY_BROKEN',
    summary: expect.stringMatching(
      /^strategies\/endless-4\.ts:\d+:\d+ decide failed: no such pair\.$/,
    ),
  })
  expect(strategy.decide(look(1))).toEqual({ kind: 'wait', reason: '0' })
})

test.each([
  ['cannot be loaded', { top: 'endless()' }],
  ['params failed', { params: 'endless(),' }],
  ['schedule failed', { schedule: 'endless(),' }],
])('an endless file is a problem of the configuration: it %s', (part, parts) => {
  expect(load(parts)).toMatchObject({
    loaded: [],
    problems: [{ sentence: `strategies/endless-${files}.ts ${part}: no answer within 2 s.` }],
  })
})
