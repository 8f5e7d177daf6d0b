import { encodeAbiParameters, encodeEventTopics, numberToHex, parseAbiParameters } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import type {
  BookedAllowance,
  BookedAttempt,
  BookedSwap,
  JournalBooks,
  TotalDefect,
} from '../../../src/bot/books.ts'
import { reconcile } from '../../../src/bot/reconcile/reconcile.ts'
import type { LimitEntry } from '../../../src/bot/spent.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { type Rpc, type RpcCall, RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import { type Address, nativeAddress, type Token } from '../../../src/core/token.ts'

// Books of a few swaps, and a chain of a few lines that agrees with them: what a reconciliation is shown.
export const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const addressOf = (digit: string): Address => `0x${digit.repeat(40)}`
export const [wallet, router, other] = ['7', '2', '8'].map(addressOf) as [Address, Address, Address]
export const token = (symbol: string, digit: string): Token => ({
  ...{ chainId: 1, address: addressOf(digit), symbol, decimals: 0 },
})
export const [usd, eth] = [token('USD', '1'), token('WETH', '3')]
const word = (value: bigint | number): Hex => numberToHex(value, { size: 32 })
export const blockHash = (height: number): Hex => word(0xb10c00 + height)

type Log = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }
export const swapped = (
  authorization: Hex,
  sold: bigint,
  bought: bigint,
  address = router,
): Log => ({
  address,
  topics: encodeEventTopics({
    ...{ abi: swapRouterAbi, eventName: 'Swapped' },
    args: { authorization, caller: wallet, recipient: wallet },
  } as never) as Hex[],
  data: encodeAbiParameters(parseAbiParameters('address, address, uint256, uint256, bytes16'), [
    usd.address,
    eth.address,
    sold,
    bought,
    `0x${'1'.repeat(32)}`,
  ]),
})
export const transfer = (of: Token, from: Address, to: Address, amount: bigint): Log => ({
  address: of.address,
  topics: encodeEventTopics({
    abi: erc20Abi,
    eventName: 'Transfer',
    args: { from, to },
  } as never) as Hex[],
  data: word(amount),
})

export type Mined = {
  readonly block: number
  readonly success?: boolean
  readonly from?: Address
  readonly logs?: readonly Log[]
  readonly hash?: Hex
}
/** The chain: its head is 20, its depth 18, and each receipt is of 10 gas at 1 wei. */
const honest = {
  head: 20 as number | undefined,
  deepNonce: 5 as number | undefined,
  nonce: 6 as number | undefined,
  allowance: 4n as bigint | undefined,
  granted: [] as { token: Address; spender: Address; wei: bigint }[],
  unread: [] as { token: Address; spender: Address }[],
  /** In the place of a search for them. */
  unsearched: undefined as Error | undefined,
  consumed: new Map<Hex, boolean | undefined>(),
  /** The fault of the endpoint's first answer. */
  fault: undefined as Error | undefined,
  pruned: false,
  mined: new Map<Hex, Mined | undefined>(),
  /** Blocks that are not answered, and those that are others now. */
  missing: new Set<number>(),
  absent: new Set<number>(),
  replaced: new Set<number>(),
  balance: (_: string, __: string, height: number): bigint =>
    height < 8 ? 99n : height < 9 ? 10n : 7n,
}
export type Chain = typeof honest
export let chain: Chain

