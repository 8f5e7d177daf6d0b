import { priorSwapGas } from '../../bot/market/createMarket.ts'
import { getBalanceOf } from '../../chain/calls/getBalanceOf.ts'
import { getBlock } from '../../chain/calls/node.ts'
import type { Amount } from '../../core/amount.ts'
import { BallastError } from '../../core/errors.ts'
import { secondMs } from '../../core/spans.ts'
import { isNative } from '../../core/token.ts'
import type { Served } from './served.ts'

const freshMs = 2 * secondMs

/** Looks at the chain, and what the last look saw. */
export type Look = ReturnType<typeof createLook>

export function createLook(served: Served) {
  let seen: { readonly at: number; readonly balances: readonly Amount[] } | undefined
  const look = async () => {
    const at = served.clock.now()
    const found = await lookAtChain(served)
    seen = { at, balances: found.balances }
    return found
  }
  const isFresh = () => seen !== undefined && served.clock.now() - seen.at <= freshMs
  return {
    look,
    /** The balances of a moment ago at most: a page has just looked for its state. */
    balances: async () => (isFresh() ? (seen?.balances ?? []) : (await look()).balances),
  }
}

/** The newest block and the wallet's balances, as far as the endpoint answers. */
async function lookAtChain(served: Served) {
  const { config, market, rules } = served
  const { wallet, tokens } = config
  const listed = [...tokens.bySymbol.values()]
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
