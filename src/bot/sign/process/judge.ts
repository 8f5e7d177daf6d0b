import {
  decodeFunctionData,
  encodeFunctionData,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559,
} from 'viem'
import { erc20Abi } from '../../../chain/abi/contracts.ts'
import type { Hex } from '../../../chain/calls/fields.ts'
import {
  decodeExactInput,
  decodeOrders,
  encodeExactInput,
  encodeOrders,
} from '../../../chain/settlement/codec.ts'
import type { ExactInput, SignedOrder } from '../../../chain/settlement/order.ts'
import { type Amount, show } from '../../../core/amount.ts'
import { assert } from '../../../core/assert.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import { type Address, sameAddress, type Token } from '../../../core/token.ts'
import type { AttemptKind, Transaction } from '../../stages.ts'

/** A signer process's permitted transaction: every field as read from the bytes, and its sale. */
export type Judged = {
  readonly kind: AttemptKind
  readonly transaction: Transaction & { readonly type: 'eip1559' }
  /** The amount that counts towards the day; undefined where nothing is sold. */
  readonly sold: Amount | undefined
}

type Case = {
  readonly transaction: Judged['transaction']
  readonly wallet: Address
  readonly limits: SignerLimits
}

/**
 * Reads an unsigned transaction from its bytes and returns its kind, or throws SIGNER_REFUSED with the rule it breaks.
 *
 * Three shapes are signed and no other: a swap at the pinned router, an approval of that router, a transfer of nothing
 * to oneself. Knows nothing of quotes and prices: it bounds the damage by a bot that has been taken over.
 */
export function judgeRequest(
  unsigned: Hex,
  { wallet, limits }: { wallet: Address; limits: SignerLimits },
): Judged {
  const transaction = readTransaction(unsigned)
  const scene: Case = { transaction, wallet, limits }
  checkFees(scene)
  const { to } = transaction
  if (sameAddress(to, wallet)) return cancellation(scene)
  if (sameAddress(to, limits.router)) return swap(scene)
  return approval(scene)
}

function readTransaction(unsigned: Hex): Judged['transaction'] {
  const parsed = attempt(() => parseTransaction(unsigned) as TransactionSerializableEIP1559)
  if (parsed === undefined || parsed.type !== 'eip1559')
    throw refused('NOT_EIP1559', 'it is no EIP-1559 transaction')
  if ('r' in parsed || 's' in parsed || 'yParity' in parsed)
    throw refused('SIGNED_ALREADY', 'it carries a signature')
  if (parsed.to == null) throw refused('CREATES_CONTRACT', 'it creates a contract')
  if (parsed.accessList !== undefined && parsed.accessList.length > 0)
    throw refused('ACCESS_LIST', 'it has an access list')
  // RLP has no zero: an absent number is 0 and absent data is 0x.
  const transaction = {
    type: 'eip1559' as const,
    chainId: parsed.chainId,
    nonce: parsed.nonce ?? 0,
    to: parsed.to,
    data: parsed.data ?? '0x',
    value: parsed.value ?? 0n,
    gas: parsed.gas ?? 0n,
    maxFeePerGas: parsed.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: parsed.maxPriorityFeePerGas ?? 0n,
  }
  // Bytes that the parser overlooked would be signed unseen.
  if (attempt(() => serializeTransaction(transaction)) !== unsigned.toLowerCase())
    throw refused('NOT_CANONICAL', 'its bytes are not the canonical ones of what they say')
  return transaction
}

function checkFees({ transaction, limits }: Case): void {
  const { chainId, gas, maxFeePerGas } = transaction
  if (chainId !== limits.chainId)
    throw refused('WRONG_CHAIN', `it is for chain ${chainId}, not ${limits.chainId}`)
  if (gas > limits.gasMax) throw refused('GAS_LIMIT', `its gas ${gas} is above ${limits.gasMax}`)
  if (maxFeePerGas > limits.gasPriceMax)
    throw refused(
      'GAS_PRICE',
      `its fee of ${maxFeePerGas} wei per gas is above ${limits.gasPriceMax}`,
    )
}

function cancellation({ transaction }: Case): Judged {
  if (transaction.value !== 0n || transaction.data !== '0x')
    throw refused('NOT_A_CANCELLATION', 'to the wallet itself only nothing is sent')
  return { kind: 'CANCEL', transaction, sold: undefined }
}

