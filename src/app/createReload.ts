import { resolve } from 'node:path'
import { checkStrategies, type LoadedStrategy } from '../bot/strategy/load.ts'
import { fileTimes } from '../bot/strategy/readStrategy.ts'
import type { Config } from '../config/config.ts'
import { type Change, diffConfig } from '../config/diffConfig.ts'
import { readText, showPath } from '../config/file/readText.ts'
import type { Environment } from '../config/file/variables.ts'
import { type ReadConfig, readConfig } from '../config/readConfig.ts'
import { watchConfig } from '../config/watchConfig.ts'
import type { Clock } from '../core/clock.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import { minuteMs } from '../core/spans.ts'
import { assertStrategyPriced } from './livePrices.ts'

/** A configuration and the strategies it names, of one reading. Frozen: who holds one keeps what it decided with. */
export type Running = {
  readonly config: Config
  readonly strategies: readonly LoadedStrategy[]
}

/** A text that is not in force. `isUnnamed` as soon as one did not name the wallet, until one is taken over. */
type Refusal = {
  readonly since: number
  readonly problem: BallastError
  readonly isUnnamed: boolean
}

/** Between two looks at a refused text that stays the same. */
const retryMs = minuteMs

type Source = {
  /** Relative to `cwd`. */
  readonly configFile: string
  readonly environment: Environment
  readonly cwd: string
  /** As of `readConfig`: a run on paper needs no secret of the wallet. */
  readonly needs?: 'everything' | 'market'
  /** Of a file with several wallets. */
  readonly wallet?: string | undefined
}

type Watch = {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The new one is in force. Without changes: an operator requested it, and there are none. */
  readonly onChange: (running: Running, changes: readonly Change[]) => void | Promise<void>
  /** A text that was refused; the last good one stays in force. */
  readonly onProblem: (problem: BallastError) => void
}

/**
 * Reads a configuration with its strategies, and follows the file's changes. Throws like `readConfig` at first; later a
 * text that is wrong, or that needs more than a running bot can take over, is refused as a whole.
 */
export function createReload({
  configFile,
  environment,
  cwd,
  needs = 'everything',
  wallet,
}: Source) {
  const file = resolve(cwd, configFile)
  const shown = showPath(file, cwd)
  const first = readText(file, { shown, init: "'ballast config init' writes one" })
  const readWith = (text: string): { read: ReadConfig; running: Running } => {
    const read = readConfig({
      ...{ file: configFile, environment, cwd, needs, text, wallet },
      problemsOf: (parts) => checkStrategies(parts).problems,
    })
    const { config } = read
    const { loaded: strategies } = checkStrategies(config)
    return { read, running: Object.freeze({ config, strategies }) }
  }

  let inForce = readWith(first)
  /** The newest text that was taken over: what a watch that begins again compares with. */
  let taken = first
  let isAsked = false
  let refusal: Refusal | undefined

  /** One assignment puts all of it in force. */
  function load(text: string): readonly Change[] {
    const next = readWith(text)
    const changes = diffConfig(inForce.read, next.read)
    const stuck = changes.filter(({ live }) => !live)
    if (stuck.length > 0) throw needsRestart(stuck, { changes, shown })
    // What the next start would refuse, with every strategy and swap under way, is refused now.
    const { config, strategies } = next.running
    if (needs === 'everything') for (const one of strategies) assertStrategyPriced(config, one)
    if (changes.length > 0) inForce = next
    taken = text
    return changes
  }

  return {
    /** Everything in force at the moment. */
    current: (): Running => inForce.running,
    /** What is not in force although the file says it, and since when; undefined where there is none. */
    refused: () => refusal,
    /** Has the file and `.env` read again within two seconds, changed or not: what SIGHUP is for. */
    ask() {
      isAsked = true
    },
    /** Follows the file until the signal. */
    async watch({ clock, signal, onChange, onProblem }: Watch): Promise<void> {
      let wasAsked = false
      let triedAt = Number.NEGATIVE_INFINITY
      let times = fileTimes()
      await watchConfig({
        ...{ file, text: taken, load, clock, signal },
        isAsked() {
          const asked = isAsked
          isAsked = false
          wasAsked ||= asked
          // Read again, a strategy that has changed is refused: the operator hears that it takes a restart.
          const before = times
          times = fileTimes()
          // What it was refused for may be put right elsewhere: in `.env`, or in a file that it names.
          const isDue = refusal !== undefined && Math.abs(clock.now() - triedAt) >= retryMs
          if (isDue) triedAt = clock.now()
          return asked || times !== before || isDue
        },
        async onChange(changes) {
          refusal = undefined
          // Another comment, or another order of keys, is not worth a report.
          const isTold = changes.length > 0 || wasAsked
          wasAsked = false
          if (isTold) await onChange(inForce.running, changes)
        },
        onProblem(problem) {
          const isNew = wasAsked || refusal?.problem.message !== problem.message
          wasAsked = false
          const isUnnamed = refusal?.isUnnamed === true || problem.code === 'WALLET_NOT_NAMED'
          refusal = { since: refusal?.since ?? clock.now(), problem, isUnnamed }
          if (isNew) onProblem(problem)
        },
      })
    },
  }
}

function needsRestart(
  stuck: readonly Change[],
  { changes, shown }: { changes: readonly Change[]; shown: string },
): BallastError {
  const keys = stuck.map(({ path }) => path.join('.'))
  return ballastError(
    'CONFIG_NEEDS_RESTART',
    `${shown} changes ${keys.join(', ')}, which a running bot cannot take over: nothing of it is in force. Restart the bot, or put ${keys.length === 1 ? 'it' : 'them'} back.`,
    Object.fromEntries(
      changes.map(({ path, from, to }) => [path.join('.'), `${textOf(from)} -> ${textOf(to)}`]),
    ),
  )
}

function textOf(value: unknown): string {
  if (value === undefined) return 'not there'
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value)
}
