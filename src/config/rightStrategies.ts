import { buildTokens } from './buildTokens.ts'
import type { Config } from './config.ts'
import { fileSchema } from './fileSchema.ts'

/** The entries of `strategies:` that are right so far, with the tokens they may name, wherever else the file is wrong. */
export function rightStrategies(
  raw: Readonly<Record<string, unknown>>,
): Pick<Config, 'tokens' | 'strategies'> | undefined {
  const { chain, tokens, strategies } = fileSchema.shape
  const entry = strategies.unwrap().element
  const known = chain.pick({ currency: true }).strip().safeParse(raw.chain)
  const listed = tokens.safeParse(raw.tokens)
  if (!known.success || !listed.success || !Array.isArray(raw.strategies)) return undefined
  return {
    // No sentence about parameters names the chain: a wrong id hides none of them.
    tokens: buildTokens({ chain: { ...known.data, chainId: '1' }, tokens: listed.data }),
    strategies: raw.strategies.flatMap((written: unknown, index) => {
      // A stranger among the keys of an entry is said by itself.
      const read = entry.strip().safeParse(written)
      return read.success
        ? [
            {
              ...read.data,
              priority: Number(read.data.priority),
              path: ['strategies', index, 'params'],
            },
          ]
        : []
    }),
  }
}
