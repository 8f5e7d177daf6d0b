import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

// A unit test needs this process alone: what starts another belongs to the project `chain` (test/support/projectOf.ts).
const refuse = (): never => {
  throw new Error('A unit test starts no process: test/support/projectOf.ts says which tests may.')
}
const starts = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync']
for (const name of starts) Reflect.set(childProcess, name, refuse)
syncBuiltinESMExports()
