import { decodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import { createFund } from '../../../src/bot/allowance/fund.ts'
import { type Planned, pass } from '../../../src/bot/stages.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { type Rpc, RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import { slotOf } from '../../../src/chain/storage/layout.ts'
import { type Address, nativeAddress } from '../../../src/core/token.ts'

const router: Address = '0x0000000000000000000000000000000000000001'
const token: Address = '0x0000000000000000000000000000000000000002'
/** keccak-256 of the single byte 00. */
const routerCodeHash = '0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a'

const plannedFor = (address: Address) =>
  pass<Planned>({
    wallet: '0x00000000000000000000000000000000000000aa',
    intent: { sell: { token: { chainId: 1, address, symbol: 'T', decimals: 2 }, wei: 100n } },
  } as never)
const fundWith = (
  allowance: bigint,
  { code = '0x00', native = 1n, held = 100n, most = 0n } = {},
) => {
  const standing = [{ token: plannedFor(token).intent.sell.token, wei: most }]
  const rpc = {
    batch: async () => [code, native, held, allowance].map((value) => ({ ok: true, value })),
  } as unknown as Rpc
  return createFund({ rpc, router, routerCodeHash, traced: () => false, standing, permits: [] })
}
const approved = async (allowance: bigint, most = 0n) => {
  const { approvals } = await fundWith(allowance, { most })(plannedFor(token))
  return approvals.map(({ to, data, value }) => {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
    return [to, value, functionName, ...(args ?? [])]
  })
}

describe('fund', () => {
  test('default: approves exactly the amount, to the pinned router', async () => {
    expect(await approved(0n)).toEqual([[token, 0n, 'approve', router, 100n]])
  })

  test('an allowance of exactly the amount: nothing', async () => {
    expect(await approved(100n)).toEqual([])
  })

  test('[TOKEN-06] any other allowance: zero first, a larger one too', async () => {
    for (const other of [1n, 99n, 101n, 2n ** 256n - 1n])
      expect(await approved(other)).toEqual([
        [token, 0n, 'approve', router, 0n],
        [token, 0n, 'approve', router, 100n],
      ])
  })

  test('whether a zero approval is refused is the word of the token: a node that limits calls says nothing', async () => {
    const standing = [{ token: plannedFor(token).intent.sell.token, wei: 0n }]
    const planned = async (code: number, message: string) => {
      const error = new RpcRefused('eth_call', { code, message })
      const rpc = {
        batch: async (calls: readonly unknown[]) =>
          calls.length === 1
            ? [{ ok: false, error }]
            : ['0x00', 1n, 100n, 5n].map((value) => ({ ok: true, value })),
      } as unknown as Rpc
      const parts = { rpc, router, routerCodeHash, traced: () => false, permits: [] } as const
      return (await createFund({ ...parts, standing })(plannedFor(token))).approvals
    }
    expect(await planned(3, 'execution reverted')).toHaveLength(1)
    await expect(planned(429, 'slow down')).rejects.toMatchObject({ rpcCode: 429 })
    await expect(planned(-32_603, 'internal error')).rejects.toMatchObject({ rpcCode: -32_603 })
  })

  test('where an amount may stand: approved once, used while it suffices, and renewed in two steps', async () => {
    const whole = [token, 0n, 'approve', router, 1_000n]
    expect(await approved(0n, 1_000n)).toEqual([whole])
    for (const enough of [100n, 101n, 1_000n]) expect(await approved(enough, 1_000n)).toEqual([])
    for (const other of [1n, 99n, 1_001n, 2n ** 256n - 1n])
      expect(await approved(other, 1_000n)).toEqual([[token, 0n, 'approve', router, 0n], whole])
    expect(await approved(0n, 100n)).toEqual([[token, 0n, 'approve', router, 100n]])
  })

  test('a swap of more than may stand: exactly its amount, and a standing rest goes', async () => {
    expect(await approved(0n, 99n)).toEqual([[token, 0n, 'approve', router, 100n]])
    expect(await approved(99n, 99n)).toHaveLength(2)
  })

  test('says what the router may take afterwards', async () => {
    const left = async (allowance: bigint, most: bigint) =>
      (await fundWith(allowance, { most })(plannedFor(token))).allowanceLeft
    expect(await left(100n, 0n)).toBe(0n)
    expect(await left(0n, 99n)).toBe(0n)
    expect(await left(0n, 1_000n)).toBe(900n)
    expect(await left(300n, 1_000n)).toBe(200n)
  })

  test('[TOKEN-21] the native token: nothing is approved', async () => {
    const { approvals } = await fundWith(0n, { native: 101n })(plannedFor(nativeAddress))
    expect(approvals).toEqual([])
  })

  test('another contract at the router: refused before anything is approved', async () => {
    for (const code of ['0x01', '0x'])
      await expect(fundWith(0n, { code })(plannedFor(token))).rejects.toMatchObject({
        code: 'FUND_ROUTER_CODE',
        fault: 'refused',
      })
  })

  test('[TOKEN-22] a wallet that holds one unit less, or nothing for gas: refused', async () => {
    await expect(fundWith(0n, { held: 99n })(plannedFor(token))).rejects.toMatchObject({
      code: 'FUND_BALANCE',
    })
    await expect(fundWith(0n, { native: 0n })(plannedFor(token))).rejects.toMatchObject({
      code: 'FUND_GAS_MONEY',
    })
    await expect(fundWith(0n, { native: 100n })(plannedFor(nativeAddress))).rejects.toMatchObject({
      code: 'FUND_GAS_MONEY',
    })
  })

  test('a traced token: says where its allowance is kept, and nothing where it cannot be told', async () => {
    const wallet = '0x00000000000000000000000000000000000000aa'
    const layout = { base: `0x${'4'.padStart(64, '0')}`, keyFirst: true } as const
    const slot = slotOf(layout, [wallet, router])
    const at = async (reads: unknown) => {
      const seen = ['0x00', 1n, 100n, 0n, reads].map((value) => ({ ok: true, value }))
      const rpc = { batch: async () => seen } as unknown as Rpc
      const fund = createFund({
        rpc,
        router,
        routerCodeHash,
        traced: () => true,
        standing: [],
        permits: [],
      })
      return (await fund(plannedFor(token))).allowanceSlot
    }
    expect(await at(new Map([[token, new Set(['0x01', slot])]]))).toBe(slot)
    expect(await at(new Map([[token, new Set(['0x01'])]]))).toBeUndefined()
    expect(await at(new Map([[router, new Set([slot])]]))).toBeUndefined()
  })

  test('a read that failed is no balance', async () => {
    const failing = { ok: false, error: new Error('away') }
    const rpc = { batch: async () => [failing, failing, failing, failing] } as unknown as Rpc
    await expect(
      createFund({ rpc, router, routerCodeHash, traced: () => false, standing: [], permits: [] })(
        plannedFor(token),
      ),
    ).rejects.toThrow('away')
  })
})
