/** The names of the checks that a refusal says have failed. */
export const failedChecks = (failure: unknown): readonly string[] =>
  ((failure as { checks?: readonly { name: string; ok: boolean }[] } | undefined)?.checks ?? [])
    .filter(({ ok }) => !ok)
    .map(({ name }) => name)
