import { encodeFunctionData, numberToHex } from 'viem'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { type SlotsOf, traceReads } from '../../chain/calls/traces.ts'
import { type Rpc, RpcGarbled, type RpcOutcome, RpcRefused } from '../../chain/rpc/rpc.ts'
import { findLayout, slotOf } from '../../chain/storage/layout.ts'
import type { Address, Token } from '../../core/token.ts'
import { overrideCall, type WalletSlots } from './overrideCall.ts'

type View = {
  readonly token: Token
  readonly functionName: 'balanceOf' | 'allowance'
  readonly args: readonly Address[]
}

const viewGas = 1_000_000n

/** Written into a slot to see whether the token then reports it: no account holds it by chance. */
const marks = [1_234_567_890_123_456_789n, 0n]

/**
 * Finds where each token keeps the wallet's balance and the router's allowance of it: the slot that reading it touches
 * and that is a hash of the addresses. It is believed once the token reports the value written there.
 *
 * A token is left out when its slot cannot be found or it reports another value.
 */
export async function findSlots(
  rpc: Rpc,
  { wallet, router, tokens }: { wallet: Address; router: Address; tokens: readonly Token[] },
): Promise<WalletSlots> {
  const find = (functionName: View['functionName'], args: readonly Address[]) =>
    slotsOf(
      rpc,
      tokens.map((token) => ({ token, functionName, args })),
    )
  const [balances, allowances] = await Promise.all([
    find('balanceOf', [wallet]),
    find('allowance', [wallet, router]),
  ])
  return { balances, allowances }
}

async function slotsOf(rpc: Rpc, views: readonly View[]): Promise<ReadonlyMap<string, Hex>> {
  const reads = await rpc.batch(views.map(traceOf))
  const guesses = views.flatMap((view, index) => {
    const touched = known(reads[index] as RpcOutcome<SlotsOf>)?.get(nameOf(view))
    const layout = touched && findLayout(touched, view.args)
    return layout === undefined ? [] : [{ view, slot: slotOf(layout, view.args) }]
  })
  const said = await rpc.batch(guesses.flatMap((guess) => marks.map((mark) => asked(guess, mark))))
  const proven = guesses.filter((_, index) =>
    marks.every((mark, which) => {
      const answer = said[index * marks.length + which] as RpcOutcome<bigint>
      return known(answer) === mark
    }),
  )
  return new Map(proven.map(({ view, slot }) => [nameOf(view), slot]))
}

const nameOf = ({ token }: View) => token.address.toLowerCase()

const traceOf = ({ token, functionName, args }: View) =>
  traceReads({
    from: args[0] as Address,
    to: token.address,
    data: encodeFunctionData({ abi: erc20Abi, functionName, args: args as never }),
    gas: viewGas,
  })

const asked = ({ view, slot }: { view: View; slot: Hex }, mark: bigint) =>
  overrideCall(
    readContract({
      address: view.token.address,
      abi: erc20Abi,
      functionName: view.functionName,
      args: view.args as never,
    }),
    { [nameOf(view)]: { stateDiff: { [slot]: numberToHex(mark, { size: 32 }) } } },
  )

/** A node that cannot trace, or a token that reverts, is no answer; a node away is queried again at the next start. */
function known<value>(outcome: RpcOutcome<value>): value | undefined {
  if (outcome.ok) return outcome.value
  if (outcome.error instanceof RpcRefused || outcome.error instanceof RpcGarbled) return undefined
  throw outcome.error
}
