import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { preview } from '../../src/bot/swap.ts'
import type { Fork } from './forkOrigin.ts'
import { openBot } from './openBot.ts'
import { planned, type Wish } from './planned.ts'

/** A bot over a fork that knows its chain by another address, with more under `chain:` where a test needs it. */
export async function openBotAt(fork: Fork, rpcUrl: string, chain = '') {
  const config = join(fork.dataDir, 'through-a-liar.yaml')
  const yaml = readFileSync(fork.ready.config, 'utf8')
  writeFileSync(
    config,
    yaml
      .replace(', confirmations: 2', chain.includes('confirmations') ? '' : '$&')
      .replace(`rpcUrl: ${fork.ready.rpcUrl}`, `rpcUrl: "${rpcUrl}"${chain && `, ${chain}`}`)
      // What may only be bought needs no limit.
      .replace('tokens: [ETH', 'tokens: [ETH, DAI, WBTC')
      .replace('pairs: [', 'pairs: [USDC/DAI, USDC/WBTC, WETH/WBTC, WETH/DAI, '),
  )
  const bot = await openBot({ ...fork, ready: { ...fork.ready, config } })
  const signed: string[] = []
  return {
    ...bot,
    planned: (wish: Wish) => planned(bot, wish),
    /** Examines a swap as a dry run does, up to the signature and no further. */
    preview: async (wish: Wish) => preview(await planned(bot, wish), bot.train.reading),
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
