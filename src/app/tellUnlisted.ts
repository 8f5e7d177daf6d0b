import type { createValuationsReader } from '../bot/journal/valuations/valuations.ts'
import type { Config } from '../config/config.ts'
import { show } from '../core/amount.ts'
import { sameToken } from '../core/token.ts'

type Telling = {
  readonly valuations: Pick<ReturnType<typeof createValuationsReader>, 'last'>
  /** A line for a person. */
  readonly say: (line: string) => void
}

/** Names what the wallet held at its last valuation and the configuration lists no more: the books lose sight of it. */
export async function tellUnlisted(
  { chain, wallet, tokens }: Config,
  { valuations, say }: Telling,
): Promise<void> {
  const last = await valuations.last({ chainId: chain.chainId, wallet: wallet.address })
  const listed = [...tokens.bySymbol.values()]
  for (const { held } of last?.holdings ?? [])
    if (!listed.some((one) => sameToken(one, held.token)))
      say(
        `UNLISTED  ${show(held)} is in the last valuation, and tokens: lists it no more: no valuation has it from now on, and the month tells it as a withdrawal`,
      )
}
