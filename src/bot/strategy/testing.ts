import type { Context } from './strategy.ts'

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
