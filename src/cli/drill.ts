import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { startArena } from '../app/drill/startArena.ts'
import { createLog } from '../bot/report/createLog.ts'
import type { Config } from '../config/config.ts'
import { asWritten, display } from '../core/display.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import { table } from '../core/textLayout.ts'
import { controls } from '../drill/controls.ts'
import { catalogue, type DrillVerdict } from '../drill/runDrill.ts'
import { defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'
import type { Invocation } from './invocation.ts'
import { whileWorking } from './whileWorking.ts'

const options = {
  only: {
    flags: '--only <names>',
    summary: 'these cases alone, separated by commas or spaces',
    read: (text: string) => text.split(',').filter((name) => name !== ''),
  },
} as const

export const command = defineCommand({
  name: 'drill',
  summary: 'lies to the bot in every known way, under your own policy, on a market of its own',
  example: 'ballast drill --only recipient-attacker,send-answer-lost',
  arguments: [{ name: '[name...]', summary: 'more cases for --only' }],
  options,
  async run(invocation) {
    const { args, options: given, configFile, clock, json, signal, terminal, logLevel } = invocation
    const only = chosen([...(given.only ?? []), ...args])
    const user = await userConfig(invocation)
    await using opened = new AsyncDisposableStack()
    const folder = opened.adopt(await mkdtemp(join(tmpdir(), 'ballast-drill-')), (path) =>
      rm(path, { recursive: true, force: true }),
    )
    const log = createLog({ level: logLevel ?? 'error', sink: terminal.log })
    const arena = opened.adopt(await startArena({ user, folder, clock, log }), (one) => one.close())
    // The honest market is always the first.
    const total = [...controls, ...catalogue].filter(
      ({ name }, index) => index === 0 || only.size === 0 || only.has(name),
    ).length
    let told = 0
    const sayProgress = () => `Drilling: ${told} of ${total} cases`
    const cases = await whileWorking({ terminal, clock }, sayProgress, () =>
      arena.drill({
        ...(only.size === 0 ? {} : { only }),
        signal,
        onVerdict(verdict) {
          told += 1
          // A minute without a word looks like a hang.
          const why = verdict.ok ? '' : `: ${verdict.by}`
          if (!json) terminal.note(`${titleOf(verdict)} ${verdict.name}${why}`)
        },
      }),
    )
    return { policy: user === undefined ? null : configFile, ...summaryOf(cases), cases }
  },
  text: ({ policy, cases, ...summary }, { configFile, terminal }) =>
    // Everything held under another policy than one's own proves nothing about one's own.
    `policy: ${policy ?? `the sandbox's own (there is no ${configFile} here)`}\n${tableOf(cases, terminal.columns)}\n\n${lineOf(summary)}`,
  exitCode({ holes, controlsRejected }, { signal }) {
    if (signal.aborted) return exitCodes.interrupted
    return holes + controlsRejected > 0 ? exitCodes.refused : exitCodes.done
  },
})

function chosen(names: readonly string[]): ReadonlySet<string> {
  const known = [...controls, ...catalogue].map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw ballastError(
      'UNKNOWN_CASE',
      `The drill has no case ${asWritten(unknown)}.${didYouMean(unknown, known)}`,
    )
  return new Set(names)
}

/** Undefined where there is no configuration: then the one of the sandbox is drilled. */
async function userConfig({
  load,
  configFile,
}: Pick<Invocation, 'load' | 'configFile'>): Promise<Config | undefined> {
  try {
    return await load('everything')
  } catch (error) {
    const absent = error instanceof BallastError && error.code === 'CONFIG_MISSING'
    if (absent && basename(configFile) === 'ballast.yaml') return undefined
    throw error
  }
}

function summaryOf(verdicts: readonly DrillVerdict[]) {
  const lies = verdicts.filter(({ control }) => !control)
  const honest = verdicts.filter(({ control }) => control)
  const held = lies.filter(({ ok }) => ok).length
  const accepted = honest.filter(({ ok }) => ok).length
  return {
    lies: lies.length,
    held,
    holes: lies.length - held,
    controls: honest.length,
    controlsAccepted: accepted,
    controlsRejected: honest.length - accepted,
  }
}

const titleOf = ({ ok, control }: DrillVerdict) =>
  control ? (ok ? 'accepted' : 'REJECTED') : ok ? 'held' : 'HOLE'

const tableOf = (verdicts: readonly DrillVerdict[], columns: number) =>
  table(
    [
      ['case', 'kind', 'verdict', 'ms', 'by'],
      ...verdicts.map((verdict) => [
        verdict.name,
        verdict.control ? `${verdict.kind}, honest` : verdict.kind,
        titleOf(verdict),
        String(verdict.ms),
        display(verdict.by, 120),
      ]),
    ],
    columns,
  )

const lineOf = (summary: ReturnType<typeof summaryOf>) => {
  const { lies, held, holes, controlsAccepted, controlsRejected } = summary
  const rejected = controlsRejected > 0 ? `, ${controlsRejected} rejected` : ''
  return `${lies} lies, ${held} held, ${holes} holes; ${controlsAccepted} controls accepted${rejected}`
}
