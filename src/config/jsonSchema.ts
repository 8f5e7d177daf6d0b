import { z } from 'zod'
import { ballastForm, strategy } from './config.ts'
import { bare } from './file/schemaTree.ts'
import { ofAllWallets } from './file/selectWallet.ts'

/** A strategy as an editor knows it: its name, one line about it, and the JSON Schema of its `params`. */
export type DescribedStrategy = {
  readonly name: string
  readonly summary: string
  readonly params: unknown
}

/**
 * The form of `ballast.yaml` for editors: keys, kinds, examples, defaults, and of each strategy its parameters. A file has
 * one wallet, or a list of them.
 */
export function jsonSchema(strategies: readonly DescribedStrategy[]): unknown {
  const single = formOf(strategies)
  const { properties = {}, required = [] } = single
  const { wallet, ...shared } = properties
  const listOf = (entry: z.core.JSONSchema.BaseSchema, description: string) => ({
    ...{ type: 'array', minItems: 1, description },
    items: { type: 'object', additionalProperties: false, ...entry },
  })
  const own = Object.fromEntries(
    Object.entries(shared).filter(([key]) => !ofAllWallets.has(key)),
  ) as typeof shared
  const ofWallet = (wallet as z.core.JSONSchema.BaseSchema).properties
  return {
    title: 'ballast.yaml',
    ...single,
    properties: {
      ...properties,
      chains: listOf(
        { properties: own, required: ['chain', 'service', 'tokens'] },
        'Several chains, each with what belongs to it. A section here counts before one at the top of the file.',
      ),
      wallets: listOf(
        {
          properties: {
            ...own,
            ...ofWallet,
            chain: { type: 'string', description: 'The name of one of the chains.' },
          },
          required: ['name', 'address'],
        },
        'Several wallets, each with what it has of its own: policy, strategies. A section here counts before one of its chain.',
      ),
    },
    required: [],
    anyOf: [{ required }, { required: ['wallets'] }],
  }
}

function formOf(strategies: readonly DescribedStrategy[]): z.core.JSONSchema.BaseSchema {
  const params = new Map(strategies.map(({ name, params: schema }) => [name, schema]))
  return {
    ...z.toJSONSchema(ballastForm, {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema: part }) {
        if (zodSchema !== bare(strategy)) return
        const { use } = part.properties ?? {}
        if (typeof use !== 'object') return
        // Editors show these beside each word of the list.
        const enumDescriptions = strategies.map(({ summary }) => summary)
        use.anyOf = [
          { enum: [...params.keys()], enumDescriptions } as z.core.JSONSchema.BaseSchema,
          { pattern: String.raw`^\.{0,2}/.*\.[jt]s$` },
        ]
        part.allOf = [...params].map(([name, schema]) => ({
          if: { properties: { use: { const: name } }, required: ['use'] },
          then: { properties: { params: schema as z.core.JSONSchema.BaseSchema } },
        }))
      },
    }),
  }
}
