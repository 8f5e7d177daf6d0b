import { z } from 'zod'
import type { Decision } from '../strategy/index.ts'
import { amount } from './planText.ts'

const memory = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .optional()

const written = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('swap'),
    intents: z.array(
      z.object({ sell: amount, buy: amount.shape.token, floor: amount, reason: z.string() }),
    ),
    memory,
  }),
  z.object({ kind: z.literal('wait'), reason: z.string(), memory }),
  z.object({ kind: z.literal('postpone'), reason: z.string(), memory }),
])

/** A decision as the strategy made it, from the journal's text. Throws when the text is something else. */
export const reviveDecision = (text: string): Decision => written.parse(JSON.parse(text))
