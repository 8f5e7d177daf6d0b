import type { State, Tx } from './chain.ts'

/** Transactions that wait, one for each nonce, by geth's rules and in geth's words. */
export type Pool = {
  /** Undefined where it was taken; otherwise why not. */
  add(tx: Tx, state: State): string | undefined
  at(nonce: number): Tx | undefined
  /** What a replacement pushed out: a miner may have it still. */
  replacedAt(nonce: number): Tx | undefined
  drop(nonce: number): boolean
  /** Forgets what a block has made impossible. */
  settle(state: State): void
}

const tipMin = 1n

export function createPool(): Pool {
  const waiting = new Map<number, Tx>()
  const replaced = new Map<number, Tx>()
  return {
    add(tx, state) {
      if (tx.nonce < state.nonce)
        return `nonce too low: next nonce ${state.nonce}, tx nonce ${tx.nonce}`
      const old = waiting.get(tx.nonce)
      if (old?.hash === tx.hash) return 'already known'
      if (tx.maxPriorityFeePerGas < tipMin)
        return `transaction underpriced: gas tip cap ${tx.maxPriorityFeePerGas}, minimum needed ${tipMin}`
      const cost = tx.value + tx.gas * tx.maxFeePerGas
      if (state.native < cost)
        return `insufficient funds for gas * price + value: balance ${state.native}, tx cost ${cost}, overshot ${cost - state.native}`
      if (old !== undefined && !replaces(tx, old)) return 'replacement transaction underpriced'
      if (old !== undefined) replaced.set(tx.nonce, old)
      waiting.set(tx.nonce, tx)
      return undefined
    },
    at: (nonce) => waiting.get(nonce),
    replacedAt: (nonce) => replaced.get(nonce),
    drop: (nonce) => waiting.delete(nonce),
    settle(state) {
      for (const nonce of waiting.keys()) if (nonce < state.nonce) waiting.delete(nonce)
    },
  }
}

/** A tenth more on both fields, the default of geth's `txpool.pricebump`. */
const replaces = (tx: Tx, old: Tx) =>
  tx.maxFeePerGas >= tenthMore(old.maxFeePerGas) &&
  tx.maxPriorityFeePerGas >= tenthMore(old.maxPriorityFeePerGas)

const tenthMore = (fee: bigint) => (fee * 110n + 99n) / 100n
