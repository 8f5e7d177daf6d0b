import type { Journal } from '../bot/journal/openJournal.ts'
import { getTransactionCount } from '../chain/calls/account.ts'
import { getBlock } from '../chain/calls/node.ts'
import { finalHeight, showFinality } from '../chain/finality.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { ChainConfig } from '../config/chain.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import type { Address } from '../core/token.ts'

/**
 * Height of a head that has seen all that the journal rests on. Throws NODE_BEHIND at one that has not: its old nonce looks
 * like transactions that the chain has lost.
 */
export async function caughtUpHead({
  config: { chain, wallet },
  rpc,
  journal,
}: {
  config: Config
  rpc: Rpc
  journal: Journal
}): Promise<number> {
  const scope = { chainId: chain.chainId, wallet: wallet.address, since: 0 }
  const newest = await journal.books.newestBlock(scope)
  const head = await rpc.request(getBlock('latest'))
  if (head === undefined || head.number < newest)
    throw behindJournal(rpc.label, { head: head?.number, newest })
  return head.number
}

/** Of a node whose head is before the newest block that the books rest on. */
export const behindJournal = (
  endpoint: string,
  { head, newest }: { readonly head: number | undefined; readonly newest: number },
): BallastError =>
  ballastError('NODE_BEHIND', 'The RPC endpoint has not seen what the journal knows to be mined.', {
    endpoint,
    head,
    blockOfJournal: newest,
  })

/** Blocks beyond the depth that are waited for: some are late, some stay empty. */
const patienceBlocks = 10

/** Two epochs of Ethereum are final after 13 minutes, three after 19. */
const finalityMsMax = 20 * 60_000

const pollMs = 500

type Asking = {
  readonly rpc: Rpc
  readonly chain: Pick<ChainConfig, 'confirmations' | 'blockTimeMs'>
  readonly wallet: Address
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called once when there is something to wait for. */
  readonly note: (line: string) => void
}

/**
 * The nonce the chain expects from a wallet, once that is so at the configured depth too: from a nonce that a
 * reorganisation takes back nothing could go on. Waits for a few blocks, and throws NONCE_NOT_DEEP after that.
 */
export async function deepNonce(asking: Asking): Promise<number> {
  const { rpc, chain, wallet, clock, signal, note } = asking
  const { confirmations, blockTimeMs } = chain
  const blocks = typeof confirmations === 'number' ? confirmations : 0
  const wordMs = typeof confirmations === 'number' ? 0 : finalityMsMax
  const until = clock.now() + wordMs + (blocks + patienceBlocks) * blockTimeMs
  for (let told = false; ; told = true) {
    const head = await rpc.request(getBlock('latest'))
    const depth = Math.max(0, await finalHeight(rpc, confirmations, head?.number ?? 0))
    const [deep, latest] = await rpc.batch([
      getTransactionCount(wallet, depth),
      getTransactionCount(wallet),
    ])
    if (!deep.ok) throw deep.error
    if (!latest.ok) throw latest.error
    if (deep.value === latest.value) return deep.value
    if (clock.now() >= until)
      throw ballastError(
        'NONCE_NOT_DEEP',
        'The last transaction of the wallet is not deep enough yet: a reorganisation could still take it back.',
        { wallet, nonceAtDepth: deep.value, nonceOfChain: latest.value, confirmations },
      )
    if (!told)
      note(`Waiting until the last transaction of the wallet is ${showFinality(confirmations)}.`)
    await clock.sleep(pollMs, signal)
  }
}

/** Time of the newest block, in milliseconds since the epoch. */
export async function chainTime(rpc: Rpc): Promise<number> {
  const head = await rpc.request(getBlock('latest'))
  if (head === undefined)
    throw ballastError('NODE_BEHIND', 'The RPC endpoint has no newest block.', {
      endpoint: rpc.label,
    })
  return head.timestamp * 1_000
}
