import type { Logger } from 'pino'
import { getCode } from '../../chain/calls/account.ts'
import { getChainId } from '../../chain/calls/node.ts'
import { compiledAccount } from '../../chain/crypto/compiledAccount.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { MakerConfig } from '../../config/maker/readMakerConfig.ts'
import type { Clock } from '../../core/clock.ts'
import { ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import { createSnapshots } from '../../service/createSnapshots.ts'
import type { LevelBook } from '../../service/makers/book.ts'
import { createMakerVenue } from '../../service/makers/createMakerVenue.ts'
import { fixedBook } from '../../service/makers/fixedBook.ts'
import { followBook } from '../../service/makers/followBook.ts'
import { createMakerServer } from '../../service/makers/http/createMakerServer.ts'
import { poolReference } from '../../service/makers/poolReference.ts'
import { createUniswapV2Venue } from '../../service/venues/createUniswapV2Venue.ts'
import type { Venue } from '../../service/venues/venue.ts'
import { assertPools } from '../assertPools.ts'
import { assertTokens } from '../assertTokens.ts'

/** A maker of its own, listening. */
type OpenMaker = {
  readonly url: string
  readonly address: Address
  close(): Promise<void>
}

/** Starts what a maker's configuration describes; undoes what it started when it cannot. */
export async function openMaker(
  config: MakerConfig,
  { port, clock, log }: { port: number | undefined; clock: Clock; log: Logger },
): Promise<OpenMaker> {
  const { name, router, chainId, blockTimeSeconds, expiryMaxSeconds, listen } = config
  const account = compiledAccount(config.key.reveal() as `0x${string}`)
  const references: Venue[] = []
  const books = config.books.map(({ base, quote, minimumInBase, bid, ask, follow }): LevelBook => {
    if (follow === undefined) return fixedBook({ base, quote, minimumInBase, bid, ask })
    const pool = createUniswapV2Venue({ address: follow.pool, tokens: [base, quote] })
    const reference = poolReference(pool, { base, quote })
    references.push(reference.venue)
    return followBook({ base, quote, minimumInBase, follow, priceAt: reference.priceAt })
  })
  const venue = createMakerVenue({ name, account, router, books })
  await using opened = new AsyncDisposableStack()
  const rpc = opened.adopt(createRpc({ url: config.rpcUrl.reveal() }), (one) => one.close())
  await examineChain(rpc, config)
  // The venues a maker follows come first: its own levels are made from them.
  const venues = [...references, venue]
  const snapshots = opened.adopt(
    createSnapshots({ rpc, venues, blockTimeSeconds, clock, log }),
    (one) => one.close(),
  )
  const { address } = account
  const apiKey = config.apiKey?.reveal()
  const server = opened.adopt(
    createMakerServer({
      ...{ address, chainId, router, snapshots, expiryMaxSeconds, apiKey, clock, log },
    }),
    (one) => one.close(),
  )
  const url = await server.listen({ host: listen.host, port: port ?? listen.port })
  const owned = opened.move()
  return { url, address, close: () => owned.disposeAsync() }
}

/** Refuses to sign what could never settle or gives money away: another chain, other tokens, no router, another pool. */
async function examineChain(
  rpc: Rpc,
  { chainId, router, books }: Pick<MakerConfig, 'chainId' | 'router' | 'books'>,
): Promise<void> {
  const [found, code] = await rpc.batch([getChainId, getCode(router)])
  if (!found.ok) throw found.error
  if (found.value !== chainId)
    throw ballastError('WRONG_CHAIN', 'The RPC endpoint serves another chain than chain.chainId.', {
      expected: chainId,
      actual: found.value,
    })
  if (!code.ok) throw code.error
  if (code.value === '0x')
    throw ballastError('WRONG_CHAIN', 'There is no router at the configured address.', { router })
  const tokens = new Map(
    books.flatMap(({ base, quote }) => [base, quote].map((one) => [one.address, one])),
  )
  const at = (symbol: string) => `tokens.${symbol}`
  await assertTokens(rpc, { tokens: [...tokens.values()], chain: `chain ${chainId}`, at })
  const venue = 'uniswap-v2'
  await assertPools(
    rpc,
    books.flatMap(({ base, quote, follow }) =>
      follow === undefined ? [] : [{ pair: [base, quote], venue, address: follow.pool }],
    ),
  )
}
