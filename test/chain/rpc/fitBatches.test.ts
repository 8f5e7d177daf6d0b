import { expect, test } from 'vitest'
import { getChainId } from '../../../src/chain/calls/node.ts'
import { fitBatches } from '../../../src/chain/rpc/fitBatches.ts'
import { RpcGarbled, RpcRefused, wholeBatch } from '../../../src/chain/rpc/rpc.ts'

/** An endpoint that takes so many calls at once, or is ill and takes none. */
function endpoint() {
  const state = { most: Number.POSITIVE_INFINITY, isIll: false }
  const exchanges: number[] = []
  const ill = () => new RpcRefused(wholeBatch, { code: -32_603, message: 'Internal error' })
  const rpc = fitBatches({
    ...{ label: 'a', close: async () => {} },
    async request() {
      exchanges.push(1)
      if (state.isIll) throw ill()
      return 1 as never
    },
    async batch(calls) {
      exchanges.push(calls.length)
      if (state.isIll || calls.length > state.most) throw ill()
      return calls.map(() => ({ ok: true, value: 1 })) as never
    },
  })
  const exchangesOf = async (size: number) => {
    exchanges.length = 0
    await rpc.batch(Array.from({ length: size }, () => getChainId))
    return [...exchanges]
  }
  return { rpc, state, exchangesOf }
}

test('what an endpoint takes is remembered', async () => {
  const { state, exchangesOf } = endpoint()
  state.most = 4
  expect(await exchangesOf(8)).toEqual([8, 4, 4])
  expect(await exchangesOf(8)).toEqual([4, 4])
})

test('one that was cut to single calls is tried with more after a hundred of them', async () => {
  const { state, exchangesOf } = endpoint()
  state.most = 1
  expect(await exchangesOf(2)).toEqual([2, 1, 1])
  state.most = 8
  for (let exchange = 0; exchange < 98; exchange += 1) await exchangesOf(1)
  expect(await exchangesOf(2)).toEqual([1, 1])
  expect(await exchangesOf(2)).toEqual([2])
})

test('a size that was refused once is tried again after a hundred exchanges', async () => {
  const { rpc, state, exchangesOf } = endpoint()
  state.most = 4
  expect(await exchangesOf(8)).toEqual([8, 4, 4])
  state.most = 8
  for (let exchange = 1; exchange < 100; exchange += 1) expect(await exchangesOf(4)).toEqual([4])
  expect(rpc.isOneExchange(Array.from({ length: 8 }, () => getChainId))).toBe(false)
  // A smaller exchange says nothing of the size.
  await exchangesOf(3)
  expect(rpc.isOneExchange(Array.from({ length: 8 }, () => getChainId))).toBe(false)
  await exchangesOf(4)
  expect(await exchangesOf(8)).toEqual([8])
  expect(await exchangesOf(16)).toEqual([8, 8])
})

test('one refusal in place of all answers, as Geth has it, is of the batch', async () => {
  const sizes: number[] = []
  const rpc = fitBatches({
    ...{ label: 'geth', close: async () => {} },
    request: async () => {
      throw new Error('no call is sent alone')
    },
    async batch(calls) {
      sizes.push(calls.length)
      const large = new RpcRefused('eth_call', { code: -32_600, message: 'batch too large' })
      const missing = new RpcGarbled('geth', 'eth_call was not answered')
      return calls.map((_, index) =>
        calls.length <= 4
          ? { ok: true, value: 1 }
          : { ok: false, error: index === 0 ? large : missing },
      ) as never
    },
  })
  const outcomes = await rpc.batch(Array.from({ length: 8 }, () => getChainId))
  expect([outcomes.every(({ ok }) => ok), sizes]).toEqual([true, [8, 4, 4]])
})

test('an endpoint that was ill for a moment takes whole batches again', async () => {
  const { rpc, state, exchangesOf } = endpoint()
  state.isIll = true
  await exchangesOf(8)
  state.isIll = false
  expect(await exchangesOf(8)).toEqual([8])
  expect(rpc.isOneExchange([getChainId, getChainId])).toBe(true)
})
