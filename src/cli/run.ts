import { setFlagsFromString } from 'node:v8'
import { callWith, resumeCall } from '../app/calls.ts'
import { createReload } from '../app/createReload.ts'
import { serveDashboard } from '../app/dashboard/serveDashboard.ts'
import { roles } from '../app/fleet/members.ts'
import { onPaper } from '../app/onPaper.ts'
import { openEngine } from '../app/openEngine.ts'
import { balancesOf } from '../app/paperMoney.ts'
import { createLog } from '../bot/report/createLog.ts'
import { readWallets } from '../config/readWallets.ts'
import { usageError } from '../core/errors.ts'
import { defineStreaming } from './command.ts'
import { exitCodeOfRun } from './exitCodes.ts'
import { feedWatchdog } from './feedWatchdog.ts'
import type { Invocation } from './invocation.ts'
import { oneOf, wholeNumber } from './options.ts'
import { tradeAgain } from './tradeAgain.ts'

/**
 * A swap runs through code that then rests for minutes, or for a day. V8 would interpret it, and forget it while it rests:
 * the first swap took three times as long as the later ones.
 */
const readyCode = ['--always-sparkplug', '--no-lazy-feedback-allocation', '--no-flush-bytecode']

export const command = defineStreaming({
  name: 'run',
  summary: 'the unattended bot',
  example: 'ballast run --config ballast.yaml',
  options: {
    port: {
      flags: '--port <n>',
      summary: 'of the dashboard; without it, dashboard.port',
      read: wholeNumber({ name: '--port', min: 0, max: 65_535 }),
    },
    role: {
      flags: '--role <role>',
      summary: 'one of several processes on PostgreSQL: all, scheduler, worker or dashboard',
      read: oneOf('--role', roles),
    },
    paper: { flags: '--paper', summary: 'with virtual money and no key: books what it would do' },
    balances: {
      flags: '--balances <list>',
      summary: 'with --paper: begins with these and nothing else, such as "10 ETH, 5 WETH"',
    },
  },
  exitCodeOfError: exitCodeOfRun,
  async run(invocation) {
    const { configFile, environment, cwd, options, clock, json, signal, halt, terminal, logLevel } =
      invocation
    for (const flag of readyCode) setFlagsFromString(flag)
    const { paper, port, role } = options
    const { wallets, wallet } = walletsOf(invocation)
    const isKeyless = paper || role === 'scheduler' || role === 'dashboard'
    const needs = isKeyless ? ('market' as const) : ('everything' as const)
    const reload = createReload({ ...invocation, needs, wallet })
    const { config } = reload.current()
    const balances =
      options.balances === undefined ? undefined : balancesOf(options.balances, config)
    const log = createLog({ level: logLevel ?? config.logLevel, sink: terminal.log })
    const say = json ? (line: string) => log.info(line) : terminal.event
    const over = new AbortController()
    const fed = feedWatchdog({ environment, clock, log, signal: over.signal })
    await using _ = {
      async [Symbol.asyncDispose]() {
        over.abort()
        await fed
      },
    }
    const parts = { configFile, environment, cwd, paper, balances, clock, log, say, signal, halt }
    if (wallets !== undefined || role !== undefined) {
      // The file is followed by itself.
      invocation.onHangUp(() => {})
      // Loaded where it is needed: one bot alone has no queue.
      const { runFleet } = await import('../app/fleet/runFleet.ts')
      const names = wallets ?? [config.wallet.name]
      await runFleet({
        ...parts,
        nextHalt: invocation.nextHalt,
        balances: options.balances,
        wallets: names,
        role: role ?? 'all',
        port,
      })
      return undefined
    }
    invocation.onHangUp(reload.ask)
    const trade = async (began: () => void, runningSince: number | undefined) => {
      await using engine = await openEngine({
        ...parts,
        reload,
        heartbeat: reload.current().config.heartbeat,
        serve: (served) => serveDashboard({ ...served, runningSince }, port),
      })
      began()
      const { wallet, chain } = engine.config
      say(
        `BALLAST ${wallet.name} ${wallet.address} on ${chain.name} · ${engine.dashboardUrl} · pid ${process.pid}`,
      )
      if (!json)
        say(
          `NEXT    follow it: ${callWith(configFile, 'ballast status --watch')}${paper ? ' --paper' : ''}; end it: Ctrl-C`,
        )
      const ended = await engine.run()
      if (ended === 'drained')
        say(
          `DRAINED: what had begun is decided. Go on with: ${resumeCall(configFile)}${paper ? ' --paper' : ''}`,
        )
      for (const line of await engine.closing(configFile)) say(line)
    }
    await tradeAgain(trade, { ...parts, config: paper ? onPaper(config) : config })
    return undefined
  },
})

/** The wallets of a file with several, unless one is named; and the one whose configuration the process begins with. */
function walletsOf({ configFile, cwd, wallet, options }: RunInvocation) {
  if (options.balances !== undefined && !options.paper)
    throw usageError('--balances is virtual money: it goes with --paper.')
  if (options.role !== undefined && wallet !== undefined)
    throw usageError('--role is of a process that takes any wallet: leave --wallet out.')
  const wallets = wallet === undefined ? readWallets(configFile, cwd) : undefined
  return { wallets, wallet: wallet ?? wallets?.[0] }
}

type RunInvocation = Pick<Invocation, 'configFile' | 'cwd' | 'wallet'> & {
  readonly options: {
    readonly balances: string | undefined
    readonly paper: boolean
    readonly role: string | undefined
  }
}
