import { createSilence } from '../bot/createSilence.ts'
import { createQuoteApi, type QuoteApi } from '../bot/quote/api/createQuoteApi.ts'
import { createBook } from '../bot/reference/bookPrice.ts'
import { checkPools } from '../bot/reference/checkPools.ts'
import { createAppraise } from '../bot/reference/createAppraise.ts'
import { sourceOf } from '../bot/reference/readReferences.ts'
import type { Reference, ReferenceBook } from '../bot/reference/reference.ts'
import type { Appraise, Silence } from '../bot/stages.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { hostOf } from '../core/hostOf.ts'
import type { Secret } from '../core/secret.ts'

/** The independent prices. `references` are in the order of the file. */
type References = {
  readonly references: readonly Reference[]
  readonly appraise: Appraise
  /** The sources that gave `appraise` no price when it last read them. */
  silent(): readonly Silence[]
  /** Throws REFERENCE_NOT_OF_PAIR when a pool is not the one that the file describes. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Connects the references of a configuration. `quotes` is the service whose own book may be one of them. */
export function openReferences({
  config,
  rpc,
  witness,
  quotes,
  clock,
}: {
  config: Config
  rpc: Rpc
  /** A second node that gets the same queries. */
  witness: Rpc | undefined
  quotes: QuoteApi
  clock: Clock
}): References {
  const { chain, policy, tokens } = config
  const others: QuoteApi[] = []
  const books = new Map<string, ReferenceBook>()
  const originOf = (url: Secret) => new URL(url.reveal()).origin
  // Under its own name, at whatever port, it is still the same service.
  const isOwn = (url: Secret | undefined) =>
    url === undefined || hostOf(url.reveal()) === hostOf(config.service.url.reveal())
  const bookAt = (url: Secret | undefined): ReferenceBook => {
    const key = isOwn(url) || url === undefined ? '' : originOf(url)
    const known = books.get(key)
    if (known !== undefined) return known
    const api = isOwn(url) || url === undefined ? quotes : otherApi(url)
    const fetch = async () => (await api.orderbook(chain.name)).value
    const book = createBook({ label: api.label, own: isOwn(url), fetch, clock })
    books.set(key, book)
    return book
  }
  const otherApi = (url: Secret): QuoteApi => {
    // Our key is for our service alone.
    const api = createQuoteApi({
      url: url.reveal(),
      apiKey: undefined,
      timeoutMs: config.quote.timeoutMs,
      clock,
    })
    others.push(api)
    return api
  }
  const references = policy.references.map((one): Reference => {
    if (one.kind !== 'order-book') return one
    const { kind, pair, url, ageMsMax } = one
    return { kind, pair, ageMsMax, book: bookAt(url) }
  })
  const { unit, stablecoins } = policy
  const { blockTimeMs } = chain
  const { note, silent } = createSilence()
  return {
    references,
    appraise: createAppraise({
      ...{ rpc, witness, references, unit, stablecoins, tokens, blockTimeMs, clock },
      fallbacks: chain.fallbackUrls.map((url) => url.reveal()),
      onReadings: (readings, at) => {
        for (const { reference, told } of readings)
          note({
            ...{ source: sourceOf(reference), at },
            reason: 'price' in told ? undefined : told.reason,
          })
      },
    }),
    silent,
    async check() {
      const [wrong] = await checkPools(rpc, references)
      if (wrong === undefined) return
      const at = config.locate(['policy', 'references', references.indexOf(wrong.reference)])
      throw ballastError('REFERENCE_NOT_OF_PAIR', `${wrong.sentence}: correct ${at}.`)
    },
    async close() {
      await Promise.all(others.map((api) => api.close()))
    },
  }
}
