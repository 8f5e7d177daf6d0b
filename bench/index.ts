/**
 * Every figure of speed in one run: the benches one after the other, each with its floors and ratios, on one machine and at
 * one revision. Printed, and kept in bench/RESULTS.md.
 *
 * `npm run bench` takes about ten minutes; `npm run build` before it, for the start of the release.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

const benches: readonly (readonly [what: string, ...command: string[]])[] = [
  ['From a firm quote to the node', 'bench/hotPath.ts'],
  ['The stages of a swap', 'bench/stages.ts'],
  ['Signatures', 'bench/signing.ts'],
  ['Verification and order books', 'bench/verify.ts', '--rounds', '21'],
  ['Firm quotes of the service', 'bench/service.ts', '--requests', '1000'],
  ['The journal', 'bench/journal.ts', '--rows', '100000', '--rounds', '15'],
  ['Ten wallets in one process', 'bench/wallets.ts'],
  ['A fleet with one, two and four workers', 'bench/fleet.ts'],
  ['The pages of the dashboard', 'bench/dashboard.ts', '--seconds', '20'],
  ['Start of the release', 'bench/start.ts', '--rounds', '5', 'dist/ballast.mjs'],
  ['Idle, 100 strategies', 'bench/idle.ts', '--minutes', '1', '--main', 'dist/ballast.mjs'],
]

const revision = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const [cpu] = cpus()
const lines = [
  '# Figures of `npm run bench`',
  '',
  `Written by it: ${new Date().toISOString().slice(0, 10)}, revision ${revision}, Node ${process.versions.node}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB. Absolute figures move with the machine; ratios were measured in turns within one run.`,
]
for (const [what, ...command] of benches) {
  console.log(`\n${what}: node ${command.join(' ')}`)
  const output = execFileSync(process.execPath, ['--no-warnings', ...command], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  console.log(output.trimEnd())
  lines.push('', `## ${what}`, '', `\`node ${command.join(' ')}\``, '', '```', output.trim(), '```')
}
writeFileSync(new URL('RESULTS.md', import.meta.url), `${lines.join('\n')}\n`)