function answerOf({ method, params }: RpcCall<unknown>): unknown {
  const at = Number((params.at(-1) as string) ?? 0)
  if (method === 'eth_getBlockByNumber') {
    const height = params[0] === 'latest' ? chain.head : Number(params[0])
    if (height === undefined) return null
    if (chain.missing.has(height)) throw new Error('no block')
    if (chain.absent.has(height)) return null
    const own = chain.replaced.has(height) ? word(height) : blockHash(height)
    return {
      ...{ number: numberToHex(height), hash: own, parentHash: blockHash(height - 1) },
      ...{ timestamp: numberToHex(1_000 + height), baseFeePerGas: '0x1' },
    }
  }
  if (method === 'eth_getTransactionCount') {
    // One a block, long ago.
    if (at < 18) return numberToHex(at)
    const nonce = at === 18 ? chain.deepNonce : chain.nonce
    if (nonce === undefined) throw new Error('no nonce')
    return numberToHex(nonce)
  }
  if (method === 'eth_getTransactionReceipt') {
    const asked = params[0] as Hex
    if (!chain.mined.has(asked)) return null
    const one = chain.mined.get(asked)
    if (one === undefined) throw new Error('no receipt\nat all')
    return {
      ...{ transactionHash: asked, from: one.from ?? wallet },
      ...{ status: one.success === false ? '0x0' : '0x1', blockNumber: numberToHex(one.block) },
      ...{ blockHash: one.hash ?? blockHash(one.block), gasUsed: '0xa', effectiveGasPrice: '0x1' },
      logs: one.logs ?? [],
    }
  }
  if (method === 'eth_getBalance')
    return numberToHex(chain.balance(nativeAddress, params[0] as string, at))
  const { to, data } = params[0] as { to: Address; data: Hex }
  if (data.startsWith('0xdd62ed3e')) {
    if (chain.allowance === undefined) throw new Error('no allowance')
    return word(chain.allowance)
  }
  if (data.startsWith('0x70a08231')) {
    if (chain.pruned) throw new RpcRefused('eth_call', { code: -32_000, message: 'pruned' })
    return word(chain.balance(to, `0x${data.slice(34)}`, at))
  }
  const used = chain.consumed.get(`0x${data.slice(10)}`)
  if (used === undefined && chain.consumed.has(`0x${data.slice(10)}`)) throw new Error('no word')
  return word(used === true ? 1n : 0n)
}
const outcomeOf = (call: RpcCall<unknown>) => {
  try {
    return { ok: true, value: call.parse(answerOf(call)) }
  } catch (error) {
    return { ok: false, error }
  }
}
export const rpc = {
  request: async (call: RpcCall<unknown>) => {
    if (chain.fault !== undefined) throw chain.fault
    return call.parse(answerOf(call))
  },
  batch: async (calls: readonly RpcCall<unknown>[]) => calls.map(outcomeOf),
} as unknown as Rpc

export const attempt = (digit: string, changes: Partial<BookedAttempt> = {}): BookedAttempt => ({
  ...{ hash: hash(digit), kind: 'SWAP', nonce: 4, closed: undefined, displaced: false },
  ...{ gasPaid: undefined, logged: true, ...changes },
})
export const swapOf = (swapId: string, changes: Partial<BookedSwap> = {}): BookedSwap => ({
  ...{ swapId, state: 'PLANNED', sell: { token: usd, wei: 3n }, buy: eth, recipient: other },
  ...{ createdAt: 0, updatedAt: 50, nonce: undefined, deadline: undefined, router },
  ...{
    authorization: undefined,
    included: undefined,
    moved: undefined,
    isWrittenOff: false,
    gasPaid: undefined,
  },
  ...{ agrees: undefined, attempts: [], ...changes },
})
export const included = { number: 9, hash: blockHash(9), transaction: hash('1') }
export const settled = swapOf('settled', {
  ...{
    state: 'SETTLED',
    nonce: 4,
    authorization: hash('a'),
    included,
    gasPaid: 10n,
    agrees: false,
  },
  moved: { sold: 3n, received: 2n },
  attempts: [
    attempt('3', {
      kind: 'APPROVE',
      nonce: 3,
      gasPaid: 10n,
      closed: { number: 8, hash: blockHash(8) },
    }),
    attempt('1'),
  ],
})
export const dead = swapOf('dead', {
  ...{ state: 'EXPIRED_DEAD', nonce: 2, deadline: 100, authorization: hash('d') },
  attempts: [attempt('4', { nonce: 2 }), attempt('5', { nonce: 2, kind: 'CANCEL' })],
})
export const open = swapOf('open', {
  state: 'SENT',
  nonce: 5,
  deadline: 2_000,
  attempts: [attempt('6', { nonce: 5 })],
})

