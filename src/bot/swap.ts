import type { Funded, Planned, Reading, Simulated } from './stages.ts'

/** Everything up to the signature. A dry run is this and nothing more; a live swap is this and then {@link drive}. */
export async function preview(planned: Planned, stages: Reading): Promise<Simulated> {
  return examine(await stages.fund(planned), stages)
}

/** {@link preview} from where the allowance is arranged: the sources are asked first, then the quote's clock starts. */
export async function examine(funded: Funded, stages: Reading): Promise<Simulated> {
  const appraised = await stages.appraise(funded)
  const quoted = await stages.quote(appraised)
  const verified = await stages.verify(quoted)
  const permitted = await stages.permit(verified)
  return stages.simulate(permitted)
}
