import { encodeAbiParameters, toEventSelector } from 'viem'
import { expect, test } from 'vitest'
import { readBlock } from '../../../src/bot/after/readBlock.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'

const pool = `0x${'b'.repeat(40)}` as const
const hashOf = (index: number) => `0x${String(index).repeat(64)}` as const
const kind = toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)')

/** A trade of one unit in a pair: its first token sold to it, or bought back. */
const trade = (index: number, sellsFirst: boolean, address: string = pool) => ({
  ...{ address, topics: [kind], transactionHash: hashOf(index) },
  ...{ transactionIndex: `0x${index}`, logIndex: `0x${index}` },
  data: encodeAbiParameters(
    Array.from({ length: 4 }, () => ({ type: 'uint256' }) as const),
    sellsFirst ? [5n, 0n, 0n, 9n] : [0n, 9n, 5n, 0n],
  ),
})

/** The findings in a block with these logs, of its third transaction. */
function findIn(logs: readonly ReturnType<typeof trade>[]) {
  const rpc = {
    request: async (call: { parse: (answer: unknown) => unknown }) => call.parse(logs),
  } as unknown as Rpc
  return readBlock(rpc, { blockHash: hashOf(9), hash: hashOf(2), router: pool })
}

/** The swap is the third transaction of its block, and sells the first token. */
async function neighboursIn(others: readonly ReturnType<typeof trade>[]) {
  return (await findIn([...others, trade(2, true)])).neighbours
}

test('readBlock: a trade the same way before and one back behind is like a sandwich, nothing else', async () => {
  const elsewhere = `0x${'c'.repeat(40)}`
  expect(await neighboursIn([trade(1, true), trade(3, false)])).toMatchObject({
    ...{ pools: 1, before: 1, after: 1, suspected: true },
    nearest: [
      { hash: hashOf(1), place: 'before', side: 'same' },
      { hash: hashOf(3), place: 'after', side: 'opposite' },
    ],
  })
  for (const others of [
    [trade(1, true), trade(3, true)],
    [trade(1, false), trade(3, false)],
    [trade(3, true), trade(4, false)],
    [trade(1, true, elsewhere), trade(3, false, elsewhere)],
    [trade(1, true)],
  ])
    expect((await neighboursIn(others)).suspected).toBe(false)
})

test('readBlock: what a stranger left in a pair does not turn the trade round', async () => {
  // One unit of the first token lay in the pair, beyond its reserves, as the second was sold to it.
  const left = (index: number) => ({
    ...trade(index, false),
    data: encodeAbiParameters(
      Array.from({ length: 4 }, () => ({ type: 'uint256' }) as const),
      [1n, 9n, 5n, 0n],
    ),
  })
  const { fills, neighbours } = await findIn([trade(1, false), left(2), left(3)])
  expect(fills).toEqual([{ by: 'pool', address: pool, sold: 9n, bought: 5n }])
  expect(neighbours.nearest.map(({ side }) => side)).toEqual(['same', 'same'])
})
