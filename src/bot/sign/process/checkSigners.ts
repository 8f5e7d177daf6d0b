import { zeroAddress } from 'viem'
import { createDigests } from '../../../chain/crypto/createDigests.ts'
import { recoverSigner } from '../../../chain/crypto/recoverSigner.ts'
import type { SignedOrder } from '../../../chain/settlement/order.ts'
import { type Address, sameAddress } from '../../../core/token.ts'
import { type RouterCall, refused } from './readRequest.ts'

/** The pinned parties of a swap. `unchecked` gives a check up: then the router alone makes it. */
export type Parties = {
  readonly chainId: number
  readonly router: Address
  readonly feeSigner: Address | 'unchecked'
  /** Whose orders are filled. `unchecked` stands alone. */
  readonly makers: readonly (Address | 'unchecked')[]
}

/** Recovers every signature inside a call of the router, as the router does, and compares it with the pinned parties. */
export async function checkSigners(
  { call, orders }: RouterCall,
  { wallet, parties }: { wallet: Address; parties: Parties },
): Promise<void> {
  const { feeSigner, makers } = parties
  const digests = createDigests(parties)
  if (!makers.includes('unchecked'))
    for (const { order, signature } of orders) {
      if (isPoolLeg({ order, signature })) continue
      if (
        ![order.signer, order.buyer].every((one) => makers.some((each) => sameAddress(each, one)))
      )
        throw refused('UNKNOWN_MAKER', `an order of ${order.buyer} is not one of a listed maker`)
      const signer = await recoverSigner(digests.order(order), signature)
      if (signer === undefined || !sameAddress(signer, order.signer))
        throw refused('MAKER_SIGNATURE', `${order.signer} did not sign an order`)
    }
  if (feeSigner === 'unchecked') return
  const { widgetFee, widgetFeeSignature } = call
  const authorization = digests.authorization({ orders, caller: wallet, swap: call })
  const signer = await recoverSigner(authorization, widgetFeeSignature)
  if (
    signer === undefined ||
    ![signer, widgetFee.signer].every((one) => sameAddress(one, feeSigner))
  )
    throw refused('FEE_SIGNER', `${feeSigner} did not authorise the swap`)
}

/** A leg over a pool has no signature; the authorisation covers it. The router refuses one with another buyer. */
const isPoolLeg = ({ order, signature }: SignedOrder) =>
  sameAddress(order.signer, zeroAddress) && signature === '0x'
