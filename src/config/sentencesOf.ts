import type { z } from 'zod'
import { nearest } from '../core/nearest.ts'
import type { Path, Problem } from '../core/problem.ts'

/** What a schema refused, as sentences about keys. */
export function sentencesOf(schema: z.ZodType, issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = knownKeys(schema, path)
      // A section of several kinds: what it may hold depends on which it is, and its own message says so.
      if (known.length === 0)
        return issue.keys.map((key) => ({ path: [...path, key], sentence: issue.message }))
      return issue.keys.map((key): Problem => {
        const meant = nearest(key, known)
        return meant === undefined
          ? {
              path: [...path, key],
              sentence: `is not a known key; known keys are ${known.join(', ')}.`,
            }
          : {
              path: [...path, key],
              sentence: `is not a known key; did you mean ${meant}?`,
              meant: [...path, meant],
            }
      })
    }
    case 'invalid_key':
      return issue.issues.map(({ message }) => ({ path, sentence: message }))
    default:
      return [{ path, sentence: issue.message }]
  }
}

/** The keys a section may have. */
function knownKeys(file: z.ZodType, path: Path): readonly string[] {
  let schema: z.core.$ZodType | undefined = file
  for (const step of path) schema = schema && inside(schema, step)
  const { def } = (schema ?? file)._zod
  return def.type === 'object' ? Object.keys((def as z.core.$ZodObjectDef).shape) : []
}

function inside(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const bare = unwrapped(schema)
  const { def } = bare._zod
  const next =
    def.type === 'object'
      ? (def as z.core.$ZodObjectDef).shape[step]
      : def.type === 'array'
        ? (def as z.core.$ZodArrayDef).element
        : def.type === 'record'
          ? (def as z.core.$ZodRecordDef).valueType
          : undefined
  return next && unwrapped(next)
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod
  return 'innerType' in def ? unwrapped(def.innerType as z.core.$ZodType) : schema
}
