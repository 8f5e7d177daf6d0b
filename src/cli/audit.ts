import { signedByWallet } from '../app/checkpoints.ts'
import { notedHead } from '../bot/journal/audit/commonLog.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { lockText } from '../bot/lock/lockText.ts'
import { display } from '../core/display.ts'
import { ballastError, usageError } from '../core/errors.ts'
import { type CommandGroup, defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'
import { existingJournal } from './needs.ts'

const verify = defineCommand({
  name: 'verify',
  summary:
    'walks the chain of the log; names the first entry that is wrong, and locks and swaps it does not explain',
  example: 'ballast audit verify --head 3f0c…',
  isForEach: ({ options }) => options.head === undefined,
  options: {
    head: {
      flags: '--head <hash>',
      summary: 'a hash noted earlier, which must be in the chain: shows a log that was cut off',
      read: readHash,
    },
  },
  config: 'journal',
  needs: { journal: existingJournal },
  async run({ config, journal, options }) {
    if (journal === undefined)
      throw ballastError('NO_JOURNAL', `There is no journal at ${journalName(config.database)}.`)
    const { database, isFleet } = config
    const noted = isFleet && database.dialect === 'postgres' ? await notedHead(database) : undefined
    const [first, second] = [options.head, noted].filter((hash) => hash !== undefined)
    const report = await journal.log.verify(first)
    const isSecond = second !== undefined && report.found === true
    const { count, head, broken, found, locks, swaps, accepted } = isSecond
      ? await journal.log.verify(second)
      : report
    const wanted = isSecond ? second : first
    const folder = config.journal.archives
    const archives =
      broken === undefined
        ? await journal.log.verifyArchives({ folder, isSigned: signedByWallet(config) })
        : []
    const explained = locks.length === 0 && swaps.length === 0
    const whole = archives.every(({ verdict }) => verdict === 'whole')
    return {
      ok: broken === undefined && found !== false && explained && whole,
      count,
      head,
      broken: broken ?? null,
      found: found ?? null,
      wanted: wanted ?? null,
      locks: locks.map(({ lock, why }) => ({ ...lockText(lock), why })),
      swaps,
      accepted,
      archives: archives.map(({ why, ...archive }) => ({ ...archive, why: why ?? null })),
    }
  },
  text({ count, head, broken, found, wanted, locks, swaps, accepted, archives }) {
    const lines = [`${count} entries follow each other; head ${head}`]
    if (broken !== null) lines.push(`BROKEN at entry ${broken.seq}: ${broken.why}.`)
    if (found === false)
      lines.push(`BROKEN: ${wanted} is not in the chain: what led to it was cut off.`)
    for (const { id, kind, scope, code, why } of locks)
      lines.push(`CHANGED lock ${id} (${kind} ${display(scope)}, ${display(code)}): ${why}.`)
    for (const { swapId, why } of swaps) lines.push(`CHANGED swap ${display(swapId)}: ${why}.`)
    for (const { defect, reason } of accepted)
      lines.push(`CHANGED ${display(defect)}: accepted by a person: ${display(reason)}`)
    for (const { file, upto, verdict, why, signed } of archives)
      lines.push(
        verdict === 'whole'
          ? `archive ${file} has entries up to ${upto}${signed ? ', signed by the wallet' : ''}`
          : verdict === 'missing'
            ? `NOT CHECKED: archive ${file}: ${why}.`
            : `BROKEN: archive ${file}: ${why}.`,
      )
    return lines.join('\n')
  },
  document: ({ wanted: _, ...verified }) => verified,
  exitCode({ ok, archives, ...found }) {
    if (ok) return exitCodes.done
    const isBroken =
      found.broken !== null ||
      found.found === false ||
      found.locks.length + found.swaps.length > 0 ||
      archives.some(({ verdict }) => verdict === 'broken')
    // What an archive elsewhere has is unknown, as in reconcile.
    return isBroken ? exitCodes.refused : exitCodes.upstream
  },
})

function readHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw usageError('--head takes the 64 hex digits of a hash.')
}

export const command: CommandGroup = {
  name: 'audit',
  summary: 'proves that the log is what was written',
  commands: [verify],
}
