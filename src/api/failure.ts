import { z } from 'zod'

/** The body of every refusal. `code` is numeric as in this API family; `message` and `errorMessage` are the same sentence. */
export const failure = z.looseObject({
  success: z.literal(false),
  code: z.int(),
  message: z.string(),
  errorMessage: z.string(),
  statusCode: z.int(),
  requestId: z.string(),
})
export type Failure = z.infer<typeof failure>
