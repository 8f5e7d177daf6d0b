import { z } from 'zod'
import { fileSchema } from './fileSchema.ts'

/** The form of `ballast.yaml` for editors: keys, kinds, examples, defaults. */
export function jsonSchema(): unknown {
  return { title: 'ballast.yaml', ...z.toJSONSchema(fileSchema, { io: 'input' }) }
}
