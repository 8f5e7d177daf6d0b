import { encodeFunctionData } from 'viem'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import { getBalance } from '../../chain/calls/account.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { getBlock } from '../../chain/calls/node.ts'
import {
  type Play,
  type Scenario,
  type SimulationResult,
  simulate,
} from '../../chain/calls/simulate.ts'
import { simulateByProbe } from '../../chain/calls/simulateByProbe.ts'
import { type Rpc, RpcGarbled, RpcRefused } from '../../chain/rpc/rpc.ts'
import type { Config } from '../../config/config.ts'
import type { Address } from '../../core/token.ts'
import { findPlay } from '../openMarket.ts'
import { type Finding, failureText, noAnswer } from './finding.ts'

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

/**
 * Plays one scenario in both ways that a node may have, and compares each with what must come of it. The way that the
 * bot would use must be right; `of` begins the names of the lines.
 */
export async function examineSimulation(
  rpc: Rpc,
  config: Config,
  of = '',
): Promise<readonly Finding[]> {
  const used = await findPlay(rpc, config.wallet.address)
  const examine = async (way: string, play: Play) =>
    findingOf(`${of}simulation (${way})`, {
      rehearsal: await rehearse(rpc, config, play),
      isUsed: play === used,
    })
  return [await examine('eth_simulateV1', simulate), await examine('probe', simulateByProbe)]
}

const asOnChain = 'plays a transfer, a revert and a later time as a chain does'

type Rehearsal =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' | 'missing'; readonly reason: string }
  | { readonly kind: 'away'; readonly error: unknown }

function findingOf(
  name: string,
  { rehearsal, isUsed }: { rehearsal: Rehearsal; isUsed: boolean },
): Finding {
  if (rehearsal.kind === 'right')
    return { name, state: 'ok', actual: isUsed ? `${asOnChain}: the bot uses it` : asOnChain }
  if (rehearsal.kind === 'away') return noAnswer(name, rehearsal.error)
  if (rehearsal.kind === 'missing' && !isUsed)
    return { name, state: 'ok', actual: `not to be had, and not used: ${rehearsal.reason}` }
  return {
    name,
    state: isUsed ? 'fail' : 'warn',
    expected: asOnChain,
    actual: rehearsal.reason,
    fault: 'upstream',
  }
}

/** A transfer of the coin between two looks at a balance, a call that reverts, and the same block at a later time. */
async function rehearse(
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
    return error instanceof RpcRefused || error instanceof RpcGarbled
      ? { kind: 'missing', reason: failureText(error) }
      : { kind: 'away', error }
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
