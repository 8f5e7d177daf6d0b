import { callWith } from '../app/calls.ts'
import { restore } from '../bot/journal/copies.ts'
import { lockText } from '../bot/lock/lockText.ts'
import { defineCommand } from './command.ts'

export const command = defineCommand({
  name: 'restore',
  summary: 'puts a backup in the place of the journal, and halts its wallet',
  example: 'ballast restore /backups/ballast-2026-11-22.db',
  arguments: [{ name: '<file>', summary: 'a copy made by ballast backup' }],
  config: 'journal',
  run: ({ args, config: { database, wallet }, clock }) =>
    restore({ database, clock, wallet: wallet.address }, args[0] ?? '').then(
      ({ kept, halt, ...restored }) => ({ ...restored, halt: halt.id, locks: kept.map(lockText) }),
    ),
  text: ({ file, count, head, replaced, halt, locks, isRead }, { configFile }) =>
    [
      `Restored to ${file}: ${count} entries, head ${head}.`,
      ...(replaced === undefined ? [] : [`The journal that was there is ${replaced}.`]),
      ...locks.map(
        ({ id, kind, scope, code }) => `It still holds, as lock ${id}: ${kind} ${scope} (${code}).`,
      ),
      ...(isRead
        ? []
        : [
            'The locks of the journal before it could not be read: a stop since the copy has to be made again by hand.',
          ]),
      `The wallet is halted by lock ${halt}. Next: ${callWith(configFile, 'ballast recover')} --reason "…", which books what it did since.`,
    ].join('\n'),
})
