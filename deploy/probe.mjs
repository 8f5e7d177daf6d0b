// node probe.mjs PORT PATH: ends with 0 where the process answers at that path of this container, and with 1 where not.
// Every path asks for a token, and the supervisor outside has none: the question comes from within, by the file of the token.
import { readFileSync } from 'node:fs'

const [port, path] = process.argv.slice(2)
const names = ['DASHBOARD_VIEWER_TOKEN', 'DASHBOARD_TOKEN']

function token() {
  for (const name of names) {
    const file = process.env[`${name}_FILE`]
    const value = process.env[name] || (file && readFileSync(file, 'utf8').replace(/\r?\n$/, ''))
    if (value) return value
  }
}

try {
  const bearer = token()
  const headers = bearer ? { authorization: `Bearer ${bearer}` } : {}
  const signal = AbortSignal.timeout(5_000)
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal })
  // Who asks with another token than that of its start is answered by a process that lives: a new token ends no pod.
  const isAlive = path === '/healthz' && status === 401
  if (status !== 200 && !isAlive) throw new Error(`${path} answered ${status}.`)
} catch (error) {
  process.stderr.write(`${error.cause?.message ?? error.message}\n`)
  process.exitCode = 1
}
