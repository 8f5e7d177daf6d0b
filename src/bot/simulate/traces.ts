import { erc20Abi } from '../../chain/abi/contracts.ts'
import { encodeCall } from '../../chain/calls/encodeCall.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import {
  type SlotsOf,
  type StorageChange,
  type TracedCall,
  traceChanges,
  traceReads,
} from '../../chain/calls/traces.ts'
import type { RpcCall } from '../../chain/rpc/rpc.ts'
import { findLayout, type Layout } from '../../chain/storage/layout.ts'
import { type Address, isNative, sameAddress, type Token } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'
import type { SimulationBounds } from './bounds.ts'

/** The swap's writes, and where its tokens keep its permitted ones. */
export type Traced = {
  /** Undefined where the swap cannot be traced before its approval is mined. */
  readonly swap: readonly StorageChange[] | undefined
  readonly approvals: readonly (readonly StorageChange[])[]
  /** For each token of the route that is looked at, by its address in lower case. */
  readonly layouts: ReadonlyMap<string, TokenLayout>
}

/** Where a token keeps balances and allowances; undefined where no layout we know explains what it reads. */
export type TokenLayout = {
  readonly balances: Layout | undefined
  readonly allowances: Layout | undefined
  /** Slots that only the total supply is read from. Wrapping and unwrapping change them. */
  readonly supply: ReadonlySet<Hex>
}

type Traces = {
  readonly calls: readonly RpcCall<readonly StorageChange[] | SlotsOf>[]
  read(answers: readonly (readonly StorageChange[] | SlotsOf)[]): Traced
}

const viewGas = 1_000_000n

/**
 * The traces that go along in the simulation's batch: the swap, its approvals, and views whose reads show the layout of
 * each token of the route.
 */
export function tracesOf(permitted: Permitted, tracing: Tracing): Traces {
  const { wallet, call, intent } = permitted
  const { untraced, watched, wrapped } = tracing
  const { swap, approvals } = changesOf(permitted, tracing)
  const changes = [...swap, ...approvals]
  const tokens = routeTokens(permitted, watched).filter(
    (token) => !untraced.some((one) => sameAddress(one, token)),
  )
  const reads = tokens.flatMap((token) => [
    readOf(token, wallet, balanceData(wallet)),
    readOf(token, wallet, allowanceData(wallet, call.to)),
  ])
  const wraps = isNative(intent.sell.token) || isNative(intent.buy)
  const supplied = wraps ? [readOf(wrapped, wallet, supplyData)] : []
  return {
    calls: [...changes, ...reads, ...supplied],
    read(answers) {
      const written = answers.slice(0, changes.length) as readonly (readonly StorageChange[])[]
      const touched = answers.slice(changes.length) as readonly SlotsOf[]
      const layouts = tokens.map((token, index) => {
        const key = token.toLowerCase()
        const slotsIn = (read: number) => [...(touched[read]?.get(key) ?? [])]
        const balance = new Set(slotsIn(2 * index))
        const allowance = new Set(slotsIn(2 * index + 1))
        return [
          key,
          {
            balances: findLayout(balance, [wallet]),
            allowances: findLayout(allowance, [wallet, call.to]),
            // Slots that every view reads, such as the address of an implementation, are no part of the supply.
            supply: new Set(slotsIn(reads.length).filter((slot) => !balance.has(slot))),
          },
        ] as const
      })
      return {
        swap: swap.length > 0 ? written[0] : undefined,
        approvals: written.slice(swap.length),
        layouts: new Map(layouts),
      }
    },
  }
}

type Tracing = {
  readonly untraced: readonly Address[]
  readonly watched: readonly Token[]
  readonly wrapped: Address
  readonly gas: bigint
  readonly gasPrice: bigint
}

/** Traces of the writes: of the swap, where it can be traced before its approval is mined, and of its approvals. */
function changesOf(permitted: Permitted, { untraced, gas, gasPrice }: Tracing) {
  const { wallet, intent, swap, allowanceSlot: slot } = permitted
  const sold = intent.sell.token.address
  const allowed = slot && { account: sold, slot, value: swap?.amountIn ?? intent.sell.wei }
  const played = playedSwap(permitted, { gas, gasPrice })
  const steps = untraced.some((one) => sameAddress(one, sold)) ? [] : permitted.approvals
  return {
    swap: played === undefined ? [] : [traceChanges(played)],
    approvals: steps.map((step, index) =>
      traceChanges({
        ...step,
        from: wallet,
        gas,
        gasPrice,
        // The second approval comes after the first has set the allowance to zero.
        ...(index > 0 && allowed !== undefined ? { storage: { ...allowed, value: 0n } } : {}),
      }),
    ),
  }
}

/** The swap as it is traced before its approval is mined; undefined where it cannot be. */
export function playedSwap(
  { wallet, call, intent, swap, approvals, allowanceSlot: slot }: Permitted,
  { gas, gasPrice }: Pick<Tracing, 'gas' | 'gasPrice'>,
): TracedCall | undefined {
  const played = { ...call, from: wallet, gas, gasPrice }
  if (approvals.length === 0) return played
  // Without its allowance the swap reverts and writes nothing, which would prove nothing.
  if (slot === undefined) return undefined
  const value = swap?.amountIn ?? intent.sell.wei
  return { ...played, storage: { account: intent.sell.token.address, slot, value } }
}

/** Every ERC-20 a leg moves. The way of a foreign router is not known: all configured ones. */
function routeTokens({ swap, orders }: Permitted, watched: readonly Token[]): readonly Address[] {
  if (swap === undefined)
    return watched.filter((token) => !isNative(token)).map(({ address }) => address)
  const tokens = orders.flatMap(({ order }) => [order.sellerToken, order.buyerToken])
  return tokens.filter(
    (token, index) => tokens.findIndex((one) => sameAddress(one, token)) === index,
  )
}

const readOf = (to: Address, from: Address, data: Hex) =>
  traceReads({ from, to, data, gas: viewGas })

const balanceData = (owner: Address) =>
  encodeCall({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
const allowanceData = (owner: Address, spender: Address) =>
  encodeCall({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] })
const supplyData = encodeCall({ abi: erc20Abi, functionName: 'totalSupply' })

/** The untraced tokens, as addresses. Undefined where there are none. */
export const untracedOf = ({ untraced }: SimulationBounds): readonly Address[] | undefined =>
  untraced?.map(({ address }) => address)
