import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createReload } from '../../src/app/createReload.ts'
import { watchOnly } from '../../src/app/dashboard/serveDashboard.ts'
import { openEngine } from '../../src/app/openEngine.ts'
import { systemClock } from '../../src/core/clock.ts'
import { ballastError } from '../../src/core/errors.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { silent } from '../support/silent.ts'

let fork: Fork
beforeEach(async () => {
  fork = await forkOrigin()
})
afterEach(() => fork.close())

/** A file with these strategies. */
function writeStrategies(text: string): string {
  const [head] = readFileSync(fork.ready.config, 'utf8').split(/^(?=strategies:)/m)
  const end = readFileSync(fork.ready.config, 'utf8').match(/^database:[\s\S]*/m)?.[0] ?? ''
  const file = join(fork.dataDir, 'buying.yaml')
  writeFileSync(file, `${head}strategies:\n${text}${end}`)
  return file
}

/** An engine over a file that a worker may give back; `unname` has it read a file without its wallet. */
async function openLeaving(file: string) {
  const [leave, unnamed] = [new AbortController(), Promise.withResolvers<void>()]
  let refusal: ReturnType<ReturnType<typeof createReload>['refused']>
  const never = () => new AbortController().signal
  const { current } = createReload({ configFile: file, environment: {}, cwd: fork.dataDir })
  const engine = await openEngine({
    reload: {
      current,
      refused: () => refusal,
      async watch({ onProblem, signal }) {
        signal.addEventListener('abort', () => unnamed.resolve())
        await unnamed.promise
        if (signal.aborted) return
        const problem = ballastError('WALLET_NOT_NAMED', 'The configuration has no such wallet.')
        refusal = { since: 0, problem, isUnnamed: true }
        onProblem(problem)
      },
    },
    ...{ paper: false, balances: undefined, serve: watchOnly, clock: systemClock, log: silent },
    ...{ say: () => {}, signal: never(), halt: never(), leave: leave.signal },
  })
  const states = async () =>
    (await engine.journal.swaps.history({ limit: 10 })).map(({ state }) => state)
  return { engine, states, leave, unname: unnamed.resolve }
}

test('a wallet that is given back is left when its swap is decided, and begins no other', async () => {
  const params = 'sell: 1 ETH, buy: USDC, price: 2900 USDC, every: 1s'
  const file = writeStrategies(
    ['one', 'other']
      .map((name) => `  - name: ${name}\n    use: threshold\n    params: { ${params} }\n`)
      .join(''),
  )
  const { engine, states, leave, unname } = await openLeaving(file)
  await using _ = engine
  unname()
  const running = engine.run()
  await expect.poll(states, { interval: 5 }).not.toEqual([])
  leave.abort()
  expect(await states()).not.toEqual(['SETTLED'])
  expect(await running).toBe('stopped')
  expect(await states()).toEqual(['SETTLED'])
})

const twice = `
import { amountOf, defineStrategy, swap } from '#strategy'

export default defineStrategy({
  name: 'twice',
  summary: 'Sells in two swaps.',
  params: (fields) => fields.trade({}),
  schedule: () => ({ kind: 'every', seconds: 2 }),
  watch: ({ sell, buy }) => [{ sell, buy }],
  decide: ({ params: { sell, buy } }) => {
    const one = { sell, buy, floor: amountOf(buy, '2900'), reason: 'a half' }
    return swap(one, one)
  },
})
`

test.each([
  ['a decision that has begun is carried out', false, ['SETTLED', 'SETTLED']],
  ['of one that the file does not name any more only the swap under way', true, ['SETTLED']],
] as const)('a wallet that is given back: %s', async (_, isUnnamed, ends) => {
  writeFileSync(join(fork.dataDir, 'twice.ts'), twice)
  const file = writeStrategies(
    '  - name: twice\n    use: ./twice.ts\n    params: { sell: 1 ETH, buy: USDC }\n',
  )
  const { engine, states, leave, unname } = await openLeaving(file)
  await using __ = engine
  const running = engine.run()
  await expect.poll(states, { interval: 5 }).not.toEqual([])
  if (isUnnamed) unname()
  leave.abort()
  expect(await running).toBe('stopped')
  expect(await states()).toEqual(ends)
})
