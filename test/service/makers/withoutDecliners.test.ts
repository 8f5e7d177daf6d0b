import { describe, expect, test } from 'vitest'
import type { Token } from '../../../src/core/token.ts'
import type { Snapshot } from '../../../src/service/createSnapshots.ts'
import { MakerDeclined } from '../../../src/service/makers/errors.ts'
import type { MakerDesk } from '../../../src/service/makers/makerDesk.ts'
import { type BookSide, sideOffer } from '../../../src/service/makers/sideOffer.ts'
import { withoutDecliners } from '../../../src/service/makers/withoutDecliners.ts'
import type { RouteLeg } from '../../../src/service/route/source.ts'
import { signLegs } from '../../../src/service/settle/signLegs.ts'

const WETH: Token = { chainId: 1, symbol: 'WETH', decimals: 18, address: `0x${'1'.repeat(40)}` }
const USDC: Token = { ...WETH, symbol: 'USDC', decimals: 6, address: `0x${'2'.repeat(40)}` }
const side: BookSide = { base: WETH, quote: USDC, minimumWei: 0n, side: 'bid', levels: [] }

/** A desk that signs, or does not, and remembers what it has reserved. */
const deskOf = (name: string, declines: boolean) => {
  const reserved = new Set<bigint>()
  const desk: MakerDesk = {
    address: `0x${'3'.repeat(40)}`,
    async sign({ id }) {
      if (declines) throw new MakerDeclined(name, 'refused')
      reserved.add(id)
      return '0x01'
    },
    withdraw: ({ id }) => {
      reserved.delete(id)
    },
  }
  return { desk, reserved, offer: sideOffer.offer(side, { name, desk }) }
}
const sign = (legs: readonly RouteLeg[]) => {
  let id = 0n
  return signLegs(legs, {
    quoteId: `0x${'0'.repeat(32)}`,
    caller: WETH.address,
    deadline: 1n,
    executor: WETH.address,
    callers: [],
    nextOrderId: () => {
      id += 1n
      return id
    },
  })
}
const snapshotOf = (names: readonly string[]): Snapshot => ({
  block: { number: 1, hash: '0x', parentHash: '0x', timestamp: 0, baseFeePerGas: 0n },
  states: names.map((name) => ({ offers: () => [deskOf(name, false).offer], rows: () => [] })),
})
const sourcesOf = ({ states }: Snapshot) =>
  states.flatMap((state) => state.offers(60)).map(({ source }) => source)

describe('signLegs', () => {
  test('all or none: what the others reserved is given back', async () => {
    const [willing, refusing] = [deskOf('a', false), deskOf('b', true)]
    const legs = [willing, refusing].map(({ offer }) => ({ offer, sellWei: 1n, buyWei: 1n }))
    await expect(sign(legs)).rejects.toMatchObject({
      ...{ code: 'MAKER_DECLINED', facts: { maker: 'b', reason: 'refused' } },
    })
    expect(willing.reserved.size).toBe(0)
    await expect(sign(legs.slice(0, 1))).resolves.toHaveLength(1)
    expect(willing.reserved.size).toBe(1)
  })
})

describe('withoutDecliners', () => {
  test('tries again without each maker that declined', async () => {
    const seen: string[][] = []
    const quote = await withoutDecliners(snapshotOf(['a', 'b', 'c']), async (remaining) => {
      const [first = 'nobody', ...others] = sourcesOf(remaining)
      seen.push([first, ...others])
      if (first !== 'c') throw new MakerDeclined(first, 'timeout')
      return first
    })
    expect(quote).toBe('c')
    expect(seen).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c']])
  })

  test('one that promised its tokens elsewhere stays, with what it has left', async () => {
    let count = 0
    const quote = await withoutDecliners(snapshotOf(['a']), async (remaining) => {
      count += 1
      if (count === 1) throw new MakerDeclined('a', 'promised-elsewhere')
      return sourcesOf(remaining)
    })
    expect(quote).toEqual(['a'])
  })

  test('the caller does not wait for a long row of refusals', async () => {
    let count = 0
    await expect(
      withoutDecliners(snapshotOf(['a', 'b', 'c', 'd', 'e']), async (remaining) => {
        count += 1
        throw new MakerDeclined(sourcesOf(remaining)[0] ?? '', 'refused')
      }),
    ).rejects.toMatchObject({ code: 'MAKER_REFUSED', status: 503, number: 301016 })
    expect(count).toBe(3)
  })

  test('any other failure is the caller’s own', async () => {
    await expect(
      withoutDecliners(snapshotOf(['a']), async () => {
        throw new RangeError('broken')
      }),
    ).rejects.toThrow(RangeError)
  })
})
