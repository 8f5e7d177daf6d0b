import type { Abi, ContractFunctionName } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import { encodeCall } from '../../chain/calls/encodeCall.ts'
import type { SimulatedCall } from '../../chain/calls/simulate.ts'
import type { SignedOrder } from '../../chain/settlement/order.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'

/** A query to the router or a token before the swap is played through, in the same block. */
export type Question = {
  /** The check it belongs to. */
  readonly check: (typeof questionChecks)[number]
  /** Its subject, for a reader. */
  readonly about: string
  readonly call: SimulatedCall
  /** Whether the one word that is answered lets the swap go on. */
  readonly holds: (word: bigint) => boolean
}

/** The checks there are, in the order they are noted in. */
export const questionChecks = [
  'authorization-unused',
  'maker-order-unused',
  'maker-signer',
  'maker-balance',
  'maker-allowance',
] as const

const viewGas = 1_000_000n

/**
 * The conditions before anything is played: nothing of the quote was used, its makers' signers still sign for them, and
 * a maker with no pool behind it has the money and lets the router take it.
 */
export function questionsOf({
  call: { to: router },
  wallet,
  authorization,
  orders,
  swap,
}: Permitted): readonly Question[] {
  const view = <abi extends Abi>(
    contract: Address,
    abi: abi,
    functionName: ContractFunctionName<abi, 'view'>,
    args: readonly unknown[],
  ): SimulatedCall => ({
    from: wallet,
    to: contract,
    data: encodeCall({ abi, functionName, args } as never),
    gas: viewGas,
  })
  // A foreign router's records are its own: only what its call does can be looked at.
  if (swap === undefined) return []
  const unused: Question = {
    check: 'authorization-unused',
    about: 'the quote was settled before',
    call: view(router, swapRouterAbi, 'usedAuthorization', [authorization]),
    holds: (word) => word === 0n,
  }
  const legs = orders.map((leg, index) => ({ ...leg, behind: swap.fallbackSwapDataArray[index] }))
  const makers = legs.filter(({ signature }) => signature !== '0x')
  const alone = makers.filter(({ behind = '0x' }) => behind === '0x')
  return [
    unused,
    ...makers.map(
      ({ order: { buyer, id } }): Question => ({
        check: 'maker-order-unused',
        about: `order ${id} of ${buyer} was filled or cancelled`,
        call: view(router, swapRouterAbi, 'nonceBitmap', [buyer, id >> 8n]),
        holds: (word) => (word & (1n << (id & 0xffn))) === 0n,
      }),
    ),
    ...makers
      .filter(({ order }) => !sameAddress(order.signer, order.buyer))
      .map(
        ({ order: { buyer, signer } }): Question => ({
          check: 'maker-signer',
          about: `${signer} does not sign for ${buyer}`,
          call: view(router, swapRouterAbi, 'orderSigner', [buyer, signer]),
          holds: (word) => word === 1n,
        }),
      ),
    ...debtsOf(alone).flatMap(({ buyer, token, wei }): Question[] => [
      {
        check: 'maker-balance',
        about: `${buyer} does not hold ${wei} of ${token}`,
        call: view(token, erc20Abi, 'balanceOf', [buyer]),
        holds: (word) => word >= wei,
      },
      {
        check: 'maker-allowance',
        about: `${buyer} does not let the router take ${wei} of ${token}`,
        call: view(token, erc20Abi, 'allowance', [buyer, router]),
        holds: (word) => word >= wei,
      },
    ]),
  ]
}

/** Each maker's total payment, per token: two orders of one maker need the money of both. */
function debtsOf(legs: readonly SignedOrder[]) {
  const debts = new Map<string, { buyer: Address; token: Address; wei: bigint }>()
  for (const { order } of legs) {
    const { buyer, buyerToken: token, buyerTokenAmount } = order
    const key = `${buyer} ${token}`.toLowerCase()
    const wei = (debts.get(key)?.wei ?? 0n) + buyerTokenAmount
    debts.set(key, { buyer, token, wei })
  }
  return [...debts.values()]
}
