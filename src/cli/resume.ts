import { callWith } from '../app/calls.ts'
import { releaseOnPaper } from '../app/releaseOnPaper.ts'
import { resumeTrading } from '../app/resumeTrading.ts'
import { haltFileExists } from '../bot/journal/locks/guard.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { lockText } from '../bot/lock/lockText.ts'
import { display } from '../core/display.ts'
import { ballastError, usageError } from '../core/errors.ts'
import { defineCommand } from './command.ts'
import { paperOption } from './options.ts'

/** Locks that a person opened, and may open for all wallets at once. */
const byPersons: ReadonlySet<string> = new Set(['BY_OPERATOR', 'BY_API', 'BY_SIGNAL', 'BY_FILE'])

export const command = defineCommand({
  name: 'resume',
  summary: 'releases locks, once a person has looked',
  example: 'ballast resume --reason "the transfer of 3 ETH was ours"',
  isForEach: ({ args, options }) => args.length === 0 && options.writeOff === undefined,
  arguments: [{ name: '[lock]', summary: 'the number of one lock; all of them without it' }],
  options: {
    reason: {
      flags: '--reason <text>',
      summary: 'what was found; kept in the journal',
      required: true,
    },
    writeOff: {
      flags: '--write-off <swap>',
      summary: 'ends a mined swap of an opaque router that gave nothing',
    },
    paper: paperOption,
  },
  async run({ args, load, options, clock, signal, terminal, isForEach }) {
    const reason = display(options.reason.trim(), 1_000)
    if (reason === '') throw usageError('--reason says what was found: it cannot be empty.')
    const id = readId(args[0])
    const { writeOff } = options
    if (writeOff !== undefined && options.paper)
      throw usageError('--write-off needs a chain: no swap on paper is mined.')
    const config = await load('journal')
    const { wallet, haltFile } = config
    if (haltFileExists(haltFile))
      throw ballastError(
        'HALT_FILE_EXISTS',
        `The file ${haltFile} halts for as long as it exists: remove it first.`,
      )
    const codes = isForEach ? byPersons : undefined
    const isWanted = options.paper || !isForEach || (await journalExists(config.database))
    const { nextNonce, released, lost } = !isWanted
      ? { nextNonce: undefined, released: [], lost: undefined }
      : options.paper
        ? {
            ...{ nextNonce: undefined, lost: undefined },
            released: await releaseOnPaper(config, { id, reason, clock }),
          }
        : await resumeTrading(config, {
            ...{ id, codes, reason, writeOff, clock, signal, note: terminal.note },
            withChain: () => load('chain'),
          })
    return {
      wallet: wallet.address,
      writtenOff: writeOff ?? null,
      lost: lost ?? null,
      nextNonce: nextNonce ?? null,
      released: released.map(lockText),
      name: wallet.name,
    }
  },
  text: ({ released, nextNonce, writtenOff, lost, name }, { configFile, options }) =>
    [
      ...(writtenOff === null
        ? []
        : [
            `Wrote off swap ${writtenOff}: sold ${lost === null ? '0' : `${lost.text} ${lost.token}`}, received 0, gas paid.`,
          ]),
      ...released.map(
        ({ id, kind, scope, code }) => `Released lock ${id}: ${kind} ${scope} (${code}).`,
      ),
      ...(nextNonce === null ? [] : [`Wallet ${name} goes on from nonce ${nextNonce}.`]),
      ...(released.length === 0
        ? []
        : [
            `Next: ${callWith(configFile, 'ballast status')}${options.paper ? ' --paper' : ''}, whether it runs and what still holds`,
          ]),
    ].join('\n') || 'Nothing is locked: there is nothing to release.',
  document: ({ wallet, writtenOff, lost, nextNonce, released }) => ({
    wallet,
    ...{ writtenOff, lost },
    nextNonce,
    released,
  }),
})

function readId(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw usageError(
      `'${display(text, 32)}' is not the number of a lock: 'ballast status' lists them.`,
    )
  return Number(text)
}
