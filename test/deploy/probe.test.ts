import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const probe = new URL('../../deploy/probe.mjs', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'ballast-probe-'))
const file = join(folder, 'token')
writeFileSync(file, 'of-the-viewers\n')

/** Answers as a process of a fleet does: to who has a token, and under its own name. */
const server = createServer(({ url, headers: { authorization, host } }, answer) => {
  const isKnown = authorization === 'Bearer of-the-viewers' && host === `127.0.0.1:${port()}`
  const status = url === '/readyz' ? 503 : 200
  answer.writeHead(isKnown ? status : 401).end()
})
const port = () => (server.address() as AddressInfo).port
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => server.close())

async function ask(path: string, env: Record<string, string>, at = port()) {
  const child = spawn(process.execPath, [probe, String(at), path], { env })
  let said = ''
  for await (const text of child.stderr) said += text
  return { code: child.exitCode ?? (await once(child, 'exit'))[0], said }
}

test.each([
  ['the file of the viewers', { DASHBOARD_VIEWER_TOKEN_FILE: file, DASHBOARD_TOKEN: 'x' }],
  ['the file of the operator', { DASHBOARD_TOKEN_FILE: file }],
  ['a variable', { DASHBOARD_TOKEN: 'of-the-viewers' }],
])('asks with the token of %s', async (_, env) => {
  expect(await ask('/healthz', env)).toEqual({ code: 0, said: '' })
})

test('a token that was changed after the start ends no process that lives', async () => {
  const changed = { DASHBOARD_TOKEN: 'of-the-next-start' }
  expect(await ask('/healthz', changed)).toEqual({ code: 0, said: '' })
  expect(await ask('/readyz', changed)).toMatchObject({ code: 1 })
})

test.each([
  ['another answer', '/readyz', { DASHBOARD_TOKEN_FILE: file }, /^\/readyz answered 503\.\n$/],
  ['no token', '/readyz', {}, /^\/readyz answered 401\.\n$/],
  ['a token that is gone', '/healthz', { DASHBOARD_TOKEN_FILE: `${file}s` }, /ENOENT/],
])('ends with 1 at %s, and says it', async (_, path, env, sentence) => {
  expect(await ask(path, env)).toEqual({ code: 1, said: expect.stringMatching(sentence) })
})

test('ends with 1 where nobody listens', async () => {
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const free = (other.address() as AddressInfo).port
  await new Promise((resolve) => other.close(resolve))
  expect(await ask('/healthz', {}, free)).toMatchObject({ code: 1 })
})
