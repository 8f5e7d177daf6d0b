import { BallastError } from '../core/errors.ts'
import type { Funded, Planned, Reading, Simulated } from './stages.ts'

/** Quotes requested for one plan while nothing is signed. */
const quotesMax = 3

/** Everything up to the signature. A dry run is this and nothing more; a live swap is this and then `drive`. */
export async function preview(planned: Planned, stages: Reading): Promise<Simulated> {
  return requote(await stages.fund(planned), stages)
}

/** Quotes again when this quote was refused and not the wish: a price that moved, a deadline too near. */
export async function requote(funded: Funded, stages: Reading): Promise<Simulated> {
  for (let quotes = 1; ; quotes++) {
    try {
      return await examine(funded, stages)
    } catch (error) {
      const again =
        error instanceof BallastError && error.remedy === 'requote' && quotes < quotesMax
      if (!again) throw error
    }
  }
}

/** From where the allowance is arranged: the sources are read first, then the quote's clock starts. */
async function examine(funded: Funded, stages: Reading): Promise<Simulated> {
  const appraised = await stages.appraise(funded)
  const quoted = await stages.quote(appraised)
  const verified = await stages.verify(quoted)
  const permitted = await stages.permit(verified)
  return stages.simulate(permitted)
}
