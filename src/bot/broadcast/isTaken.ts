import type { Verdict } from '../verdict.ts'

/** Whether a node said that it has the bytes: what SENT means. */
export const isTaken = (verdict: Verdict): boolean =>
  verdict === 'accepted' || verdict === 'already-known'
