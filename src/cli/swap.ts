import { type ManualSwap, previewManualSwap, sendManualSwap } from '../app/manualSwap.ts'
import { printOutcomes } from '../app/outcome.ts'
import { parseAmount, tokenOf } from '../core/amount.ts'
import { daySeconds } from '../core/spans.ts'
import { defineCommand } from './command.ts'
import { exitCodeOf } from './exitCodes.ts'
import { readAddress, wholeNumber } from './options.ts'

export const command = defineCommand({
  name: 'swap',
  summary: 'one swap by hand; a preview unless --live',
  example: 'ballast swap --sell "1 WETH" --buy USDC --floor "2990 USDC"',
  options: {
    sell: { flags: '--sell <amount>', summary: 'what to sell, such as "1 WETH"', required: true },
    buy: { flags: '--buy <token>', summary: 'what to buy, such as USDC', required: true },
    floor: {
      flags: '--floor <amount>',
      summary: 'the least to receive; without it, policy.maxSlippage below the references',
    },
    slippageBps: {
      flags: '--slippage-bps <n>',
      summary: 'how much less than quoted the router may deliver; without it, quote.slippage',
      read: wholeNumber({ name: '--slippage-bps', min: 0, max: 10_000 }),
    },
    expiry: {
      flags: '--expiry <seconds>',
      summary: 'how long the quote is to be good; without it, quote.expiry',
      read: wholeNumber({ name: '--expiry', min: 1, max: daySeconds }),
    },
    to: {
      flags: '--to <address>',
      summary: 'who receives; must be listed in policy.recipients',
      read: readAddress('--to'),
    },
    checks: { flags: '--checks', summary: 'list every check, not only those that failed' },
    live: { flags: '--live', summary: 'sign and send; without it nothing is signed' },
  },
  config: 'everything',
  async run({ config, options, clock, signal, halt, terminal }) {
    const { bySymbol } = config.tokens
    const buy = tokenOf(options.buy, bySymbol)
    // The token that is bought comes first: it is the one an example must name.
    const symbols = new Map([[buy.symbol, buy], ...bySymbol])
    const wanted: ManualSwap = {
      sell: parseAmount(options.sell, bySymbol),
      buy,
      floor: options.floor === undefined ? undefined : parseAmount(options.floor, symbols),
      recipient: options.to,
      slippageBps: options.slippageBps,
      expirySeconds: options.expiry,
    }
    const around = { config, clock, signal, halt, note: terminal.note }
    const swap = options.live ? sendManualSwap : previewManualSwap
    return { mode: options.live ? 'live' : 'dry-run', results: [await swap(wanted, around)] }
  },
  text: ({ results }, { options }) =>
    [
      printOutcomes(results, options.checks),
      ...(results[0]?.outcome === 'would-swap'
        ? ['A preview: nothing was signed. The same with --live swaps.']
        : []),
    ].join('\n'),
  exitCode: ({ results }) => exitCodeOf(results),
})