function approval({ transaction, limits }: Case): Judged {
  const { to, data, value } = transaction
  const limit = limitOf(to, limits)
  if (limit === undefined)
    throw refused('UNKNOWN_TARGET', `${to} is neither router nor listed token`)
  const call = attempt(() => decodeFunctionData({ abi: erc20Abi, data }))
  if (call?.functionName !== 'approve')
    throw refused('UNKNOWN_CALL', 'of a token only approve is called')
  const [spender, wei] = call.args
  if (encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, wei] }) !== data)
    throw refused('NOT_CANONICAL', 'its call is not the canonical encoding of what it says')
  if (value !== 0n) throw refused('WRONG_VALUE', 'an approval sends no coin')
  if (!sameAddress(spender, limits.router))
    throw refused('WRONG_SPENDER', `it approves ${spender}, which is not the router`)
  const { token, perTransaction } = limit
  if (wei > perTransaction)
    throw refused(
      'ABOVE_PER_TRANSACTION',
      `it approves more than ${show({ token, wei: perTransaction })}`,
    )
  return { kind: 'APPROVE', transaction, sold: undefined }
}

function swap({ transaction, wallet, limits }: Case): Judged {
  const { data, value } = transaction
  const { call, orders } = readSwap(data)
  const { recipient, amountIn, toWrap } = call
  if (![wallet, ...limits.recipients].some((one) => sameAddress(one, recipient)))
    throw refused('WRONG_RECIPIENT', `${recipient} may not receive`)
  const expected = toWrap ? amountIn : 0n
  if (value !== expected)
    throw refused('WRONG_VALUE', `it sends ${value} wei instead of ${expected}`)
  if (call.amountOutMinimum === 0n) throw refused('NO_MINIMUM', 'it would take nothing in return')

  // The router charges the first leg's token and delivers the last one's.
  const legs = orders.map(({ order }) => order)
  const [first] = legs
  const unknown = legs
    .flatMap(({ sellerToken, buyerToken }) => [sellerToken, buyerToken])
    .find((token) => limitOf(token, limits) === undefined)
  if (first === undefined || legs.length > 8)
    throw refused('BAD_ORDERS', `it has ${legs.length} orders instead of 1 to 8`)
  if (unknown !== undefined) throw refused('UNKNOWN_TOKEN', `${unknown} is no listed token`)
  const stranger = legs.find(
    ({ caller, seller }) => !sameAddress(caller, wallet) || !sameAddress(seller, wallet),
  )
  if (stranger !== undefined) throw refused('WRONG_PARTIES', 'an order is for another wallet')
  const limit = limitOf(first.sellerToken, limits)
  assert(limit !== undefined, 'every token of every leg is listed')
  const { token, perTransaction } = limit
  const sold = { token, wei: amountIn }
  if (amountIn > perTransaction)
    throw refused(
      'ABOVE_PER_TRANSACTION',
      `it sells ${show(sold)}, more than ${show({ token, wei: perTransaction })}`,
    )
  return { kind: 'SWAP', transaction, sold }
}

function readSwap(data: Hex): { call: ExactInput; orders: readonly SignedOrder[] } {
  const call = attempt(() => decodeExactInput(data))
  if (call === undefined) throw refused('UNKNOWN_CALL', 'of the router only exactInput is called')
  const orders = attempt(() => decodeOrders(call.orders))
  if (orders === undefined) throw refused('BAD_ORDERS', 'its orders cannot be read')
  // viem's decoder tolerates trailing bytes and dirty address bits.
  if (encodeExactInput(call) !== data || encodeOrders(orders) !== call.orders)
    throw refused('NOT_CANONICAL', 'its call is not the canonical encoding of what it says')
  return { call, orders }
}

const limitOf = (address: Address, { tokens }: SignerLimits) =>
  tokens.find(({ token }) => sameAddress(token.address, address))

function attempt<result>(read: () => result): result | undefined {
  try {
    return read()
  } catch {
    // Why it cannot be read is of no use to anyone: the refusal names the rule.
    return undefined
  }
}

function refused(rule: string, reason: string): BallastError {
  return ballastError('SIGNER_REFUSED', `Refused: ${reason}.`, { rule })
}

/** The limits of a signer process, from its own configuration. Default deny. */
export type SignerLimits = {
  readonly chainId: number
  /** The only contract that is called or approved. */
  readonly router: Address
  /** The permitted recipients, besides the wallet itself. */
  readonly recipients: readonly Address[]
  /** Tokens that may be bought; sold and approved only within their limits, in the token's smallest unit. */
  readonly tokens: readonly {
    readonly token: Token
    readonly perTransaction: bigint
    readonly perDay: bigint
  }[]
  readonly gasMax: bigint
  /** Wei per gas. */
  readonly gasPriceMax: bigint
}
