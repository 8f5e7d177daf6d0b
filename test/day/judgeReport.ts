import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SandboxWorld } from '../../src/sandbox/world.ts'
import { recompute } from './recompute.ts'
import type { Evening } from './runDay.ts'

/** A maker who takes five WETH at a time: of more, the pools take the rest. */
export const thinMaker = (world: SandboxWorld): SandboxWorld => ({
  ...world,
  makers: world.makers.map((maker) => ({
    ...maker,
    books: maker.books.map((book) => ({
      ...book,
      ...('follow' in book ? { follow: { ...book.follow, sizes: ['1', '4'] } } : {}),
    })),
  })) as typeof world.makers,
})

/** A report of the evening's journal, and the same from chain and tape. */
export async function judgeReport(evening: Evening) {
  const { code, stdout, stderr } = await evening.ask('report', '--json', '--swaps', '1000')
  if (code !== 0) throw new Error(stderr)
  const said = JSON.parse(stdout)
  const { router } = JSON.parse(readFileSync(join(evening.market, 'deployment.json'), 'utf8'))
  const recomputed = await recompute(evening, { router }, said.until)
  return { said, recomputed: JSON.parse(JSON.stringify(recomputed)) }
}

/** Where two reports differ: path, what was said, what it should be. */
export function differencesOf(said: unknown, recomputed: unknown, path = ''): readonly string[] {
  if (typeof said !== 'object' || typeof recomputed !== 'object' || !said || !recomputed)
    return isSame(said, recomputed) ? [] : [`${path}: ${String(said)}, not ${String(recomputed)}`]
  const [one, other] = [said, recomputed] as Record<string, unknown>[]
  return [...new Set([...Object.keys(said), ...Object.keys(recomputed)])].flatMap((key) =>
    differencesOf(one?.[key], other?.[key], `${path}.${key}`),
  )
}

/** Doubles that were summed in another order differ in their last digits. */
const isSame = (one: unknown, other: unknown) =>
  one === other ||
  (typeof one === 'number' &&
    typeof other === 'number' &&
    !(Number.isInteger(one) && Number.isInteger(other)) &&
    Math.abs(one - other) <= 1e-12 * Math.abs(other))
