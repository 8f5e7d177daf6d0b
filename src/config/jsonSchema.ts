import { z } from 'zod'
import { ballastForm, strategy } from './config.ts'
import { bare } from './file/schemaTree.ts'

/** A strategy as an editor knows it: its name, one line about it, and the JSON Schema of its `params`. */
export type DescribedStrategy = {
  readonly name: string
  readonly summary: string
  readonly params: unknown
}

/** The form of `ballast.yaml` for editors: keys, kinds, examples, defaults, and of each strategy its parameters. */
export function jsonSchema(strategies: readonly DescribedStrategy[]): unknown {
  const params = new Map(strategies.map(({ name, params: schema }) => [name, schema]))
  return {
    title: 'ballast.yaml',
    ...z.toJSONSchema(ballastForm, {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema: part }) {
        if (zodSchema !== bare(strategy)) return
        const { use } = part.properties ?? {}
        if (typeof use !== 'object') return
        use.enum = [...params.keys()]
        // Editors show these beside each word of the list.
        Object.assign(use, { enumDescriptions: strategies.map(({ summary }) => summary) })
        part.allOf = [...params].map(([name, schema]) => ({
          if: { properties: { use: { const: name } }, required: ['use'] },
          then: { properties: { params: schema as z.core.JSONSchema.BaseSchema } },
        }))
      },
    }),
  }
}
