import { callWith } from '../app/calls.ts'
import { examineChain } from '../app/doctor/examineChain.ts'
import { examineDatabase, examineJournal } from '../app/doctor/examineJournal.ts'
import { examinePolicy } from '../app/doctor/examinePolicy.ts'
import { examineReferences } from '../app/doctor/examineReferences.ts'
import { examineService } from '../app/doctor/examineService.ts'
import { examineStrategies } from '../app/doctor/examineStrategies.ts'
import type { Finding } from '../app/doctor/finding.ts'
import { shortAddress } from '../core/display.ts'
import { table } from '../core/textLayout.ts'
import { defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'

export const command = defineCommand({
  name: 'doctor',
  summary: 'is everything in place to trade?',
  example: 'ballast doctor --config ballast.yaml',
  isForEach: () => true,
  config: 'everything',
  async run({ config, clock, signal, terminal }) {
    const scene = { config, clock, signal }
    const findings: readonly Finding[] = [
      { name: 'configuration', state: 'ok', actual: config.file },
      ...examinePolicy(scene),
      ...(await examineStrategies(scene)),
      ...(await examineDatabase(scene)),
      ...(await examineJournal(scene)),
      ...(
        await Promise.all([examineChain(scene), examineService(scene), examineReferences(scene)])
      ).flat(),
    ]
    // What a stop cut off looks like a failure, and is none.
    if (signal.aborted) {
      terminal.note('Interrupted: not everything was looked at, so doctor concludes nothing.')
      return undefined
    }
    return { findings, failed: findings.filter(({ state }) => state === 'fail') }
  },
  text({ findings, failed }, { config, configFile, terminal }) {
    const rows = findings.map(({ name, state, expected, actual }) => [
      state,
      // A word wider than its column goes below its row: a name must begin in its own place.
      name.replace(/0x[\da-f]{40}/gi, shortAddress),
      expected === undefined || state === 'ok' ? actual : `${actual} (expected ${expected})`,
    ])
    const { key, signer } = config.wallet
    const ready =
      key === undefined && signer.kind === 'environment'
        ? 'Ready for dry runs and run --paper; set WALLET_KEY to trade.'
        : 'Ready to trade.'
    const end =
      failed.length === 0
        ? `${ready}\nNext: ${callWith(configFile, 'ballast plan')}`
        : `${failed.length} of ${findings.length} failed.\nNext: correct what failed above, then ${callWith(configFile, 'ballast doctor')}`
    return `${table(rows, terminal.columns)}\n\n${end}`
  },
  document: ({ findings, failed }) => ({
    ok: failed.length === 0,
    findings: findings.map(({ name, state, expected, actual }) => ({
      name,
      state,
      expected,
      actual,
    })),
  }),
  exitCode: (examined) =>
    examined === undefined
      ? exitCodes.interrupted
      : Math.max(
          exitCodes.done,
          ...examined.failed.map(({ fault }) => exitCodes[fault ?? 'usage']),
        ),
})
