import { callWith, resumeCall } from '../app/calls.ts'
import { recoverBooks } from '../app/recoverBooks.ts'
import { lockText } from '../bot/lock/lockText.ts'
import { loadStrategies } from '../bot/strategy/load.ts'
import { display } from '../core/display.ts'
import { usageError } from '../core/errors.ts'
import { defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'

export const command = defineCommand({
  name: 'recover',
  summary: 'books from the chain what a restored or new journal lacks',
  example: 'ballast recover --reason "the disk of 3 March was restored"',
  options: {
    reason: {
      flags: '--reason <text>',
      summary: 'what happened; kept in the journal beside what is not ours',
      required: true,
    },
  },
  config: 'everything',
  async run({ config, options, clock, signal, terminal }) {
    const reason = display(options.reason.trim(), 1_000)
    if (reason === '') throw usageError('--reason says what happened: it cannot be empty.')
    const strategies = await loadStrategies(config)
    const note = terminal.note
    return recoverBooks({ config, strategies, reason, clock, signal, note })
  },
  text({ swaps, approvals, foreign, slots, found }, { configFile }) {
    const broken = found.checks.filter(({ verdict }) => verdict !== 'holds')
    return [
      `Booked from the chain: swaps ${swaps}, approvals ${approvals}. They count against every strategy's limits.`,
      ...(foreign.length === 0
        ? []
        : [`Not made by this bot, and released with your reason: nonces ${foreign.join(', ')}.`]),
      ...slots.map(
        ({ strategy, slots }) =>
          `${strategy}: slots closed as missed ${slots}, since any of them may have been bought.`,
      ),
      ...(broken.length === 0
        ? ['The books agree with the chain.']
        : broken.map(({ id, verdict, says }) => `${id} ${verdict}: ${says}`)),
      broken.length === 0
        ? `Next: ${resumeCall(configFile)}, if a lock holds; then ${callWith(configFile, 'ballast run')}`
        : `Next: ${callWith(configFile, 'ballast reconcile')}, which shows the evidence`,
    ].join('\n')
  },
  document: ({ found, ...booked }) => ({
    ...booked,
    ok: found.checks.every(({ verdict }) => verdict === 'holds'),
    locks: found.locks.map(lockText),
  }),
  exitCode: ({ found: { checks } }) =>
    checks.some(({ verdict }) => verdict === 'broken')
      ? 1
      : checks.some(({ verdict }) => verdict === 'unknown')
        ? exitCodes.upstream
        : exitCodes.done,
})
