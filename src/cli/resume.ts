import { releaseOnPaper } from '../app/releaseOnPaper.ts'
import { resumeTrading } from '../app/resumeTrading.ts'
import { haltFileExists } from '../bot/journal/locks/guard.ts'
import { lockText } from '../bot/lock/lockText.ts'
import { display } from '../core/display.ts'
import { ballastError, usageError } from '../core/errors.ts'
import { defineCommand } from './command.ts'
import { paperOption } from './options.ts'

export const command = defineCommand({
  name: 'resume',
  summary: 'releases locks, once a person has looked',
  example: 'ballast resume --reason "the transfer of 3 ETH was ours"',
  arguments: [{ name: '[lock]', summary: 'the number of one lock; all of them without it' }],
  options: {
    reason: {
      flags: '--reason <text>',
      summary: 'what was found; kept in the journal',
      required: true,
    },
    writeOff: {
      flags: '--write-off <swap>',
      summary: 'ends a mined swap of an opaque router that moved nothing',
    },
    paper: paperOption,
  },
  async run({ args, load, options, clock, signal, terminal }) {
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
    const { nextNonce, released } = options.paper
      ? { nextNonce: undefined, released: await releaseOnPaper(config, { id, reason, clock }) }
      : await resumeTrading(config, {
          ...{ id, reason, writeOff, clock, signal, note: terminal.note },
          withChain: () => load('chain'),
        })
    return {
      wallet: wallet.address,
      writtenOff: writeOff ?? null,
      nextNonce: nextNonce ?? null,
      released: released.map(lockText),
      name: wallet.name,
    }
  },
  text: ({ released, nextNonce, writtenOff, name }) =>
    [
      ...(writtenOff === null
        ? []
        : [`Wrote off swap ${writtenOff}: sold 0, received 0, gas paid.`]),
      ...released.map(
        ({ id, kind, scope, code }) => `Released lock ${id}: ${kind} ${scope} (${code}).`,
      ),
      ...(nextNonce === null ? [] : [`Wallet ${name} goes on from nonce ${nextNonce}.`]),
    ].join('\n') || 'Nothing is locked: there is nothing to release.',
  document: ({ wallet, writtenOff, nextNonce, released }) => ({
    wallet,
    writtenOff,
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
