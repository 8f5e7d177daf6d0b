import { z } from 'zod'
import { parseDuration } from '../core/duration.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { dayMs } from '../core/spans.ts'
import { notFound } from './failures.ts'
import type { Queries } from './queries.ts'

/** What a request says, as a shape has it. Throws USAGE, which names the part that is wrong. */
export function readRequest<schema extends z.ZodType>(
  schema: schema,
  input: unknown,
): z.output<schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw ballastError('USAGE', `${issue?.path.join('.')}: ${issue?.message}`)
}

const swapsPerPage = 50

const id = z.string().regex(/^[\w-]{1,64}$/, 'is not the id of a swap')

/** A form sends every field it has; an empty one says nothing. */
const orNothing = <schema extends z.ZodType>(schema: schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

const name = z.string().max(64)

/** Which swaps, and how many of them. */
export const swapQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(swapsPerPage),
  before: id.optional().describe('The id of the last swap of the page before.'),
  strategy: orNothing(name),
  outcome: orNothing(z.enum(['open', 'settled', 'unsettled'])),
})

export const idParams = z.object({ id })
export const nameParams = z.object({ name })

/** A page of decisions or of the log: what comes before a number. */
export const beforeQuery = z.object({
  before: z.coerce.number().int().positive().optional().describe('What comes before this number.'),
})

const month = z
  .string()
  .regex(/^(?:19|20|21)\d\d-(?:0[1-9]|1[0-2])$/, 'is not a month such as 2026-11')

/** A month of the configured zone. */
export const monthQuery = z.object({ month: month.optional() })
export const monthParams = z.object({ month })
export const monthFileParams = z.object({ month, kind: z.enum(['journal', 'ledger']) })

/** A price that is asked for: nothing, or both. */
export const indicationQuery = z.object({ sell: orNothing(name), buy: orNothing(name) })

const weekMs = 7 * dayMs

/** How far a plan looks. */
export const spanQuery = z.object({
  next: z
    .string()
    .transform((text, context) => {
      try {
        return parseDuration(text)
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        context.addIssue(error.summary)
        return z.NEVER
      }
    })
    .default(weekMs),
})

/** The swap of a path. Throws NOT_FOUND. */
export async function findSwap(queries: Queries, params: unknown) {
  const swap = await queries.swap(readRequest(idParams, params).id)
  if (swap === undefined) throw notFound('There is no such swap.')
  return swap
}

/** The strategy of a path. Throws NOT_FOUND. */
export async function findStrategy(
  queries: Queries,
  { params, query }: { readonly params: unknown; readonly query: unknown },
) {
  const { before } = readRequest(beforeQuery, query)
  const strategy = await queries.strategy(readRequest(nameParams, params).name, before)
  if (strategy === undefined) throw notFound('No strategy of that name runs.')
  return strategy
}
