import { setFlagsFromString } from 'node:v8'
import { resumeCall } from '../app/calls.ts'
import { createReload } from '../app/createReload.ts'
import { openEngine } from '../app/openEngine.ts'
import { balancesOf } from '../app/paperMoney.ts'
import { createLog } from '../bot/report/createLog.ts'
import { BallastError, isPassing, usageError } from '../core/errors.ts'
import { defineStreaming } from './command.ts'
import { exitCodeOfRun } from './exitCodes.ts'
import { feedWatchdog } from './feedWatchdog.ts'
import { wholeNumber } from './options.ts'
import { firstFailure } from './reportFailure.ts'

/**
 * A swap runs through code that then rests for minutes, or for a day. V8 would interpret it, and forget it while it rests:
 * the first swap took three times as long as the later ones.
 */
const readyCode = ['--always-sparkplug', '--no-lazy-feedback-allocation', '--no-flush-bytecode']

/** Before a bot that had to end begins again. */
const pauseMs = 1_000

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
    paper: { flags: '--paper', summary: 'with virtual money and no key: books what it would do' },
    balances: {
      flags: '--balances <list>',
      summary: 'with --paper: begins with these and nothing else, such as "10 ETH, 5 WETH"',
    },
  },
  exitCodeOfError: exitCodeOfRun,
  async run(invocation) {
    const { configFile, environment, options, clock, json, signal, halt, terminal } = invocation
    for (const flag of readyCode) setFlagsFromString(flag)
    const { paper, port } = options
    const reload = createReload({ ...invocation, needs: paper ? 'market' : 'everything' })
    const { config } = reload.current()
    if (options.balances !== undefined && !paper)
      throw usageError('--balances is virtual money: it goes with --paper.')
    const balances =
      options.balances === undefined ? undefined : balancesOf(options.balances, config)
    const log = createLog({ level: config.logLevel, sink: terminal.note })
    const say = json ? (line: string) => log.info(line) : terminal.out
    invocation.onHangUp(reload.ask)
    const over = new AbortController()
    const fed = feedWatchdog({ environment, clock, log, signal: over.signal })
    await using _ = {
      async [Symbol.asyncDispose]() {
        over.abort()
        await fed
      },
    }
    const trade = async (began: () => void) => {
      await using engine = await openEngine({
        ...{ reload, paper, balances, port, clock, log, say, signal, halt },
      })
      began()
      const { wallet, chain } = engine.config
      say(
        `BALLAST ${wallet.name} ${wallet.address} on ${chain.name} · ${engine.dashboardUrl} · pid ${process.pid}`,
      )
      const ended = await engine.run()
      if (ended === 'drained')
        say(
          `DRAINED: what had begun is decided. Go on with: ${resumeCall(configFile)}${paper ? ' --paper' : ''}`,
        )
      for (const line of await engine.closing(configFile)) say(line)
    }
    for (;;) {
      let isOpen = false
      try {
        await trade(() => {
          isOpen = true
        })
        return undefined
      } catch (error) {
        // What a start waited for in vain is for the supervisor. A bot that ran needs only the start: it follows what
        // is signed before anything new.
        const failure = firstFailure(error)
        if (!isOpen || signal.aborted || !(failure instanceof BallastError) || !isPassing(failure))
          throw error
        say(`AGAIN   ${failure.summary} (${failure.code})`)
        await clock.sleep(pauseMs, signal)
      }
    }
  },
})
