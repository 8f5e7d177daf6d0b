import { createAppraise } from '../../bot/reference/createAppraise.ts'
import type { Appraise } from '../../bot/stages.ts'

/** The independent sources of the configuration, as one question. */
export function openReferences(): Appraise {
  return createAppraise()
}
