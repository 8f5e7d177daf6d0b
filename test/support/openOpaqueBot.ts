import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toFunctionSelector } from 'viem'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { systemClock } from '../../src/core/clock.ts'
import { startForeignService } from './foreignService.ts'
import type { Fork } from './forkOrigin.ts'
import { openBot } from './openBot.ts'

const exactInput = swapRouterAbi.find((one) => one.type === 'function' && one.name === 'exactInput')
if (exactInput?.type !== 'function') throw new Error('the router has exactInput')
const known = toFunctionSelector(exactInput)

/** A bot over a fork, with the sandbox's service as one whose router nobody here can read. */
export async function openOpaqueBot(
  { ready, dataDir }: Fork,
  {
    selectors = [known],
    bend,
    rpcUrl = ready.rpcUrl,
    codeHash,
  }: {
    selectors?: readonly string[]
    bend?: Parameters<typeof startForeignService>[1]
    rpcUrl?: string
    /** Of the router, where it has other code than the embedded one. */
    codeHash?: string
  } = {},
) {
  const service = await startForeignService(ready.serviceUrl, bend)
  const config = join(dataDir, 'opaque.yaml')
  const yaml = readFileSync(ready.config, 'utf8')
    .replace(`rpcUrl: ${ready.rpcUrl}`, `rpcUrl: "${rpcUrl}"`)
    .replace(/^ {2}url: .*$/m, `  url: ${service.url}\n  profile: opaque`)
    .replace(/^ {2}(?:executor|feeSigner): .*\n/gm, '')
    .replace(
      /^ {2}makers: .*$/m,
      `  selectors: [${selectors.map((one) => `"${one}"`).join(', ')}]\n  maxNotional: 5000 USD`,
    )
  const pinned =
    codeHash === undefined ? yaml : yaml.replace(/^( {2}routerCodeHash: ).*$/m, `$1"${codeHash}"`)
  writeFileSync(config, pinned)
  /** What {@link openBot} needs to open it again over the same journal. */
  const where = { ready: { ...ready, config }, dataDir }
  const bot = await openBot(where)
  return {
    ...bot,
    where,
    reopenJournal: () => openJournal({ ...bot.config, clock: systemClock }),
    async close() {
      await bot.close()
      await service.close()
    },
  }
}
