import { BallastError } from '../core/errors.ts'
import type { Funded, Reading, Simulated } from './stages.ts'
import { examine } from './swap.ts'

/** Quotes asked for one plan while nothing is signed. */
const quotesMax = 3

/** Asks again when what was refused was this quote and not the wish: a price that moved, a deadline too near. */
export async function requote(funded: Funded, reading: Reading): Promise<Simulated> {
  for (let quotes = 1; ; quotes++) {
    try {
      return await examine(funded, reading)
    } catch (error) {
      const again =
        error instanceof BallastError && error.remedy === 'requote' && quotes < quotesMax
      if (!again) throw error
    }
  }
}
