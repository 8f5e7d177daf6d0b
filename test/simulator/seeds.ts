import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { FaultId } from './matrix.ts'

// Before anything of the bot is loaded: it must meet the simulated disk.
const simulated = new Map([
  ['node:sqlite', new URL('./simulatedSqlite.ts', import.meta.url).href],
  ['pg', new URL('./simulatedPg.ts', import.meta.url).href],
])
/** Files of the bot that are to be other than they are, as pairs of path and text. */
const { INSTEAD = '[]' } = process.env
const texts = new Map(
  (JSON.parse(INSTEAD) as [string, string][]).map(([path, text]) => [
    pathToFileURL(path).href,
    text,
  ]),
)
registerHooks({
  resolve(specifier, context, next) {
    const url = simulated.get(specifier)
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
  },
  ...(texts.size === 0
    ? {}
    : {
        load(url, context, next) {
          const source = texts.get(url)
          return source === undefined
            ? next(url, context)
            : { format: 'module-typescript', source, shortCircuit: true }
        },
      }),
})
const { leaseMatrix, matrix } = await import('./matrix.ts')
const { openMachine } = await import('./openMachine.ts')
const { explain, report } = await import('./report.ts')
const { runSeeds } = await import('./runSeeds.ts')
const { simulate } = await import('./simulate.ts')

const { SEED, SEEDS = '10000', FIRST = '1', FAILURES = '5', ALWAYS = '', CAST } = process.env
const always = ALWAYS.split(' ').filter((id): id is FaultId => id in { ...matrix, ...leaseMatrix })
const cast = CAST === 'two' ? 'two' : 'one'
const machine = await openMachine()
if (SEED !== undefined) {
  const outcome = await simulate(Number(SEED), machine, { always, cast })
  process.stdout.write(`${outcome.trace.join('\n')}\n${outcome.traceHash}\n`)
  if (outcome.violations.length > 0) process.stdout.write(`${explain(outcome)}\n`)
  process.exitCode = outcome.violations.length > 0 ? 1 : 0
} else {
  const summary = await runSeeds(machine, {
    first: Number(FIRST),
    count: Number(SEEDS),
    failuresMax: Number(FAILURES),
    always,
    cast,
  })
  process.stdout.write(report(summary))
  process.exitCode = summary.failures.length > 0 ? 1 : 0
}
