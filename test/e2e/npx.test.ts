import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { until } from '../support/until.ts'

let fork: Fork
let npx: ChildProcess | undefined
beforeEach(async () => {
  fork = await forkOrigin()
})
afterEach(async () => {
  // What a failed test leaves behind: the group of npx, its shell and the bot.
  try {
    if (npx?.pid !== undefined) process.kill(-npx.pid, 'SIGKILL')
  } catch {}
  await fork.close()
})

type Signalled = [string, (pid: number) => void]
const to = (signal: NodeJS.Signals): Signalled => [
  `${signal} to npx alone`,
  (pid) => process.kill(pid, signal),
]

test.each<Signalled>([
  to('SIGTERM'),
  to('SIGINT'),
  to('SIGKILL'),
  ['Ctrl-C at the terminal of npx', (pid) => process.kill(-pid, 'SIGINT')],
])('%s ends the bot, which says what it leaves', async (_, end) => {
  let said = ''
  npx = spawn(
    'npx',
    [...'--no ballast run --paper --port 0 --config'.split(' '), fork.ready.config],
    {
      cwd: join(import.meta.dirname, '../..'),
      detached: true,
      env: {
        ...process.env,
        npm_config_cache: mkdtempSync(join(tmpdir(), 'ballast-npx-')),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  npx.stdout?.on('data', (text) => {
    said += text
  })
  npx.stderr?.resume()
  const closed = new Promise((resolve) => npx?.once('close', resolve))
  const shown = () => Number(/^BALLAST .* pid (\d+)$/m.exec(said)?.[1])
  await until(() => shown() > 0)
  expect(shown()).not.toBe(npx.pid)

  end(npx.pid ?? 0)
  // Its pipes close with the last of the processes that have them: the bot.
  await closed
  expect(said).toMatch(/^PAPER: ends with .* ETH/m)
})
