import type { Plan } from '../../src/bot/stages.ts'
import type { Amount } from '../../src/core/amount.ts'
import { bought, wallet } from './world.ts'

/** What a treasury wants done once. It is planned again when a plan of it ended without a swap, and never otherwise. */
export type Wish = { readonly id: string; readonly sell: Amount }

export function planOf({ id, sell }: Wish, nth: number): Plan {
  const swapId = `${id}.${nth}`
  return {
    swapId,
    key: swapId,
    strategy: 'simulated',
    intent: { sell, buy: bought, floor: { token: bought, wei: 1n }, reason: `wish ${id}` },
    wallet,
    recipient: wallet,
    slippageBps: 50,
    expirySeconds: 60,
    indication: undefined,
    notional: undefined,
  }
}
