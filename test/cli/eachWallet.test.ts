import { expect, test } from 'vitest'
import { eachWallet } from '../../src/cli/eachWallet.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { ballastError } from '../../src/core/errors.ts'

const terminal = { columns: 80, out() {} } as unknown as Terminal

test.each([
  [[0, 0], 0],
  [[0, 4], 4],
  [[4, 75], 75],
  // A node that is away hides no break of another wallet.
  [[1, 4], 1],
  [[75, 3, 0], 3],
])('wallets that end with %j end with %i together', async (codes, code) => {
  const names = codes.map((_, index) => `wallet-${index}`)
  const ended = await eachWallet({
    ...{ names, json: false, terminal },
    run: async (name) => codes[names.indexOf(name)] ?? 0,
    report: () => {
      throw new Error('none fails')
    },
  })
  expect(ended).toBe(code)
})

test.each([
  // The strategy of one wallet is stopped, and another wallet has none of that name.
  [[0, 'UNKNOWN_STRATEGY'], 0],
  [[4, 'UNKNOWN_STRATEGY'], 4],
  [['UNKNOWN_STRATEGY', 'UNKNOWN_STRATEGY'], 2],
  [[0, 'CONFIG_INVALID'], 2],
] as const)('wallets that end with %j end with %i together', async (ends, code) => {
  const ended = await eachWallet({
    ...{ names: ['0', '1'], json: false, terminal },
    async run(name) {
      const end = ends[Number(name)] ?? 0
      if (typeof end === 'string') throw ballastError(end, 'It failed.')
      return end
    },
    report: () => 2,
  })
  expect(ended).toBe(code)
})
