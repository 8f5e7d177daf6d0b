import type { Log } from '../../bot/report/createLog.ts'
import type { Reading } from '../../bot/stages.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/loadConfig.ts'
import type { Clock } from '../../core/clock.ts'
import { badSymbols, type DrillToken, drillWorld } from '../../drill/drillWorld.ts'
import { type Drilling, type DrillVerdict, runDrill } from '../../drill/runDrill.ts'
import { accountsOf } from '../../sandbox/accounts.ts'
import { readWorld } from '../../sandbox/readWorld.ts'
import { shippedWorld } from '../../sandbox/shippedFile.ts'
import { startSandbox } from '../../sandbox/startSandbox.ts'
import type { SandboxWorld } from '../../sandbox/world.ts'
import { isWitnessed } from '../livePrices.ts'
import { createDrillBot } from './drillBot.ts'
import { drillConfig, drilledTokens, usualWish, widened } from './drillConfig.ts'

/** A market of its own in which the bot is lied to. */
type Arena = {
  drill(
    options: Pick<Drilling, 'only' | 'signal' | 'onVerdict'> & {
      /** For a test that proves a drill can fail: stages that do not do their work. */
      readonly blind?: (reading: Reading) => Reading
    },
  ): Promise<readonly DrillVerdict[]>
  close(): Promise<void>
}

/** Starts one under the user's policy and quote settings; without a user, under those the sandbox writes. */
export async function startArena({
  user,
  folder,
  clock,
  log,
}: {
  user: Config | undefined
  /** Holds the chain, its configuration and the journals. */
  folder: string
  clock: Clock
  log: Log
}): Promise<Arena> {
  const world = worldOf(user)
  const sandbox = await startSandbox({ world, dataDir: folder, clock, log })
  try {
    const { ready } = sandbox
    // No environment: a variable of the user's must not lead anywhere else than to this market.
    const market = loadConfig({ file: ready.config, environment: {}, cwd: folder })
    const held = drillConfig({ market, user })
    const { native, wrapped } = market.tokens
    const { wish, worth } = usualWish(held)
    const symbols = [native.symbol, wrapped.symbol, ...badSymbols]
    const config = widened(held, { symbols, wish })
    return {
      close: sandbox.close,
      drill: ({ blind, ...options }) =>
        runDrill({
          market: ready,
          deployer: accountsOf(world).deployer.key,
          currency: native.symbol,
          wrapped: wrapped.symbol,
          quote: config.quote,
          wish,
          worth,
          openBot: createDrillBot({
            ...{ config, folder, clock, ...(blind && { blind }) },
            witness: {
              node: market.chain.witness,
              isOwn: user === undefined || isWitnessed(user),
            },
          }),
          clock,
          ...options,
        }),
    }
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

function worldOf(user: Config | undefined): SandboxWorld {
  if (user !== undefined)
    return drillWorld({ currency: user.tokens.native.symbol, tokens: drilledTokens(user) })
  const { chain, tokens } = readWorld(shippedWorld())
  return drillWorld({
    currency: chain.token,
    tokens: Object.entries(tokens).map(
      ([symbol, { decimals, wrapsNative, isDollar }]): DrillToken => ({
        symbol,
        decimals,
        wrapsNative,
        isDollar,
      }),
    ),
  })
}
