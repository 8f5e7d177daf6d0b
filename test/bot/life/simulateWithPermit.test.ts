import { expect, test } from 'vitest'
import { simulateWithPermit } from '../../../src/bot/life/simulateWithPermit.ts'
import type { Drivetrain } from '../../../src/bot/life/train.ts'
import type { Funded, Planned } from '../../../src/bot/stages.ts'
import { createChecklist } from '../../../src/core/check.ts'
import { BallastError } from '../../../src/core/errors.ts'

const address = `0x${'1'.repeat(40)}` as const
const weth = { chainId: 1, address, symbol: 'WETH', decimals: 18 }
const swap = {
  ...{ orders: '0x', recipient: address, amountIn: 1n, amountOutMinimum: 1n },
  ...{ toWrap: false, toUnwrap: false, widgetFeeSignature: '0x', fallbackSwapDataArray: [] },
  widgetFee: { signer: address, feeRecipient: address, feeRate: 0n },
}

/** Examines a swap through Permit2, whose simulation fails these checks; and how many quotes that took. */
async function examine(...failed: readonly string[]) {
  let quotes = 0
  const same = async <value>(value: value) => value
  const train = {
    chainId: 1,
    onTrouble: () => {},
    journal: { locks: { guard: same }, attempts: { commitPermit: same } },
    inspect: { permit: () => {} },
    signer: {
      signPermit: async () => ({ nonce: 5n, deadline: 9n, signature: `0x${'00'.repeat(65)}` }),
    },
    reading: {
      ...{ appraise: same, verify: same },
      async quote(funded: Funded) {
        quotes += 1
        return funded
      },
      permit: async (funded: Funded) => ({
        ...{ ...funded, swap, authorization: `0x${'1'.repeat(64)}`, deadline: 9 },
        call: { to: address, data: '0x', value: 0n },
      }),
      async simulate() {
        const checks = createChecklist('simulate', { remedy: 'requote' })
        for (const name of failed) checks.equal(name, 'as quoted', 'otherwise')
        checks.conclude()
      },
    },
  } as unknown as Drivetrain
  const unfunded = {
    ...{ swapId: 's', wallet: address, intent: { sell: { token: weth, wei: 1n } } },
    permit2: { nonce: 5n, word: 0n, approvals: [], allowanceSlot: undefined, allowanceLeft: 19n },
  } as unknown as Funded
  const planned = unfunded as unknown as Planned
  const end = await simulateWithPermit({ planned, unfunded }, train).catch(
    (error: unknown) => error,
  )
  return { quotes, end: end instanceof BallastError ? end.code : end }
}

test('what a permit alone can fail falls back to an approval', async () => {
  expect(await examine('swap', 'spent')).toEqual({ quotes: 1, end: undefined })
})

test('a maker that cannot deliver is the fault of its quote: no approval comes of it', async () => {
  const { quotes, end } = await examine('maker-balance', 'swap', 'spent')
  expect(end).toMatch(/^SIMULATE_/)
  expect(quotes).toBe(3)
})
