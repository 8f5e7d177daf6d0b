import { z } from 'zod'
import type { Decision } from '../strategy/index.ts'
import { amountText } from './planText.ts'

const memory = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .optional()

const writtenDecision = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('swap'),
    intents: z.array(
      z.object({ sell: amountText, buy: amountText.shape.token, floor: amountText, reason: z.string() }),
    ),
    memory,
  }),
  z.object({ kind: z.literal('wait'), reason: z.string(), memory }),
  z.object({ kind: z.literal('postpone'), reason: z.string(), memory }),
])

/** A decision as the strategy made it, from the journal's text. Throws when the text is something else. */
export const reviveDecision = (text: string): Decision => writtenDecision.parse(JSON.parse(text))
