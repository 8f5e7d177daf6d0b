import { requote } from './requote.ts'
import type { Planned, Reading, Simulated } from './stages.ts'

/** Everything up to the signature. A dry run is this and nothing more; a live swap is this and then `drive`. */
export async function preview(planned: Planned, stages: Reading): Promise<Simulated> {
  return requote(await stages.fund(planned), stages)
}
