import { encodeAbiParameters, encodeEventTopics, keccak256, parseTransaction } from 'viem'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { decodeOrders, decodeSwapCall } from '../chain/settlement/codec.ts'
import { authorizationHash } from '../chain/settlement/typedData.ts'
import type { NodeAnswer, NodeCall, NodeScene, RpcLie } from './lie.ts'

const lie = (name: string, what: string, bends: Partial<RpcLie>): RpcLie => ({
  kind: 'rpc',
  name,
  what,
  ...bends,
})

/** A lie that begins when signed bytes are there: what counts then is the chain. */
const after = (name: string, what: string, bends: Partial<RpcLie>): RpcLie =>
  lie(name, what, { from: 'send', signs: 'may', ...bends })

/** Changes the result of one method. */
const result =
  (
    method: string,
    change: (result: never, call: NodeCall, scene: NodeScene) => unknown,
  ): NonNullable<RpcLie['bend']> =>
  async (call, answer, scene) =>
    call.method === method && answer.error === undefined
      ? { ...answer, result: await change(answer.result as never, call, scene) }
      : answer

/** Answers one method in the node's place. */
const instead =
  (
    method: string,
    answer: (
      call: NodeCall,
      scene: NodeScene,
    ) => Promise<Partial<NodeAnswer>> | Partial<NodeAnswer> | undefined,
  ): NonNullable<RpcLie['instead']> =>
  (call, scene) =>
    call.method === method ? answer(call, scene) : undefined

const hex = (value: bigint | number) => `0x${value.toString(16)}`
const plus = (quantity: string, more: bigint) => hex(BigInt(quantity) + more)
const isLatest = ({ params }: NodeCall) => params[0] === 'latest'
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

type Block = { readonly timestamp: string; readonly baseFeePerGas: string; readonly hash: string }
const latest = (change: (block: Block) => unknown): Partial<RpcLie> => ({
  bend: result('eth_getBlockByNumber', (block: Block, call) =>
    isLatest(call) ? change(block) : block,
  ),
})

type Simulated = { status: string; returnData: string; gasUsed: string }
type Blocks = readonly { readonly calls: readonly Simulated[] }[]
type Scenario = {
  readonly blockStateCalls: readonly {
    readonly blockOverrides?: { readonly time?: string }
    readonly calls: readonly { readonly to: string; readonly input: string }[]
  }[]
}

/** Changes what the calls of a simulation come to. `late` is the one after the deadline. */
const played = (
  change: (
    calls: Simulated[],
    about: { late: boolean; asked: Scenario['blockStateCalls'][number]['calls']; scene: NodeScene },
  ) => Simulated[],
): Partial<RpcLie> => ({
  bend: result('eth_simulateV1', (blocks: Blocks, { params }, scene) => {
    const asked = (params[0] as Scenario).blockStateCalls
    return blocks.map((block, index) => ({
      ...block,
      calls: change([...block.calls], {
        late: asked[index]?.blockOverrides?.time !== undefined,
        asked: asked[index]?.calls ?? [],
        scene,
      }),
    }))
  }),
})

/** Adds to the results of the balance probes after the swap. The last probes are those after it. */
const probesAfter = (
  add: bigint,
  which: (input: string, to: string, scene: NodeScene) => boolean,
) =>
  played((calls, { late, asked, scene }) =>
    late
      ? calls
      : calls.map((call, index) => {
          const { to = '', input = '' } = asked[index] ?? {}
          const isAfter = index > asked.length / 2
          return isAfter && which(input, to, scene) && call.returnData.length === 66
            ? { ...call, returnData: word(BigInt(call.returnData) + add) }
            : call
        }),
  )

const selector = { balanceOf: '0x70a08231', allowance: '0xdd62ed3e', decimals: '0x313ce567' }
const isCall = ({ params }: NodeCall, name: keyof typeof selector) => {
  const { data = '', input = data } = (params[0] ?? {}) as { data?: string; input?: string }
  return input.startsWith(selector[name])
}
const viewed = (name: keyof typeof selector, value: bigint): Partial<RpcLie> => ({
  bend: result('eth_call', (honest: string, call) => (isCall(call, name) ? word(value) : honest)),
})

