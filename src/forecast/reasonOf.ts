import { BallastError } from '../core/errors.ts'
import { withoutSecrets } from '../core/secret.ts'

/** Why something is not known, in the words of what failed. Anything that is no failure of ours is thrown on. */
export function reasonOf(error: unknown): string {
  if (error instanceof BallastError) return withoutSecrets(error.summary)
  throw error
}
