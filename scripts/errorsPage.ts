import { exitCodes } from '../src/cli/exitCodes.ts'
import { errorTable } from '../src/core/errorTable.ts'
import { serviceRefusals } from '../src/service/refusal/errors.ts'
import { checkFamilies, errorGuide, recordedCodes, serviceGuide } from './errorGuide.ts'

/** Every code with its remedy, its fault, what it means and what to do. */
export function errorsPage(): string {
  const { usage, refused, upstream, locked, unsettled, internal, again } = exitCodes
  const codes = Object.entries(errorTable).map(([code, { remedy, fault }]) => {
    const { meaning, next } = errorGuide[code as keyof typeof errorTable]
    return [`\`${code}\``, remedy, fault, meaning, next]
  })
  const families = Object.entries(checkFamilies).map(([prefix, { meaning, next }]) => [
    `\`${prefix}…\``,
    meaning,
    next,
  ])
  const refusals = Object.entries(serviceRefusals).map(([code, { number, status, remedy }]) => [
    String(number),
    String(status),
    `\`${code}\``,
    remedy,
    serviceGuide[code as keyof typeof serviceRefusals],
  ])
  return `# Errors

Every error has a stable code; monitoring may depend on it. This page is generated: \`npm run docs\` writes it from
\`src/core/errorTable.ts\` and \`scripts/errorGuide.ts\`. An error prints a sentence with its code, then the facts.

The **remedy** tells the bot what to do: \`retry\` (the same step again), \`requote\` (a new quote), \`skip\` (drop this
swap) or \`halt\` (stop). The **fault** sets the exit code: usage ${usage}, refused ${refused}, upstream ${upstream}, locked ${locked}, unsettled ${unsettled}, internal ${internal}.
\`ballast run\` ends with ${again} for a cause that passes by itself: upstream with the remedy retry, \`LEASE_LOST\`, \`JOURNAL_LOCKED\` and \`WALLET_LOCKED\`.

## Codes

${table(['code', 'remedy', 'fault', 'meaning', 'what to do'], codes)}

## Codes of checks

A failed check becomes a code: \`verify.floor\` becomes \`VERIFY_FLOOR\`. The fault is refused; verify and simulate have
the remedy requote, the others skip.

${table(['code', 'meaning', 'what to do'], families)}

## Numbers of the service

\`ballast service\` refuses with a number and an HTTP status (docs/SERVICE.md).

${table(['number', 'status', 'code', 'remedy', 'meaning'], refusals)}

## Recorded codes

These codes stand in the log and in reports. No command fails with one of them alone.
${Object.entries(recordedCodes)
  .map(([title, group]) => {
    const rows = Object.entries(group).map(([code, meaning]) => [`\`${code}\``, meaning])
    return `\n### ${title}\n\n${table(['code', 'meaning'], rows)}\n`
  })
  .join('')}`
}

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
