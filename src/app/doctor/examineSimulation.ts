import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Config } from '../../config/config.ts'
import { type Rehearsal, rehearse, unfit, ways } from '../rehearse.ts'
import type { Finding } from './finding.ts'
import { noAnswer } from './noAnswer.ts'

const asOnChain = 'plays a transfer, a revert and a later time as a chain does'

/**
 * Plays one scenario in both ways that a node may have, and compares each with what must come of it. The bot uses the
 * first that the node has, which must be right. `of` begins the names of the lines.
 */
export async function examineSimulation(
  rpc: Rpc,
  config: Config,
  of = '',
): Promise<readonly Finding[]> {
  const played: [way: string, rehearsal: Rehearsal][] = []
  for (const [way, play] of ways) played.push([way, await rehearse(rpc, config, play)])
  const used = played.find(([, { kind }]) => kind !== 'missing')
  const lines = played.map(([way, rehearsal]) =>
    findingOf(`${of}simulation (${way})`, { rehearsal, isUsed: way === used?.[0] }),
  )
  if (used?.[1].kind === 'right' || used?.[1].kind === 'away') return lines
  const { summary: actual } = unfit([])
  return [...lines, { name: `${of}simulation`, state: 'fail', actual, fault: 'usage' }]
}

function findingOf(
  name: string,
  { rehearsal, isUsed }: { rehearsal: Rehearsal; isUsed: boolean },
): Finding {
  if (rehearsal.kind === 'right')
    return { name, state: 'ok', actual: isUsed ? `${asOnChain}: the bot uses it` : asOnChain }
  if (rehearsal.kind === 'away') return noAnswer(name, rehearsal.error)
  if (rehearsal.kind === 'missing')
    return { name, state: 'ok', actual: `not to be had, and not used: ${rehearsal.reason}` }
  const state = isUsed ? 'fail' : 'warn'
  return { name, state, expected: asOnChain, actual: rehearsal.reason, fault: 'usage' }
}
