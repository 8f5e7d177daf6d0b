import { bent, type Fault, onMethod, receipts, send } from '../fault.ts'
import type { Bend } from '../startFaultyNode.ts'

const hex = (value: number | bigint) => `0x${value.toString(16)}`
const isLatest = ([block]: readonly unknown[]) => block === 'latest'
const block = 'eth_getBlockByNumber'
const nonce = 'eth_getTransactionCount'

/** What the node says when it is asked. */
export const readFaults: readonly Fault[] = [
  {
    id: 'RPC-10',
    what: 'the receipts are 20 MB of nothing, once',
    begin: onMethod(receipts, 1, async () => ({ bytes: 20 * 1_024 * 1_024 })),
  },
  {
    id: 'RPC-11 read',
    what: 'the answers end in the middle',
    begin: onMethod(receipts, 3, async ({ forward }) => ({
      status: 200,
      text: JSON.stringify(await forward()).slice(0, -20),
    })),
  },
  {
    id: 'RPC-12',
    what: 'the answers carry other ids',
    begin: onMethod(receipts, 3, async ({ forward }) => ({
      answers: (await forward()).map((one) => ({ ...one, id: one.id + 1_000 })),
    })),
  },
  {
    id: 'RPC-12 order',
    what: 'every batch comes back in reverse',
    from: 'plan',
    begin:
      (): Bend =>
      async ({ forward }) => ({ answers: (await forward()).reverse() }),
  },
  {
    id: 'RPC-13',
    what: 'a receipt of the wrong shape',
    begin: bent(receipts, 3, (receipt) => receipt && { ...receipt, blockNumber: {} }),
  },
  {
    id: 'RPC-16',
    what: 'the nonce is one behind',
    begin: bent(nonce, 4, (count) => hex(Math.max(0, Number(count) - 1))),
  },
  {
    id: 'RPC-16 plan',
    what: 'the nonce is one ahead',
    from: 'plan',
    begin: bent(nonce, 2, (count) => hex(Number(count) + 1)),
  },
  {
    id: 'RPC-17',
    what: 'no receipts for a while',
    begin: bent(receipts, 6, () => null),
  },
  {
    id: 'RPC-17 nonce',
    what: 'the bytes are lost, and the nonce is said to be gone',
    begin(scene) {
      let swallowed = 0
      const ahead = bent(nonce, 8, (count) => hex(Number(count) + 1))(scene)
      return async (exchange) => {
        if (exchange.calls.some(({ method }) => method === send) && swallowed++ === 0)
          return { answers: exchange.calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: null })) }
        return swallowed > 0 ? ahead(exchange) : undefined
      }
    },
  },
  {
    id: 'RPC-19',
    what: 'the head stands still',
    begin: bent(block, 8, (head, params, { chain }) =>
      isLatest(params) ? chain.ask(block, hex(Math.max(1, Number(head.number) - 6)), false) : head,
    ),
  },
  {
    id: 'RPC-20',
    what: 'the block that must be there is not',
    begin: bent(block, 3, () => null),
  },
  {
    id: 'RPC-24',
    what: 'no tip is suggested',
    from: 'plan',
    begin: bent('eth_maxPriorityFeePerGas', Number.POSITIVE_INFINITY, () => '0x0'),
  },
  {
    id: 'RPC-25',
    what: 'the head has no base fee, twice',
    from: 'plan',
    begin: bent(block, 2, ({ baseFeePerGas: _, ...head }) => head),
  },
  {
    id: 'RPC-36',
    what: 'the receipt is that of another transaction',
    begin: bent(
      receipts,
      3,
      (receipt) => receipt && { ...receipt, transactionHash: `0x${'07'.repeat(32)}` },
    ),
  },
  {
    id: 'RPC-36 block',
    what: 'the receipt names a block that is not of the chain',
    begin: bent(
      receipts,
      4,
      (receipt) => receipt && { ...receipt, blockHash: `0x${'07'.repeat(32)}` },
    ),
  },
  {
    id: 'RPC-37',
    what: 'the receipt does not say how it ended',
    begin: bent(receipts, 3, (receipt) => receipt && { ...receipt, status: undefined }),
  },
  {
    id: 'RPC-38',
    what: 'the node is away once it has the bytes',
    begin(scene) {
      let left = 8
      let sent = false
      return async (exchange) => {
        if (exchange.calls.some(({ method }) => method === send)) sent = true
        if (!sent || left === 0) return undefined
        left -= 1
        if (left === 7) await scene.chain.offer(exchange.calls[0]?.params[0])
        return 'drop'
      }
    },
  },
  {
    id: 'RPC-38 plan',
    what: 'every third exchange is lost',
    from: 'plan',
    begin() {
      let seen = 0
      return async () => {
        seen += 1
        return seen < 60 && seen % 3 === 0 ? 'drop' : undefined
      }
    },
  },
]