type Receipt = {
  readonly status: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly logs: readonly { readonly address: string; readonly data: string }[]
} | null
const receipt = (change: (receipt: NonNullable<Receipt>, scene: NodeScene) => unknown) => ({
  bend: result('eth_getTransactionReceipt', (honest: Receipt, _, scene) =>
    honest === null ? null : change(honest, scene),
  ),
})

const absurdTip = 1_200_000n * 10n ** 9n
const refused = (message: string) => ({ error: { code: -32_000, message } })
const send = 'eth_sendRawTransaction'
const taken = async ({ params }: NodeCall, { ask }: NodeScene) => {
  await ask(send, params)
}
const hashOf = ({ params }: NodeCall) => keccak256(params[0] as Hex)

/** Answers of a node that is broken, behind, or another party's. */
export const rpcLies: readonly RpcLie[] = [
  // Before anything is signed.
  lie('other-chain', 'The node is of another chain.', {
    from: 'start',
    bend: result('eth_chainId', () => '0x1'),
  }),
  lie('other-decimals', 'The node says that a token counts in other units.', {
    from: 'start',
    ...viewed('decimals', 3n),
  }),
  lie('router-other-code', 'The router is another contract.', {
    bend: result('eth_getCode', (code: string) => `${code}00`),
  }),
  lie('router-no-code', 'The router is not there.', { bend: result('eth_getCode', () => '0x') }),
  lie('head-stale', 'The node has stopped an hour ago.', {
    ...latest((block) => ({ ...block, timestamp: plus(block.timestamp, -3_600n) })),
  }),
  lie('head-in-the-future', 'The node is an hour ahead.', {
    ...latest((block) => ({ ...block, timestamp: plus(block.timestamp, 3_600n) })),
  }),
  lie(
    'head-missing',
    'The node has no latest block.',
    latest(() => null),
  ),
  lie(
    'head-garbled',
    'The head is not a block.',
    latest(() => ({ number: 'soon' })),
  ),
  lie('wrong-ids', 'Every answer has the id of another question.', {
    reply: (answers) => text(answers.map((one) => ({ ...one, id: Number(one.id) + 1_000 }))),
  }),
  lie('answers-swapped', 'The answers of a batch are given to the wrong questions.', {
    reply: (answers) =>
      text(answers.map((one, index) => ({ ...answers[(index + 1) % answers.length], id: one.id }))),
  }),
  lie('answer-missing', 'A batch comes back one answer short.', {
    reply: (answers) => (answers.length > 1 ? text(answers.slice(1)) : undefined),
  }),
  lie('answer-doubled', 'A batch answers one question twice.', {
    reply: (answers) =>
      answers.length > 1 ? text([...answers.slice(1), ...answers.slice(-1)]) : undefined,
  }),
  lie('batch-unlisted', 'A batch is answered by a single answer.', {
    reply: (answers) => (answers.length > 1 ? JSON.stringify(answers[0]) : undefined),
  }),
  lie('page-instead', 'A page comes instead of answers.', { reply: () => '<html>hello</html>' }),
  lie('answer-cut', 'The answer ends in the middle.', {
    reply: (answers) => text(answers).slice(0, -20),
  }),
  lie('connection-lost', 'Every connection ends without an answer.', { reply: () => 'drop' }),
  lie('results-null', 'Every result is null.', {
    bend: (_, answer) => ({ ...answer, result: null }),
  }),
  lie('nonce-far-ahead', 'The node says that the next nonce is 65535.', {
    bend: result('eth_getTransactionCount', () => hex(65_535)),
  }),
  lie('nonce-behind', 'The node says that the wallet never sent anything.', {
    bend: result('eth_getTransactionCount', () => '0x0'),
  }),
  lie('tip-absurd', 'The node suggests a tip of 1,200,000 gwei.', {
    // Policy caps a tip: the swap is done for a usual one.
    signs: 'may',
    instead: ({ method }) =>
      method === 'eth_feeHistory'
        ? { result: { gasUsedRatio: [0.5], reward: [[hex(absurdTip)]] } }
        : ['eth_maxPriorityFeePerGas', 'eth_gasPrice'].includes(method)
          ? { result: hex(absurdTip) }
          : undefined,
  }),
  lie('base-fee-absurd', 'The block costs 1,200,000 gwei of gas.', {
    ...latest((block) => ({ ...block, baseFeePerGas: hex(absurdTip) })),
  }),
  lie('simulated-more', 'The simulation says that more arrives.', {
    ...probesAfter(1n, (_, to, scene) => to.toLowerCase() === scene.bought.toLowerCase()),
  }),
  lie('simulated-less', 'The simulation says that less arrives.', {
    ...probesAfter(-1_000_000n, (_, to, scene) => to.toLowerCase() === scene.bought.toLowerCase()),
  }),
  lie('simulated-revert', 'The simulation says that the swap fails.', {
    ...played((calls) => calls.map((call) => ({ ...call, status: '0x0' }))),
  }),
  lie('simulated-late', 'The simulation says that the swap works after its deadline.', {
    ...played((calls, { late }) =>
      late ? calls.map((call) => ({ ...call, status: '0x1', returnData: word(1n) })) : calls,
    ),
  }),
  lie('simulated-short', 'The simulation leaves out what comes after the swap.', {
    ...played((calls) => calls.slice(0, -1)),
  }),
  lie('simulated-unreadable', 'The simulation answers no balance.', {
    ...played((calls) => calls.map((call) => ({ ...call, returnData: '0x' }))),
  }),
  lie('simulation-refused', 'The node does not simulate.', {
    instead: instead('eth_simulateV1', () => ({
      error: { code: -32_601, message: 'method not found' },
    })),
  }),
  lie(
    'balance-gone',
    'The node says that the wallet has nothing to sell.',
    viewed('balanceOf', 0n),
  ),
  lie('gas-money-gone', 'The node says that the wallet cannot pay for gas.', {
    bend: result('eth_getBalance', () => '0x0'),
  }),

  // Harmless or after the signature: what counts is what the chain holds.
  after('allowance-forgotten', 'The node says that the router may take nothing.', {
    from: 'swap',
    ...viewed('allowance', 0n),
  }),
  after('send-refused-but-taken', 'The node refuses the transaction and mines it.', {
    instead: instead(send, async (call, scene) => {
      await taken(call, scene)
      return refused('transaction rejected')
    }),
  }),
  after('send-internal-error', 'The node breaks after it took the transaction.', {
    instead: instead(send, async (call, scene) => {
      await taken(call, scene)
      return { error: { code: -32_603, message: 'internal error' } }
    }),
  }),
  after(
    'send-nonce-too-low',
    'The node says that the nonce is used, because it took the transaction.',
    {
      instead: instead(send, async (call, scene) => {
        await taken(call, scene)
        return refused('nonce too low')
      }),
    },
  ),
  after('send-other-hash', 'The node answers with the hash of another transaction.', {
    bend: result(send, () => word(7n)),
  }),
  after('send-answer-lost', 'The connection ends after the node took the transaction.', {
    reply: (_, calls) => (calls.some(({ method }) => method === send) ? 'drop' : undefined),
  }),
  after('send-swallowed-once', 'The node says it took the transaction and forgets it, once.', {
    instead: instead(send, (call, { count }) =>
      count(send) === 1 ? { result: hashOf(call) } : undefined,
    ),
  }),
  after('send-lost-once', 'The transaction is lost on the way, once.', {
    instead: instead(send, (_, { count }) =>
      count(send) === 1 ? refused('temporarily unavailable') : undefined,
    ),
  }),
  after('receipt-hidden', 'The node does not show the receipt for a while.', {
    bend: result('eth_getTransactionReceipt', (honest: Receipt, _, { count }) =>
      count('eth_getTransactionReceipt') < 6 ? null : honest,
    ),
  }),
  after('receipt-of-another', 'The receipt is that of another transaction.', {
    ...receipt((honest) => ({ ...honest, transactionHash: word(7n) })),
  }),
  after('receipt-of-no-block', 'The receipt names a block that is not of the chain.', {
    ...receipt((honest) => ({ ...honest, blockHash: word(7n) })),
  }),
  after('receipt-without-logs', 'The receipt says success and shows no swap.', {
    ...receipt((honest) => ({ ...honest, logs: [] })),
  }),
  after('receipt-without-status', 'The receipt does not say how it ended.', {
    ...receipt(({ status: _, ...honest }) => honest),
  }),
  after('receipt-garbled', 'The receipt is not one.', { ...receipt(() => 'mined') }),
  after('receipt-reverted', 'The receipt says that the swap failed, and it did not.', {
    ...receipt((honest) => ({ ...honest, status: '0x0', logs: [] })),
  }),
  after('receipt-inflated', 'The receipt says that twice as much arrived.', {
    ...receipt((honest, { router }) => ({
      ...honest,
      logs: honest.logs.map((log) =>
        isOf(router, log) ? { ...log, data: inflated(log.data) } : log,
      ),
    })),
  }),
  after('receipt-forged', 'The node keeps the transaction to itself and shows a receipt of it.', {
    instead: (call, scene) => {
      if (call.method === send) return { result: hashOf(call) }
      const [raw] = scene.sent
      return call.method === 'eth_getTransactionReceipt' && raw !== undefined
        ? forgedReceipt(raw, scene)
        : undefined
    },
  }),
  after('nonce-spent-early', 'The node says that the nonce is spent while nothing is mined.', {
    instead: instead(send, (call, { count }) =>
      count(send) === 1 ? { result: hashOf(call) } : undefined,
    ),
    bend: result('eth_getTransactionCount', (honest: string, _, { count }) =>
      count(send) === 1 && count('eth_getTransactionCount') < 8 ? plus(honest, 1n) : honest,
    ),
  }),
  after('head-frozen', 'The node shows the same head for a while.', {
    bend: result('eth_getBlockByNumber', async (honest: Block, call, { count, ask }) =>
      isLatest(call) && count('eth_getBlockByNumber') < 12
        ? await ask('eth_getBlockByNumber', ['0x1', false])
        : honest,
    ),
  }),
  after('node-away-after-send', 'The node takes the transaction and is away for a while.', {
    reply: (_, __, { count }) => (count('eth_getTransactionReceipt') < 4 ? 'drop' : undefined),
  }),
]

