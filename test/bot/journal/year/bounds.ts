import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { liveThrough } from './liveThrough.ts'

/** Of a year of the shipped templates, and of a swap with its decision and its approval. */
export const bounds = { yearBytes: 1_000_000_000, rss: 300_000_000, swapBytes: 12_000 } as const

const week = 7

/** A swap a week, and nothing else: what so many more of them take. */
export async function measureSwap(folder: string, { few, many }: { few: number; many: number }) {
  const bytesOf = async (weeks: number) => {
    const own = join(folder, `weeks-${weeks}`)
    mkdirSync(own)
    const { bytes, swaps } = await liveThrough({ folder: own, days: weeks * week, uses: ['dca'] })
    return { bytes, swaps }
  }
  const [a, b] = [await bytesOf(few), await bytesOf(many)]
  return (b.bytes - a.bytes) / (b.swaps - a.swaps)
}
