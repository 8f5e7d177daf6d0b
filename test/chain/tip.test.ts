import { describe, expect, test } from 'vitest'
import { type Rpc, type RpcCall, RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { boundedTip, readTip } from '../../src/chain/tip.ts'

const hash = `0x${'ab'.repeat(32)}`
const head = { number: '0x9', hash, parentHash: hash, timestamp: '0x1', baseFeePerGas: '0x64' }
const hex = (value: number) => `0x${value.toString(16)}`

/** The middle tip of each block, undefined for an empty one; what else is asked is refused where it is not given. */
function node(paid: readonly (number | undefined)[] | undefined, claim?: number, price?: number) {
  const answers: Record<string, unknown> = {
    eth_getBlockByNumber: head,
    eth_feeHistory: paid && {
      gasUsedRatio: paid.map((tip) => (tip === undefined ? 0 : 0.4)),
      reward: paid.map((tip = 0) => [hex(tip)]),
    },
    eth_maxPriorityFeePerGas: claim === undefined ? undefined : hex(claim),
    eth_gasPrice: price && hex(price),
  }
  const outcome = ({ method, parse }: RpcCall<unknown>) =>
    answers[method] === undefined
      ? { ok: false, error: new RpcRefused(method, { code: -32_601, message: 'no' }) }
      : { ok: true, value: parse(answers[method]) }
  return { batch: async (calls: readonly RpcCall<unknown>[]) => calls.map(outcome) } as Rpc
}

const sleep = async () => new Promise<void>((resolve) => setTimeout(resolve, 50))
const clock = { now: () => 0, sleep }
const tip = (rpc: Rpc, witness?: Rpc) =>
  readTip({ rpc, witness: witness && { rpc: witness }, clock }, 5_000n)

describe('the tip', () => {
  test.each([
    ['is the middle of what blocks took; empty ones say nothing', [9, undefined, 40, 20], 999, 20n],
    ['is the lower of two in the middle', [10, 30], 999, 10n],
    ['is the claim of the node where that is lower', [50, 50, 50], 7, 7n],
    ['is the claim where every block was empty', [undefined, undefined], 7, 7n],
    ['is capped', [90_000], 90_000, 5_000n],
    ['is never nothing', [0, 0], 0, 1n],
  ] as const)('%s', async (_, paid, claim, expected) => {
    expect(await tip(node(paid, claim, 999_999))).toBe(expected)
  })

  test('without history and claim: the part of the price above the base fee', async () => {
    expect(await tip(node(undefined, undefined, 130))).toBe(30n)
    expect(await tip(node(undefined, undefined, 90))).toBe(1n)
    await expect(tip(node(undefined))).rejects.toMatchObject({ code: 'FEES_UNAVAILABLE' })
  })

  test('of two endpoints the lower one counts, whichever it is', async () => {
    expect(await tip(node([80], 80), node([30], 30))).toBe(30n)
    expect(await tip(node([30], 30), node([80], 80))).toBe(30n)
  })

  test('a second endpoint that is away or hangs has no say', async () => {
    const batch = () => Promise.reject(new Error('away'))
    expect(await tip(node([30], 30), { batch } as unknown as Rpc)).toBe(30n)
    const hangs = { batch: () => new Promise(() => {}) } as unknown as Rpc
    expect(await tip(node([30], 30), hangs)).toBe(30n)
  })

  test('a limit of nothing still leaves what a mempool takes', () => {
    expect(boundedTip(30n, 0n)).toBe(1n)
  })
})