const text = (answers: unknown) => JSON.stringify(answers)

const isOf = (router: string, { address }: { address: string }) =>
  address.toLowerCase() === router.toLowerCase()

/** The second word of a Swapped event's own data is what arrived, after the tokens and what was sold. */
function inflated(data: string): string {
  const words = data.slice(2).match(/.{64}/g) ?? []
  return `0x${words.map((one, index) => (index === 3 ? word(BigInt(`0x${one}`) * 2n).slice(2) : one)).join('')}`
}

/** A receipt of a transaction never mined, in a block that is there, with the event the router would have written. */
async function forgedReceipt(raw: Hex, scene: NodeScene): Promise<Partial<NodeAnswer>> {
  const { data = '0x' } = parseTransaction(raw)
  const { swap } = decodeSwapCall(data)
  const orders = decodeOrders(swap.orders)
  const { chainId, router, wallet, sold, bought } = scene
  const authorization = authorizationHash({ chainId, router }, { orders, caller: wallet, swap })
  const amountOut = orders.reduce((sum, { order }) => sum + order.buyerTokenAmount, 0n)
  const block = (await scene.ask('eth_getBlockByNumber', ['0x5', false])) as {
    readonly hash: string
    readonly number: string
  }
  const log = {
    address: router,
    topics: encodeEventTopics({
      abi: swapRouterAbi,
      eventName: 'Swapped',
      args: { authorization, caller: wallet, recipient: swap.recipient },
    }),
    data: encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'address' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'bytes16' },
      ],
      [sold, bought, swap.amountIn, amountOut, orders[0]?.order.quoteId ?? `0x${'00'.repeat(16)}`],
    ),
  }
  return {
    result: {
      transactionHash: keccak256(raw),
      status: '0x1',
      blockNumber: block.number,
      blockHash: block.hash,
      gasUsed: '0x30000',
      effectiveGasPrice: '0x1',
      logs: [log],
    },
  }
}
