import { callWith } from '../app/calls.ts'
import { examineChain } from '../app/doctor/examineChain.ts'
import { examineDatabase, examineJournal } from '../app/doctor/examineJournal.ts'
import { examinePolicy } from '../app/doctor/examinePolicy.ts'
import { examineReferences } from '../app/doctor/examineReferences.ts'
import { examineService } from '../app/doctor/examineService.ts'
import type { Finding } from '../app/doctor/finding.ts'
import { table } from '../core/textLayout.ts'
import { defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'

export const command = defineCommand({
  name: 'doctor',
  summary: 'is everything in place to trade?',
  example: 'ballast doctor --config ballast.yaml',
  async run({ config: load, configFile, clock, signal, json, terminal }) {
    const config = await load()
    const scene = { config, clock, signal }
    const findings: readonly Finding[] = [
      { name: 'configuration', state: 'ok', actual: config.file },
      ...examinePolicy(scene),
      ...(await examineDatabase(scene)),
      ...(await examineJournal(scene)),
      ...(
        await Promise.all([examineChain(scene), examineService(scene), examineReferences(scene)])
      ).flat(),
    ]
    const next = `Next: ${callWith(configFile, 'ballast plan')}`
    const failed = findings.filter(({ state }) => state === 'fail')
    if (json)
      terminal.json({
        ok: failed.length === 0,
        findings: findings.map(({ name, state, expected, actual }) => ({
          name,
          state,
          expected,
          actual,
        })),
      })
    else {
      terminal.out(
        table(
          findings.map(({ name, state, expected, actual }) => [
            state,
            name,
            expected === undefined || state === 'ok' ? actual : `${actual} (expected ${expected})`,
          ]),
        ),
      )
      terminal.out(
        failed.length === 0
          ? config.wallet.key === undefined && config.wallet.signer.kind === 'environment'
            ? `\nReady for dry runs and run --paper; set WALLET_KEY to trade.\n${next}`
            : `\nReady to trade.\n${next}`
          : `\n${failed.length} of ${findings.length} failed.`,
      )
    }
    return Math.max(exitCodes.done, ...failed.map(({ fault }) => exitCodes[fault ?? 'usage']))
  },
})
