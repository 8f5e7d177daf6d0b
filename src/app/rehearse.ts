import { encodeFunctionData } from 'viem'
import { erc20Abi } from '../chain/abi/contracts.ts'
import { getBalance } from '../chain/calls/account.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { getBlock } from '../chain/calls/node.ts'
import {
  type Play,
  type Scenario,
  type SimulationResult,
  simulate,
} from '../chain/calls/simulate.ts'
import { simulateByProbe } from '../chain/calls/simulateByProbe.ts'
import { type Rpc, saysNo } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import type { Address } from '../core/token.ts'
import { failureText } from './failureText.ts'

/** The ways in which nodes play a scenario through, the better one first. */
export const ways: readonly (readonly [name: string, play: Play])[] = [
  ['eth_simulateV1', simulate],
  ['probe', simulateByProbe],
]

/** How a node played the scenario of {@link rehearse}. `missing` and `wrong` do not pass by themselves, `away` may. */
export type Rehearsal =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' | 'missing'; readonly reason: string }
  | { readonly kind: 'away'; readonly error: unknown }

/**
 * The way in which nodes play a scenario as a chain does: the first that each of them has. A node that is away has no
 * say while another answers. Throws SIMULATION_UNFIT where a node has none or plays otherwise, and the failure where
 * none answers.
 */
export async function findPlay(
  rpcs: readonly Rpc[],
  config: Pick<Config, 'wallet' | 'tokens'>,
): Promise<Play> {
  const reasons: string[] = []
  for (const [way, play] of ways) {
    const played = await Promise.all(
      rpcs.map(async (rpc) => ({ rpc, rehearsal: await rehearse(rpc, config, play) })),
    )
    const there = played.filter(({ rehearsal }) => rehearsal.kind !== 'away')
    const away = played.find(({ rehearsal }) => rehearsal.kind === 'away')?.rehearsal
    if (there.length === 0 && away?.kind === 'away') throw away.error
    if (there.every(({ rehearsal }) => rehearsal.kind === 'right')) return play
    for (const { rpc, rehearsal } of there)
      if ('reason' in rehearsal) reasons.push(`${rpc.label}, ${way}: ${rehearsal.reason}`)
    if (there.some(({ rehearsal }) => rehearsal.kind === 'wrong')) break
  }
  throw unfit(reasons)
}

/** Nothing can be seen before it is signed. */
export const unfit = (reasons: readonly string[]): BallastError =>
  ballastError(
    'SIMULATION_UNFIT',
    'The RPC endpoint plays no scenario as a chain does, so no swap could be seen before it is signed: use another one.',
    { reasons: reasons.join('; ') },
  )

const gas = 1_000_000n

/** Unused addresses, where code stands for the time of a scenario. */
const [balanceOf, refuse, clock]: readonly [Address, Address, Address] = [
  '0x00000000000000000000000000000000ba11a581',
  '0x00000000000000000000000000000000ba11a582',
  '0x00000000000000000000000000000000ba11a583',
]
const code: Readonly<Record<Address, Hex>> = {
  // The balance of the address given as call data.
  [balanceOf]: '0x6000353160005260206000f3',
  // Reverts.
  [refuse]: '0x60006000fd',
  // The time of the block.
  [clock]: '0x4260005260206000f3',
}

/** A transfer of the coin between two looks at a balance, a call that reverts, and the same block at a later time. */
export async function rehearse(
  rpc: Rpc,
  { wallet, tokens }: Pick<Config, 'wallet' | 'tokens'>,
  play: Play,
): Promise<Rehearsal> {
  const from = wallet.address
  const call = (to: Address, data: Hex, value = 0n) => ({ from, to, data, value, gas })
  try {
    const [head, balance] = await Promise.all([
      rpc.request(getBlock('latest')),
      rpc.request(getBalance(from)),
    ])
    const timestamp = (head?.timestamp ?? 0) + 600
    const moved = balance > 0n ? 1n : 0n
    const look = call(balanceOf, `0x${from.slice(2).padStart(64, '0')}`)
    const token = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [from] })
    const steps = [look, call(balanceOf, '0x', moved), look, call(refuse, '0x')]
    const now: Scenario = { calls: [...steps, call(tokens.wrapped.address, token)], code }
    const [first, later] = await rpc.batch([
      play(now),
      play({ calls: [call(clock, '0x')], code, timestamp }),
    ])
    if (!first.ok) throw first.error
    if (!later.ok) throw later.error
    const reason = faultOf(first.value.results, { moved, time: later.value.results, timestamp })
    return reason === undefined ? { kind: 'right' } : { kind: 'wrong', reason }
  } catch (error) {
    return saysNo(error) ? { kind: 'missing', reason: failureText(error) } : { kind: 'away', error }
  }
}

/** The first thing that a node played otherwise than a chain would. */
function faultOf(
  [before, transfer, after, reverting, token]: readonly SimulationResult[],
  {
    moved,
    time: [late],
    timestamp,
  }: { moved: bigint; time: readonly SimulationResult[]; timestamp: number },
): string | undefined {
  const [had, has, at] = [before, after, late].map(wordOf)
  if (had === undefined || has === undefined) return 'a balance that is no number'
  if (transfer?.success !== true) return 'a transfer of the coin that fails'
  if (had - has !== moved) return `a transfer of ${moved} wei that takes ${had - has}`
  if (reverting?.success !== false) return 'a call that must revert and succeeds'
  if (wordOf(token) === undefined) return 'a balance of a token that is no number'
  if (at !== BigInt(timestamp)) return `the time ${at ?? 'unknown'} for the time ${timestamp}`
  return undefined
}

const wordOf = (result: SimulationResult | undefined) =>
  result?.success === true && result.data.length === 66 ? BigInt(result.data) : undefined
