import type { Watch } from '../bot/strategy/index.ts'
import { getChainId } from '../chain/calls/node.ts'
import type { Config } from '../config/config.ts'
import { type Clock, monotonic } from '../core/clock.ts'
import { withoutCredentials } from '../core/secret.ts'
import { openTapeWriter } from '../tape/openTapeWriter.ts'
import { recordMarket } from '../tape/recordMarket.ts'
import { assertChain, openReader } from './openMarket.ts'

type Recording = {
  readonly dir: string
  readonly bytesMax: number
  readonly everyMs: number
  /** Undefined: until the signal. */
  readonly forMs: number | undefined
  readonly watches: readonly Watch[]
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly note: (line: string) => void
}

/** Records the configured market into a folder. Returns how much was recorded, and how large the folder is. */
export async function recordTape(
  { chain, service, wallet, ...config }: Config,
  { dir, bytesMax, everyMs, note, ...recording }: Recording,
) {
  await using opened = new AsyncDisposableStack()
  const rpc = opened.adopt(openReader({ chain }), (one) => one.close())
  assertChain(
    { chain, locate: config.locate },
    { found: await rpc.request(getChainId), endpoint: rpc.label },
  )
  const header = {
    format: 1,
    source: 'recorded',
    chain: chain.name,
    chainId: chain.chainId,
    service: withoutCredentials(service.url.reveal()),
  } as const
  const writer = opened.adopt(await openTapeWriter({ dir, bytesMax, header, note }), (one) =>
    one.close(),
  )
  note(
    `Recording ${chain.name} into ${dir} every ${everyMs / 1_000} s. Firm quotes are not requested: each binds makers. Ctrl-C ends it.`,
  )
  const recorded = await recordMarket({
    ...{ service, rpc, chain: chain.name, wallet: wallet.address, everyMs, writer, monotonic },
    ...recording,
  })
  return { ...recorded, bytes: writer.size() }
}
