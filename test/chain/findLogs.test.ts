import { expect, test } from 'vitest'
import { findLogs } from '../../src/chain/calls/findLogs.ts'
import { type Rpc, RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { ballastError } from '../../src/core/errors.ts'

/** A node that searches so many blocks at a time, and has a log in every tenth of them. */
function nodeOf(blocksMax: number, refusal: () => Error = tooMuch, silence?: () => Error) {
  const ranges: (readonly [number, number])[] = []
  const rpc = {
    label: 'http://node.example',
    async request(call: { readonly method: string; readonly params: readonly unknown[] }) {
      if (call.method === 'eth_getBlockByNumber') {
        if (silence !== undefined) throw silence()
        return undefined
      }
      const [{ fromBlock, toBlock }] = call.params as [{ fromBlock: string; toBlock: string }]
      const [from, to] = [Number(fromBlock), Number(toBlock)]
      ranges.push([from, to])
      if (to - from + 1 > blocksMax) throw refusal()
      return Array.from({ length: to - from + 1 }, (_, at) => from + at).filter((n) => n % 10 === 0)
    },
  } as unknown as Rpc
  return { rpc, ranges }
}
const tooMuch = () => new RpcRefused('eth_getLogs', { code: -32_602, message: 'too many blocks' })

test('ranges are halved until the node takes them, and every block is searched once', async () => {
  const { rpc, ranges } = nodeOf(30)
  expect(await findLogs(rpc, { topics: [], from: 5, to: 104 })).toEqual([
    ...[10, 20, 30, 40, 50, 60, 70, 80, 90, 100],
  ])
  const taken = ranges.filter(([from, to]) => to - from < 30)
  expect(taken.flatMap(([from, to]) => [from - 1, to])).toEqual([
    ...[4, ...taken.slice(1).flatMap(([from]) => [from - 1, from - 1]), 104],
  ])
})

test('a node that searches one block at a time is given up after a bounded number of requests', async () => {
  const { rpc, ranges } = nodeOf(1)
  await expect(findLogs(rpc, { topics: [], from: 0, to: 1_000_000 })).rejects.toMatchObject({
    code: 'LOGS_NOT_FOUND',
    facts: { endpoint: 'http://node.example', blocksAtATime: 1 },
  })
  expect(ranges).toHaveLength(10_000)
})

test('a node that is away is given up soon, one that is silent now and then is not', async () => {
  const silent = () => ballastError('UNREACHABLE', 'silent')
  const away = nodeOf(0, silent, silent)
  await expect(findLogs(away.rpc, { topics: [], from: 0, to: 20_000_000 })).rejects.toMatchObject({
    code: 'UNREACHABLE',
  })
  expect(away.ranges).toHaveLength(8)
  // Eleven halvings: it answers what is cheap after the eighth.
  const slow = nodeOf(4_000, silent)
  const found = await findLogs(slow.rpc, { topics: [], from: 1, to: 8_000_000 })
  expect(found).toHaveLength(800_000)
})

test('a range that was halved for what has passed grows again', async () => {
  let refusals = 8
  const { rpc, ranges } = nodeOf(1_024)
  const request = rpc.request
  const flaky = {
    ...rpc,
    request: (call: never) => {
      if (refusals === 0) return request(call)
      refusals -= 1
      throw tooMuch()
    },
  } as Rpc
  await findLogs(flaky, { topics: [], from: 0, to: 1_023 })
  const lengths = ranges.map(([from, to]) => to - from + 1)
  expect(lengths.slice(0, 16)).toEqual(Array(16).fill(4))
  expect(lengths.slice(16, 32)).toEqual(Array(16).fill(8))
  expect(Math.max(...lengths)).toBeGreaterThan(32)
})

test('what a single block is refused for, and what is no refusal, is the caller’s to know', async () => {
  const one = nodeOf(0)
  await expect(findLogs(one.rpc, { topics: [], from: 7, to: 7 })).rejects.toBeInstanceOf(RpcRefused)
  const away = nodeOf(0, () => ballastError('LOCKED', 'ours'))
  await expect(findLogs(away.rpc, { topics: [], from: 0, to: 9 })).rejects.toThrow('ours')
  expect(away.ranges).toHaveLength(1)
})
