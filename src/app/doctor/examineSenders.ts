import { getChainId } from '../../chain/calls/node.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import { showDuration } from '../../core/duration.ts'
import type { Secret } from '../../core/secret.ts'
import { failureText } from '../failureText.ts'
import type { Finding, Scene } from './finding.ts'

/** The endpoints that only get signed bytes. A start stops for one on another chain, and for nothing else about them. */
export async function examineSenders({ chain }: Scene['config']): Promise<readonly Finding[]> {
  const { chainId, alsoSendTo, sendTo } = chain
  const found = await Promise.all([
    ...alsoSendTo.map((url) =>
      examine(url, {
        chainId,
        name: 'sending endpoint',
        setBy: 'chain.alsoSendTo or ALSO_SEND_TO',
      }),
    ),
    ...sendTo.map((url) =>
      examine(url, { chainId, name: 'private relay', setBy: 'chain.sendTo or SEND_TO' }),
    ),
  ])
  return sendTo.length === 0 ? found : [...found, examinePrivacy(chain)]
}

async function examine(
  url: Secret,
  { chainId, name, setBy }: { chainId: number; name: string; setBy: string },
): Promise<Finding> {
  const rpc = createRpc({ url: url.reveal(), setBy })
  const finding = { name, expected: `chain ${chainId}` }
  try {
    const found = await rpc.request(getChainId)
    return {
      ...finding,
      state: found === chainId ? 'ok' : 'fail',
      actual: `${rpc.label} is chain ${found}`,
      fault: 'usage',
    }
  } catch (error) {
    return { ...finding, state: 'warn', actual: failureText(error) }
  } finally {
    await rpc.close()
  }
}

/** Who sees a signed swap before it is mined, and the one way that a single relay can keep it from being mined. */
function examinePrivacy({ sendTo, publicAfterMs }: Scene['config']['chain']): Finding {
  const relays = sendTo.length === 1 ? 'one private relay' : `${sendTo.length} private relays`
  const open =
    publicAfterMs === undefined
      ? 'never in public'
      : `after ${showDuration(publicAfterMs)} without a block in public too`
  const isAtMercy = sendTo.length === 1 && publicAfterMs === undefined
  return {
    name: 'signed bytes',
    state: isAtMercy ? 'warn' : 'ok',
    expected: 'another relay in chain.sendTo, or chain.publicAfter',
    actual: isAtMercy
      ? `to ${relays}, ${open}: while it is away or takes nothing, no swap is mined and no nonce is closed`
      : `to ${relays}, ${open}`,
  }
}
