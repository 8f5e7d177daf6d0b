import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { failureText } from '../failureText.ts'
import { openQuotes } from '../openQuotes.ts'
import type { Finding, Scene } from './finding.ts'

/** Does the quoting service answer, and does it know our chain? */
export async function examineService({
  config,
  clock,
  signal,
}: Scene): Promise<readonly Finding[]> {
  const { chain, wallet } = config
  const name = 'quoting service'
  await using opened = new AsyncDisposableStack()
  const quotes = opened.adopt(openQuotes(config, { clock }), (one) => one.close())
  try {
    const { value: chains } = await quotes.chains(signal)
    const listed = chains.find((candidate) => candidate.chain === chain.name)
    const reachable: Finding = {
      name,
      state: 'ok',
      actual: `answers, ${chains.length} ${chains.length === 1 ? 'chain' : 'chains'}; no firm quote was requested`,
    }
    if (listed === undefined)
      return [
        reachable,
        {
          name: 'chain of the service',
          state: 'fail',
          expected: chain.name,
          actual: `it has ${chains.map((candidate) => display(candidate.chain, 32)).join(', ') || 'none'}`,
          fault: 'usage',
        },
      ]
    const right = listed.chainId === chain.chainId
    const plainKey = listed.isMainnet && wallet.key !== undefined
    return [
      reachable,
      {
        name: 'chain of the service',
        state: right ? 'ok' : 'fail',
        expected: String(chain.chainId),
        actual: `${chain.name} is ${listed.chainId}`,
        fault: 'usage',
      },
      ...(plainKey
        ? [
            {
              name: 'wallet key',
              state: 'fail' as const,
              expected: 'no plain key on a main network',
              actual: `the service says ${chain.name} is one`,
              fault: 'usage' as const,
            },
          ]
        : []),
    ]
  } catch (error) {
    const fault = error instanceof BallastError && error.fault === 'usage' ? 'usage' : 'upstream'
    return [{ name, state: 'fail', expected: 'an answer', actual: failureText(error), fault }]
  }
}
