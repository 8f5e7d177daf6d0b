import type { Funded, Reading, Simulated } from './stages.ts'

/** Everything from the allowance to the signature: the sources are asked first, then the quote's clock starts. */
export async function examine(funded: Funded, stages: Reading): Promise<Simulated> {
  const appraised = await stages.appraise(funded)
  const quoted = await stages.quote(appraised)
  const verified = await stages.verify(quoted)
  const permitted = await stages.permit(verified)
  return stages.simulate(permitted)
}
