import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { Server } from 'node:net'

// A unit test needs this process alone: what starts another belongs to the project `chain`, what opens a port to `ports`.
const refuse = (): never => {
  throw new Error(
    'A unit test starts no process and opens no port: test/support/projectOf.ts says which tests may.',
  )
}
const starts = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync']
for (const name of starts) Reflect.set(childProcess, name, refuse)
Server.prototype.listen = refuse
syncBuiltinESMExports()
