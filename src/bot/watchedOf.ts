import { attemptsOf, type Swap } from './journal/swaps/load.ts'
import type { AttemptKind } from './stages.ts'

/** What is looked for on the chain to see how a swap stands: its own bytes and those that cancel it. */
export function watchedOf(swap: Swap) {
  const { plan, authorization } = swap
  const attempts = [...hashesOf(swap, 'SWAP'), ...hashesOf(swap, 'CANCEL')]
  return { wallet: plan.wallet, authorization, attempts }
}

const hashesOf = <kind extends AttemptKind>(swap: Swap, kind: kind) =>
  attemptsOf(swap, kind).map(({ bytes: { hash } }) => ({ kind, hash }))