/** An allowance that an approval of a settled swap set. */
export function bookedAllowance(changes: Partial<BookedAllowance>): BookedAllowance {
  const set = { wei: [0n], isSet: true, permitted: [], swapId: 'settled' }
  return { token: usd, spender: router, ...set, ...changes }
}

const honestBooks = {
  swaps: [settled, dead, open] as readonly BookedSwap[],
  events: [] as { seq: number; swapId: string; does: 'quote' | 'sign' | 'end' }[],
  nonces: new Set<number>(),
  adoption: { nonce: 2, nextNonce: 6, releases: [] } as Awaited<
    ReturnType<JournalBooks['adoption']>
  >,
  allowances: [bookedAllowance({ wei: [4n] })] as readonly BookedAllowance[],
  counted: [] as readonly LimitEntry[],
  totals: [] as TotalDefect[],
  log: { after: 0, entries: 12, head: 'ab', defects: [] as string[] },
  stillOpen: true,
  accepted: new Map<string, string>(),
}
export let books: typeof honestBooks
export let pages: unknown[]
/** An honest chain and books in order. */
export function reset(): void {
  chain = {
    ...honest,
    missing: new Set(),
    absent: new Set(),
    replaced: new Set(),
    consumed: new Map(),
  }
  chain.mined = new Map<Hex, Mined | undefined>([
    [hash('1'), { block: 9, logs: [swapped(hash('a'), 3n, 2n)] }],
    [hash('3'), { block: 8 }],
    [hash('5'), { block: 7 }],
  ])
  books = { ...honestBooks, events: [], totals: [], log: { ...honestBooks.log, defects: [] } }
  pages = []
}

const journal = (): JournalBooks =>
  ({
    swaps: async (scope: { since: number }, page: { after: string; limit: number }) => {
      if (scope.since === Number.MAX_SAFE_INTEGER) {
        pages.push(page)
        return books.stillOpen ? [open] : []
      }
      const from = books.swaps.findIndex(({ swapId }) => swapId === page.after) + 1
      return books.swaps.slice(from, from + page.limit)
    },
    quoteEvents: async (_: unknown, { after, limit }: { after: number; limit: number }) =>
      books.events.filter(({ seq }) => seq > after).slice(0, limit),
    nonces: async () => books.nonces,
    newestBlock: async () => 9,
    adoption: async () => books.adoption,
    allowances: async () => books.allowances,
    counted: async () => ({ at: 1_000, taken: books.counted }),
    totalDefects: async () => books.totals,
    accepted: async () => books.accepted,
  }) as unknown as JournalBooks

const amount = (wei: bigint) => ({ token: usd, wei })
export async function look(since = 0, limitsChanged = false) {
  const { checks, ...rest } = await reconcile({
    ...{ rpc, router, books: journal(), scope: { chainId: 1, wallet, since }, confirmations: 2 },
    logDefects: async () => books.log,
    limits: {
      ...{ perSwap: [amount(9n)], allowances: [], permits: [] },
      perDay: [amount(9n)],
      notional: { perHour: amount(9n), perDay: amount(9n), perStrategy: amount(9n) },
    },
    ...{ limitsChanged: async () => limitsChanged, now: 1_000, coin: usd },
    tokens: [usd],
    granted: async () => {
      if (chain.unsearched !== undefined) throw chain.unsearched
      return { standing: chain.granted, unread: chain.unread }
    },
  })
  return {
    ...rest,
    evidence: Object.fromEntries(checks.map(({ id, evidence }) => [id, evidence])),
    verdicts: Object.fromEntries(
      checks.filter(({ verdict }) => verdict !== 'holds').map(({ id, verdict }) => [id, verdict]),
    ),
    breaks: checks.flatMap(({ breaks }) =>
      breaks.map(({ key, code, facts }) => ({ key, code, facts })),
    ),
    unknown: checks.flatMap(({ unknown }) => unknown),
    accepted: checks.flatMap(({ accepted }) => accepted),
  }
}
export const codes = async () => (await look()).breaks.map(({ code }) => code)
