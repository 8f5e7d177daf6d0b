import { expect, test } from 'vitest'
import { getChainId } from '../../../src/chain/calls/node.ts'
import { fitBatches } from '../../../src/chain/rpc/fitBatches.ts'
import { RpcRefused, wholeBatch } from '../../../src/chain/rpc/rpc.ts'

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

test('an endpoint that was ill for a moment takes whole batches again', async () => {
  const { rpc, state, exchangesOf } = endpoint()
  state.isIll = true
  await exchangesOf(8)
  state.isIll = false
  expect(await exchangesOf(8)).toEqual([8])
  expect(rpc.isOneExchange([getChainId, getChainId])).toBe(true)
})
