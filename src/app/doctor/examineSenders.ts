import { getChainId } from '../../chain/calls/node.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import type { Secret } from '../../core/secret.ts'
import { failureText } from '../failureText.ts'
import type { Finding, Scene } from './finding.ts'

/** The endpoints that only get signed bytes. A start stops for one on another chain, and for nothing else about them. */
export async function examineSenders({ chain }: Scene['config']): Promise<readonly Finding[]> {
  return Promise.all(chain.alsoSendTo.map((url) => examine(url, chain.chainId)))
}

async function examine(url: Secret, expected: number): Promise<Finding> {
  const rpc = createRpc({ url: url.reveal(), setBy: 'chain.alsoSendTo or ALSO_SEND_TO' })
  const finding = { name: 'sending endpoint', expected: `chain ${expected}` }
  try {
    const found = await rpc.request(getChainId)
    return {
      ...finding,
      state: found === expected ? 'ok' : 'fail',
      actual: `${rpc.label} is chain ${found}`,
      fault: 'usage',
    }
  } catch (error) {
    return { ...finding, state: 'warn', actual: failureText(error) }
  } finally {
    await rpc.close()
  }
}
