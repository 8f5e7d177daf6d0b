import { decodeFunctionData, encodeFunctionData } from 'viem'
import { erc20Abi } from '../../../chain/abi/contracts.ts'
import type { Hex } from '../../../chain/calls/fields.ts'
import { type Amount, show } from '../../../core/amount.ts'
import { assert } from '../../../core/assert.ts'
import { minimumAt, type Price } from '../../../core/price.ts'
import { type Address, sameAddress, sameToken, type Token } from '../../../core/token.ts'
import type { AttemptKind } from '../../stages.ts'
import { checkSigners, type Parties } from './checkSigners.ts'
import type { DayLimits } from './dayLimits.ts'
import { attempt, readRouterCall, readTransaction, refused, type Unsigned } from './readRequest.ts'

/** A signer process's permitted transaction: every field as read from the bytes, and its sale. */
export type Judged = {
  readonly kind: AttemptKind
  readonly transaction: Unsigned
  /** The amount that counts towards the day; undefined where nothing is sold. */
  readonly sold: Amount | undefined
}

type Case = {
  readonly transaction: Unsigned
  readonly wallet: Address
  readonly limits: SignerLimits
}

/**
 * Reads an unsigned transaction from its bytes and returns its kind, or throws SIGNER_REFUSED with the rule it breaks.
 *
 * Three shapes of a transaction are signed and no other: a swap at the pinned router, an approval of that router, a transfer of
 * nothing to oneself. Knows nothing of quotes and prices: it bounds the damage by a bot that has been taken over.
 */
export async function judgeRequest(
  unsigned: Hex,
  { wallet, limits }: { wallet: Address; limits: SignerLimits },
): Promise<Judged> {
  const transaction = readTransaction(unsigned)
  const scene: Case = { transaction, wallet, limits }
  checkSize(scene)
  const { to } = transaction
  if (sameAddress(to, wallet)) return cancellation(scene)
  if (sameAddress(to, limits.router)) return swap(scene)
  return approval(scene)
}

function checkSize({ transaction, wallet, limits }: Case): void {
  const { to, chainId, gas, maxFeePerGas, maxPriorityFeePerGas: tip, data } = transaction
  if (chainId !== limits.chainId)
    throw refused('WRONG_CHAIN', `it is for chain ${chainId}, not ${limits.chainId}`)
  if (gas > limits.gasMax) throw refused('GAS_LIMIT', `its gas ${gas} is above ${limits.gasMax}`)
  if (maxFeePerGas > limits.gasPriceMax)
    throw refused(
      'GAS_PRICE',
      `its fee of ${maxFeePerGas} wei per gas is above ${limits.gasPriceMax}`,
    )
  // A cancellation has to outbid what waits, however much that offers: one that is refused leaves the nonce open.
  if (tip > limits.tipMax && !sameAddress(to, wallet))
    throw refused('TIP', `its tip of ${tip} wei per gas is above ${limits.tipMax} (maxTip)`)
  const bytes = data.length / 2 - 1
  if (bytes > limits.callBytesMax)
    throw refused(
      'CALL_SIZE',
      `its call of ${bytes} bytes is above ${limits.callBytesMax} (maxCallBytes)`,
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
  // An approval of nothing takes an allowance back, from any spender.
  if (wei > 0n && !sameAddress(spender, limits.router))
    throw refused('WRONG_SPENDER', `it approves ${spender}, which is not the router`)
  const { token, perTransaction, standing: most = perTransaction } = limit
  if (wei > most)
    throw refused('ABOVE_PER_TRANSACTION', `it approves more than ${show({ token, wei: most })}`)
  return { kind: 'APPROVE', transaction, sold: undefined }
}

async function swap({ transaction, wallet, limits }: Case): Promise<Judged> {
  const { data, value } = transaction
  const { call, orders } = readRouterCall(data)
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
  checkPrice({ sold, bought: legs.at(-1)?.buyerToken, minimum: call.amountOutMinimum }, limits)
  await checkSigners({ call, orders }, { wallet, parties: limits })
  return { kind: 'SWAP', transaction, sold }
}

/** A token that has a minimum price is sold in no pair that has none: another pair would be the way around it. */
function checkPrice(
  { sold, bought, minimum }: { sold: Amount; bought: Address | undefined; minimum: bigint },
  { minimumPrices }: SignerLimits,
): void {
  const prices = minimumPrices.filter((price) => sameToken(price.sold.token, sold.token))
  const ofPair = prices.filter(
    (price) => bought !== undefined && sameAddress(price.bought.token.address, bought),
  )
  if (prices.length > 0 && ofPair.length === 0)
    throw refused(
      'NO_PRICE',
      `${sold.token.symbol} is sold only in pairs that have a price (minimumPrices)`,
    )
  for (const price of ofPair) {
    const least = minimumAt(price, sold)
    if (minimum < least.wei)
      throw refused(
        'BELOW_PRICE',
        `for ${show(sold)} it guarantees ${show({ ...least, wei: minimum })}, less than ${show(least)} (minimumPrices)`,
      )
  }
}

export const limitOf = (address: Address, { tokens }: SignerLimits) =>
  tokens.find(({ token }) => sameAddress(token.address, address))

/** The limits of a signer process, from its own configuration. Default deny. Its router alone is called or approved. */
export type SignerLimits = DayLimits &
  Parties & {
    /** The permitted recipients, besides the wallet itself. */
    readonly recipients: readonly Address[]
    /** Tokens that may be bought; sold and approved only within their limits, in the token's smallest unit. */
    readonly tokens: readonly {
      readonly token: Token
      readonly perTransaction: bigint
      readonly perDay: bigint
      /** The most that is approved; as much as one transaction sells without it. */
      readonly standing?: bigint | undefined
    }[]
    readonly gasMax: bigint
    /** Wei per gas. */
    readonly gasPriceMax: bigint
    /** Of the priority fee, wei per gas. */
    readonly tipMax: bigint
    readonly callBytesMax: number
    /** The least that a sale guarantees, per pair and direction. */
    readonly minimumPrices: readonly Price[]
  }
