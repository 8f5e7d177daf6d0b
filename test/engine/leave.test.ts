import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createReload } from '../../src/app/createReload.ts'
import { watchOnly } from '../../src/app/dashboard/serveDashboard.ts'
import { openEngine } from '../../src/app/openEngine.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { silent } from '../support/silent.ts'

let fork: Fork
beforeEach(async () => {
  fork = await forkOrigin()
})
afterEach(() => fork.close())

test('a wallet that is given back is left when its swap is decided, and begins no other', async () => {
  const [head] = readFileSync(fork.ready.config, 'utf8').split(/^(?=strategies:)/m)
  const file = join(fork.dataDir, 'buying.yaml')
  const params = 'sell: 1 ETH, buy: USDC, price: 2900 USDC, every: 1s'
  const strategies = ['one', 'other'].map(
    (name) => `  - name: ${name}\n    use: threshold\n    params: { ${params} }\n`,
  )
  const end = readFileSync(fork.ready.config, 'utf8').match(/^database:[\s\S]*/m)?.[0] ?? ''
  writeFileSync(file, `${head}strategies:\n${strategies.join('')}${end}`)
  const leave = new AbortController()
  await using engine = await openEngine({
    reload: createReload({ configFile: file, environment: {}, cwd: fork.dataDir }),
    ...{ paper: false, balances: undefined, serve: watchOnly, clock: systemClock, log: silent },
    say: () => {},
    signal: new AbortController().signal,
    halt: new AbortController().signal,
    leave: leave.signal,
  })
  const states = async () =>
    (await engine.journal.swaps.history({ limit: 10 })).map(({ state }) => state)
  const running = engine.run()
  await expect.poll(states, { interval: 5 }).not.toEqual([])
  leave.abort()
  expect(await states()).not.toEqual(['SETTLED'])
  expect(await running).toBe('stopped')
  expect(await states()).toEqual(['SETTLED'])
})
