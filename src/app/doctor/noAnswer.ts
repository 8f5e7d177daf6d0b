import { failureText } from '../failureText.ts'
import type { Finding } from './finding.ts'

/** Where the other side did not answer. */
export const noAnswer = (name: string, error: unknown): Finding => ({
  name,
  state: 'fail',
  expected: 'an answer',
  actual: failureText(error),
  fault: 'upstream',
})
