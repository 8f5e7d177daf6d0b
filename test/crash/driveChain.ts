import type { Hex } from '../../src/chain/calls/fields.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a node answers has any shape.
export type Answered = any

/** A local chain that the tests drive: it mines when told, and its history can be rewritten. */
export type Chain = ReturnType<typeof driveChain>

/** Calls of anvil that no bot would make. */
export function driveChain(rpc: Rpc) {
  const ask = (method: string, ...params: unknown[]): Promise<Answered> =>
    rpc.request({ method, params, parse: (answer) => answer })
  const mine = async (blocks = 1) => {
    for (let block = 0; block < blocks; block += 1) await ask('evm_mine')
  }
  return {
    ask,
    mine,
    headNumber: async () => Number(await ask('eth_blockNumber')),
    headTime: async () => Number((await ask('eth_getBlockByNumber', 'latest', false)).timestamp),
    /** Moves the chain's time on; a block shows it. */
    async pass(seconds: number) {
      await ask('evm_increaseTime', seconds)
      await mine()
    },
    /** Offers bytes; what the node says is not asked for. */
    async offer(raw: Hex) {
      await ask('eth_sendRawTransaction', raw).catch(() => undefined)
    },
    /** Takes the last blocks away and puts empty ones in their place. What was in them is not in the pool again. */
    reorg: (depth: number) => ask('anvil_reorg', depth, []),
    drop: (hash: Hex) => ask('anvil_dropTransaction', hash),
    /** Everything that waits to be mined. */
    async waiting() {
      const { pending } = await ask('txpool_status')
      return Number(pending)
    },
    async snapshot(): Promise<Hex> {
      return ask('evm_snapshot')
    },
    async revert(to: Hex) {
      await ask('anvil_dropAllTransactions')
      if (!(await ask('evm_revert', to))) throw new Error('the chain cannot be taken back')
    },
  }
}
