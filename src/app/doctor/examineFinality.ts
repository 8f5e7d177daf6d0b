import { getBlock } from '../../chain/calls/node.ts'
import { finalHeight } from '../../chain/finality.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Config } from '../../config/config.ts'
import { finalStateMissing } from '../finalStateMissing.ts'
import type { Finding } from './finding.ts'
import { noAnswer } from './noAnswer.ts'

/**
 * Whether a node can decide swaps at the depth of `chain.confirmations`: it must know the word for final blocks, where the
 * file has one, and keep the state of that height. Without either every swap stays undecided. A number that is fine has no line.
 */
export async function examineFinality(
  rpc: Rpc,
  config: Config,
  of = '',
): Promise<readonly Finding[]> {
  const name = `${of}final block`
  const { confirmations } = config.chain
  try {
    const known = typeof confirmations === 'number' ? [] : [await examineWord(rpc, confirmations)]
    const missing = known.some(({ state }) => state === 'fail')
      ? undefined
      : await finalStateMissing(rpc, config)
    if (missing === undefined) return known.map((found) => ({ name, ...found }))
    const expected = 'one whose state is there'
    return [{ name, state: 'fail', expected, actual: missing, fault: 'usage' }]
  } catch (error) {
    return [noAnswer(name, error)]
  }
}

async function examineWord(rpc: Rpc, word: 'safe' | 'finalized'): Promise<Omit<Finding, 'name'>> {
  const head = await rpc.request(getBlock('latest'))
  const height = await finalHeight(rpc, word, head?.number ?? 0)
  const final = height < 0 ? undefined : await rpc.request(getBlock(height))
  const isKnown = head !== undefined && final !== undefined
  return {
    state: isKnown ? 'ok' : 'fail',
    expected: `one that is ${word}`,
    actual: isKnown
      ? `${final.number} is ${word}, ${head.timestamp - final.timestamp} s behind the newest`
      : 'none: write a number of blocks as chain.confirmations',
    fault: 'usage',
  }
}
