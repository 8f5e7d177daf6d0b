import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { draft } from '../../src/bot/policy/draft.ts'
import { preview } from '../../src/bot/swap.ts'
import { planOf } from '../../src/cli/compose/planOf.ts'
import { parseAmount, tokenOf } from '../../src/core/amountText.ts'
import type { Fork } from './forkOrigin.ts'
import { openBot } from './openBot.ts'

type Wish = { readonly sell: string; readonly buy: string; readonly floor: string }

/** A bot over a fork that knows its chain by another address, with more under `chain:` where a test needs it. */
export async function openBotAt(fork: Fork, rpcUrl: string, chain = '') {
  const config = join(fork.dataDir, 'through-a-liar.yaml')
  const yaml = readFileSync(fork.ready.config, 'utf8')
  writeFileSync(
    config,
    yaml
      .replace(`rpcUrl: ${fork.ready.rpcUrl}`, `rpcUrl: "${rpcUrl}"${chain && `, ${chain}`}`)
      // What may only be bought needs no limit.
      .replace('tokens: [ETH', 'tokens: [ETH, DAI, WBTC'),
  )
  const bot = await openBot({ ...fork, ready: { ...fork.ready, config } })
  const signed: string[] = []
  const planned = ({ sell, buy, floor }: Wish) => {
    const { bySymbol } = bot.config.tokens
    const intent = {
      sell: parseAmount(sell, bySymbol),
      buy: tokenOf(buy, bySymbol),
      floor: parseAmount(floor, bySymbol),
      reason: 'a test',
    }
    const plan = planOf(bot.config, { strategy: 'test', intent, indication: undefined })
    return draft(plan, { policy: bot.config.policy, spent: 0n })
  }
  return {
    ...bot,
    planned,
    /** Examines a swap as a dry run does, up to the signature and no further. */
    preview: async (wish: Wish) => preview(planned(wish), bot.train.reading),
    /** The kinds of what was signed, in order: the key was used for these. */
    signed,
    signer: {
      ...bot.train.signer,
      sign: async (what: Parameters<typeof bot.train.signer.sign>[0]) => {
        signed.push(what.kind)
        return bot.train.signer.sign(what)
      },
    },
  }
}
