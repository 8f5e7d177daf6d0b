import { decodeFunctionData, parseAbi, recoverTransactionAddress, toFunctionSelector } from 'viem'
import type { RecoveredTerms } from '../bot/journal/attempts/recovered.ts'
import type { Journal } from '../bot/journal/openJournal.ts'
import { findTransactions } from '../chain/calls/findTransactions.ts'
import { getReceipt } from '../chain/calls/getReceipt.ts'
import type { MinedTransaction } from '../chain/calls/getTransaction.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { decodeOrders, decodeSwapCall, isSwapCall } from '../chain/settlement/codec.ts'
import { isSettledBy } from '../chain/settlement/isSettledBy.ts'
import { spendersOf } from '../chain/settlement/spendersOf.ts'
import { authorizationHash } from '../chain/settlement/typedData.ts'
import type { Config } from '../config/config.ts'
import type { Amount } from '../core/amount.ts'
import { ballastError } from '../core/errors.ts'
import { type Address, nativeAddress, sameAddress, type Token } from '../core/token.ts'

/** A mined transaction with its bytes, proven to be the wallet's. */
type OwnBytes = MinedTransaction & { readonly raw: NonNullable<MinedTransaction['raw']> }

/** A transaction of the wallet that the journal does not know, by what its calldata says. */
export type Unbooked =
  | {
      readonly is: 'swap'
      readonly transaction: OwnBytes
      readonly terms: RecoveredTerms
      readonly sell: Amount
      readonly buy: Token
      readonly recipient: Address
    }
  | {
      readonly is: 'approval'
      readonly transaction: OwnBytes
      readonly token: Token
      readonly wei: bigint
    }
  | { readonly is: 'foreign'; readonly transaction: MinedTransaction }

/**
 * The mined transactions of the wallet that have no bytes in the journal, in the order of their nonces, up to a block.
 * Each is proven by its own signature: an endpoint can leave one out, which its nonce shows, but invent none.
 */
export async function findUnbooked({
  config,
  rpc,
  journal,
  depth,
}: {
  config: Config
  rpc: Rpc
  journal: Pick<Journal, 'books'>
  /** Height of the last block that counts. */
  depth: number
}): Promise<readonly Unbooked[]> {
  const wallet = config.wallet.address
  const scope = { chainId: config.chain.chainId, wallet, since: 0 }
  const { nextNonce = 0 } = await journal.books.adoption(scope)
  const newest = await journal.books.newestBlock(scope)
  const open = (await journal.books.openNonces(scope)).filter(({ nonce }) => nonce < nextNonce)
  const from = Math.min(nextNonce, ...open.map(({ nonce }) => nonce))
  const all = await findTransactions(rpc, {
    ...{ sender: wallet, from, to: depth },
    after: Math.min(depth, Math.max(0, newest - 1)),
  })
  const known = new Set(open.flatMap(({ hashes }) => hashes))
  const isNew = ({ nonce, hash }: MinedTransaction) =>
    nonce >= nextNonce || (open.some((one) => one.nonce === nonce) && !known.has(hash))
  const found = all.filter(isNew)
  const routers = [
    ...[config.service.router, ...(await journal.books.routers(scope))],
    ...(await routersAmong(found, { rpc, config })),
  ]
  return Promise.all(found.map((one) => readMeaning(one, { config, routers })))
}

/**
 * Contracts that settled a swap by these transactions: a router that was configured before is one as well, and what it
 * settled counts against the limits all the same. The calls of an opaque router are not known, and log no such event.
 */
async function routersAmong(
  transactions: readonly MinedTransaction[],
  { rpc, config: { service, wallet } }: { rpc: Rpc; config: Config },
): Promise<readonly Address[]> {
  const routers: Address[] = []
  for (const { hash, to, data } of transactions) {
    if (to === undefined || sameAddress(to, service.router) || !isSwapCall(data)) continue
    const receipt = await rpc.request(getReceipt(hash, wallet.address))
    if (receipt === undefined)
      throw ballastError(
        'TRANSACTIONS_NOT_FOUND',
        "The RPC endpoint does not show the receipt of a call of the wallet's.",
        { transaction: hash, endpoint: rpc.label },
      )
    if (isSettledBy(receipt, { router: to, caller: wallet.address })) routers.push(to)
  }
  return routers
}

const approve = parseAbi(['function approve(address spender, uint256 amount)'])
const approveSelector = toFunctionSelector(approve[0])

async function readMeaning(
  transaction: MinedTransaction,
  { config, routers }: { config: Config; routers: readonly Address[] },
): Promise<Unbooked> {
  const { raw, to, data } = transaction
  const { wallet, service, tokens, policy } = config
  if (raw === undefined || to === undefined) return { is: 'foreign', transaction }
  const sender = await recoverTransactionAddress({
    serializedTransaction: raw as `0x02${string}`,
  })
  if (!sameAddress(sender, wallet.address))
    throw ballastError(
      'TRANSACTIONS_NOT_FOUND',
      "The RPC endpoint shows a transaction as the wallet's that it did not sign.",
      { wallet: wallet.address, transaction: transaction.hash, signer: sender },
    )
  const own = { ...transaction, raw }
  const token = [...tokens.bySymbol.values()].find(({ address }) => sameAddress(address, to))
  if (token !== undefined && data.startsWith(approveSelector)) {
    const [spender, wei] = decodeFunctionData({ abi: approve, data }).args
    const spenders = routers.flatMap((router) =>
      spendersOf(token, { router, permits: policy.permits }),
    )
    if (spenders.some((one) => sameAddress(one, spender)))
      return { is: 'approval', transaction: own, token, wei }
  }
  // A call of an opaque router is not ours to read, whatever it begins with.
  const isOpaque = service.profile.kind !== 'ballast' && sameAddress(to, service.router)
  const router = isOpaque ? undefined : routers.find((one) => sameAddress(to, one))
  return router && isSwapCall(data)
    ? readSwapCall(own, { config, router })
    : { is: 'foreign', transaction }
}

function readSwapCall(
  transaction: OwnBytes,
  { config: { chain, wallet, tokens }, router }: { config: Config; router: Address },
): Unbooked {
  const { swap, permit } = decodeSwapCall(transaction.data)
  const orders = decodeOrders(swap.orders)
  const tokenOf = (address: string | undefined, isCoin: boolean) => {
    const wanted = isCoin ? nativeAddress : (address ?? '')
    const token = [...tokens.bySymbol.values()].find((one) => sameAddress(one.address, wanted))
    if (token === undefined)
      throw ballastError(
        'TOKEN_NOT_CONFIGURED',
        'A swap of the wallet has a token that the configuration does not list.',
        {
          transaction: transaction.hash,
          token: wanted,
          next: 'add it to tokens: for this command',
        },
      )
    return token
  }
  const [first, last] = [orders.at(0)?.order, orders.at(-1)?.order]
  const domain = { chainId: chain.chainId, router }
  const deadlines = orders.map(({ order }) => Number(order.deadlineTimestamp))
  return {
    is: 'swap',
    transaction,
    terms: {
      router,
      quoteId: first?.quoteId ?? '',
      authorization: authorizationHash(domain, { orders, caller: wallet.address, swap }),
      deadline: Math.min(...deadlines),
      minimum: swap.amountOutMinimum,
      permit,
    },
    sell: { token: tokenOf(first?.sellerToken, swap.toWrap), wei: swap.amountIn },
    buy: tokenOf(last?.buyerToken, swap.toUnwrap),
    recipient: swap.recipient,
  }
}
