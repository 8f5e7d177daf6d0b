import { priorSwapGas } from '../../bot/market/createMarket.ts'
import type { AttentionFacts } from '../../bot/report/attention.ts'
import { getBalanceOf } from '../../chain/calls/getBalanceOf.ts'
import { getBlock } from '../../chain/calls/node.ts'
import type { Amount } from '../../core/amount.ts'
import { BallastError } from '../../core/errors.ts'
import { secondMs } from '../../core/spans.ts'
import { isNative, type Token } from '../../core/token.ts'
import { within } from '../../core/within.ts'
import type { Served } from './served.ts'

const freshMs = 2 * secondMs

/** A node answers in a fraction of it; one that hangs takes half a minute, and monitors wait for ten seconds. */
const lookMsMax = 3 * secondMs

/** How long what alerts go by is kept: it is looked at every few seconds, all day, and providers count each call. */
const briefMs = 30 * secondMs

/** Looks at the chain, and what the last look saw. */
export type Look = ReturnType<typeof createLook>

export function createLook(served: Served) {
  let seen: { readonly at: number; readonly found: Found } | undefined
  let brief: { readonly at: number; readonly found: Found } | undefined
  const isWithin = (ms: number) => seen !== undefined && served.clock.now() - seen.at <= ms
  const lookNow = async () => {
    const found = await lookAtChain(served, [...served.config.tokens.bySymbol.values()])
    const at = served.clock.now()
    if ('at' in found.head) seen = { at, found }
    return found
  }
  let looking: Promise<Found> | undefined
  /** One at a time, however many pages and monitors read it: each look is a call of the node that trading needs. */
  const look = async (): Promise<Found> => {
    looking ??= lookNow().finally(() => {
      looking = undefined
    })
    const found = await within(looking, { ms: lookMsMax, clock: served.clock })
    // A slow node is no silent one: the answer before says when its block was.
    return found ?? (isWithin(briefMs) ? seen?.found : undefined) ?? unseen
  }
  return {
    look,
    /** The newest block and the coin alone, of half a minute ago at most. The block is as old as it was then. */
    async brief(): Promise<Found> {
      const now = served.clock.now()
      if (brief === undefined || Math.abs(now - brief.at) >= briefMs) {
        const found = await lookAtChain(served, [served.config.tokens.native])
        // A node that fails once is called again at the next look, or its failure would last for half a minute.
        if (!('at' in found.head)) return found
        brief = { at: now, found }
      }
      const { at, found } = brief
      const { head } = found
      return 'at' in head ? { ...found, head: { ...head, at: head.at + now - at } } : found
    },
    /** The balances of a moment ago at most: a page has just looked for its state. */
    balances: async () =>
      ((isWithin(freshMs) ? seen?.found : undefined) ?? (await look())).balances,
  }
}

type Found = {
  readonly balances: readonly Amount[]
  readonly gas: AttentionFacts['gas']
  readonly head: NonNullable<AttentionFacts['head']>
  readonly block: { readonly block: number; readonly at: string } | null
}

const unseen: Found = {
  ...{ balances: [], gas: undefined, block: null },
  head: { problem: `The node has not answered within ${lookMsMax / secondMs} s.` },
}

/** The newest block and the wallet's balances of these tokens, as far as the endpoint answers. */
async function lookAtChain(served: Served, listed: readonly Token[]): Promise<Found> {
  const { config, market, rules } = served
  const { wallet, tokens } = config
  try {
    const [head, ...answers] = await market.rpc.batch([
      getBlock('latest'),
      ...listed.map((token) => getBalanceOf(token, wallet.address)),
    ])
    const balances = listed.flatMap((token, index): Amount[] => {
      const outcome = answers[index]
      return outcome?.ok === true ? [{ token, wei: outcome.value }] : []
    })
    const held = balances.find(({ token }) => isNative(token))
    const { gasMax, gasPriceMax } = rules().policy
    const perSwap = { token: tokens.native, wei: priorSwapGas(gasMax) * gasPriceMax }
    // On paper gas is virtual: nobody can send any.
    const gas = held === undefined || served.mode === 'paper' ? undefined : { held, perSwap }
    // Without it nobody could say that gas is short.
    if (held === undefined && served.mode !== 'paper')
      return {
        ...{ balances, gas, block: null },
        head: { problem: `The node does not say what the wallet has of ${tokens.native.symbol}.` },
      }
    if (!head.ok || head.value === undefined)
      return { balances, gas, head: { problem: 'The node gives no newest block.' }, block: null }
    const at = head.value.timestamp * secondMs
    const block = { block: head.value.number, at: new Date(at).toISOString() }
    const { blockTimeMs } = config.chain
    return { balances, gas, head: { at, blockTimeMs }, block }
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return { balances: [], gas: undefined, head: { problem: error.summary }, block: null }
  }
}
