import { registerHooks } from 'node:module'

const simulated = new URL('./simulatedSqlite.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:sqlite' ? { url: simulated, shortCircuit: true } : next(specifier, context),
})
const { openMachine } = await import('./openMachine.ts')
const { simulate } = await import('./simulate.ts')
const machine = await openMachine()
const first = Number(process.env.SEED ?? 1)
const count = process.env.SEED === undefined ? Number(process.env.SEEDS ?? 100) : 1
let t = performance.now(), crashes = 0, bad = 0, swaps = 0, settled = 0
const cpu = process.cpuUsage()
const hits: Record<string, number> = {}
for (let seed = first; seed < first + count; seed++) {
  const o = await simulate(seed, machine)
  crashes += o.crashes; swaps += o.swaps; settled += o.settled
  for (const [id, n] of Object.entries(o.hits)) hits[id] = (hits[id] ?? 0) + n
  if (o.violations.length) { bad++; if (bad < 6) console.log(seed, o.violations) }
  if (process.env.SEED !== undefined) console.log(o.trace.join('\n'), o.traceHash, o.violations)
}
const used = process.cpuUsage(cpu)
console.log({ count, bad, crashes, swaps, settled, ms: (performance.now() - t) / count, cpuMs: (used.user + used.system) / 1000 / count })
console.log(hits)
