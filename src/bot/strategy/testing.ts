import type { Token } from '../../core/token.ts'
import { createFields } from './createFields.ts'
import type { Context, Strategy } from './strategy.ts'

/** A context with an empty wallet, nothing in flight and no history, at a slot that is due; override what matters. */
export function contextWith<params>(
  params: params,
  overrides: Partial<Omit<Context<params>, 'params'>> = {},
): Context<params> {
  const slot = overrides.slot ?? overrides.now ?? Date.UTC(2026, 0, 1)
  return {
    now: slot,
    slot,
    params,
    indications: [],
    depths: [],
    references: [],
    balances: [],
    swapCost: undefined,
    swapLimits: undefined,
    swapWorth: undefined,
    inflight: [],
    lastFill: undefined,
    fills: [],
    totals: [],
    memory: undefined,
    ...overrides,
  }
}

/** Parameters as `ballast.yaml` writes them, read with these tokens. Throws the sentences of all that is wrong. */
export function paramsOf<params>(
  strategy: Pick<Strategy<params>, 'params'>,
  written: object,
  tokens: readonly Token[],
): params {
  const bySymbol = new Map(tokens.map((token) => [token.symbol, token]))
  // A number of the file reaches a strategy as its text.
  const texts = Object.entries(written).map(([key, value]) => [
    key,
    typeof value === 'number' ? `${value}` : value,
  ])
  const fields = createFields({ bySymbol })
  const read = strategy.params(fields).safeParse(Object.fromEntries(texts))
  if (read.success) return read.data
  const sentences = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new Error(sentences.join('\n'))
}
