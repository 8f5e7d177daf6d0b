import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { mulberry32, standardNormal } from '../../src/core/random.ts'
import { readTape } from '../../src/tape/readTape.ts'
import { shippedTape } from '../../src/tape/shippedTape.ts'
import { cholesky, createAssets, createWeather } from '../../src/tape/synthetic/createAssets.ts'
import { generateTape } from '../../src/tape/synthetic/generateTape.ts'
import { parseSynthetic, shippedSettings } from '../../src/tape/synthetic/parseSynthetic.ts'
import { textOf } from '../../src/tape/tapeLine.ts'
import { gather } from './gather.ts'

test('the first 1,000 points of seed 7 are what they were', () => {
  const hash = createHash('sha256')
  let points = 0
  for (const entry of generateTape(parseSynthetic('seed=7,days=30,every=60s'))) {
    hash.update(textOf(entry))
    // A point is a head and a book.
    if (entry.kind === 'line' && entry.line.endpoint === 'orderbook') points += 1
    if (points === 1_000) break
  }
  expect(hash.digest('hex')).toBe(
    '1b9d50357959c3496d6878af93e0b38d0c655112b0dfface76124b461bd2dc26',
  )
})

test('the tape that ships is what the generator makes, all of it, and says that it is synthetic', async () => {
  const shipped = await gather(readTape([shippedTape()]))
  expect(shipped).toEqual([...generateTape(shippedSettings)])
  expect(shipped[0]).toMatchObject({ header: { source: 'synthetic', chain: 'synthetic' } })
})

test('mulberry32: the numbers every other implementation gives', () => {
  const uniform = mulberry32(1)
  expect([uniform(), uniform(), uniform()].map((value) => value.toFixed(9))).toEqual([
    '0.627073941',
    '0.002735721',
    '0.527447040',
  ])
})

test('cholesky: the product with its own transpose is the matrix', () => {
  const matrix = [
    [1, 0.8, 0.3],
    [0.8, 1, 0.5],
    [0.3, 0.5, 1],
  ]
  const lower = cholesky(matrix)
  const product = matrix.map((_, row) =>
    matrix.map((__, column) =>
      matrix.reduce((sum, ___, k) => sum + (lower[row]?.[k] ?? 0) * (lower[column]?.[k] ?? 0), 0),
    ),
  )
  for (const [row, entries] of matrix.entries())
    for (const [column, entry] of entries.entries())
      expect(product[row]?.[column]).toBeCloseTo(entry, 12)
})

test('the assets move as they are said to: volatility, correlation, no drift, a peg', () => {
  const uniform = mulberry32(11)
  const next = createAssets(
    [
      { kind: 'floating', symbol: 'A', start: 100, factor: 1 },
      { kind: 'floating', symbol: 'B', start: 100, factor: 0.5 },
      { kind: 'stable', symbol: 'S' },
    ],
    { uniform, normal: standardNormal(uniform) },
  )
  const days = 1 / 24
  const steps = 40_000
  const moves: [number, number][] = []
  const pegs: number[] = []
  let before = next(days, 0.6)
  for (let step = 0; step < steps; step += 1) {
    const now = next(days, 0.6)
    const move = (symbol: string) => Math.log((now.get(symbol) ?? 1) / (before.get(symbol) ?? 1))
    moves.push([move('A'), move('B')])
    pegs.push(Math.log(now.get('S') ?? 1))
    before = now
  }
  // Jumps are a few an hour-thousand; what is left of the rest is the diffusion.
  const calm = moves.filter(([a]) => Math.abs(a) < 0.03)
  const deviation = (values: readonly number[]) =>
    Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length)
  const [a, b] = [calm.map(([one]) => one), calm.map(([, other]) => other)]
  const annual = Math.sqrt(365 * 24)
  expect(deviation(a) * annual).toBeCloseTo(0.6, 1)
  expect(deviation(b) * annual).toBeCloseTo(0.3, 1)
  const together = calm.reduce((sum, [one, other]) => sum + one * other, 0) / calm.length
  expect(together / (deviation(a) * deviation(b))).toBeCloseTo(0.8, 1)
  expect(deviation(pegs)).toBeCloseTo(0.0005, 4)
  expect(moves.length - calm.length).toBeGreaterThan(10)
})

test('the weather stays calm four times as long as it does not, and has its troubles', () => {
  const next = createWeather(mulberry32(5))
  const days = 1 / 288
  const steps = 288 * 2_000
  let [stressed, out, still] = [0, 0, 0]
  for (let step = 0; step < steps; step += 1) {
    const { volatility, isOut, isStill } = next(days)
    if (volatility > 1) stressed += 1
    if (isOut) out += 1
    if (isStill) still += 1
  }
  expect(stressed / steps).toBeCloseTo(0.2, 1)
  // 25 minutes every 5 days, 15 minutes every 7 days; the grid of 5 minutes rounds up.
  expect(out / steps).toBeGreaterThan(0.002)
  expect(out / steps).toBeLessThan(0.006)
  expect(still / steps).toBeGreaterThan(0.0008)
  expect(still / steps).toBeLessThan(0.003)
})

test('settings are read, and what is none is refused', () => {
  expect(parseSynthetic('')).toEqual({ ...shippedSettings, everyMs: 60_000 })
  expect(parseSynthetic('seed=9, days=2,every=5m')).toMatchObject({
    seed: 9,
    days: 2,
    everyMs: 300_000,
  })
  for (const text of ['seed', 'sed=7', 'seed=-1', 'days=0', 'every=10ms', 'seed=7,seed=8'])
    expect(() => parseSynthetic(text)).toThrow()
})
