import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startBallast } from '../support/runBallast.ts'

let fork: Fork
let config: string

beforeEach(async () => {
  fork = await forkOrigin()
  // It never trades.
  const text = readFileSync(fork.ready.config, 'utf8').replace(
    /strategies:\n(?: {2}.*\n)+/,
    'strategies:\n  - name: sell-strength\n    use: threshold\n    params: { sell: 1 ETH, buy: USDC, price: 999999 USDC, every: 1s }\n',
  )
  config = join(fork.dataDir, 'bot.yaml')
  writeFileSync(config, text)
})
afterEach(() => fork.close())

const ballast = (...args: string[]) => callCli([...args, '--config', config], { cwd: fork.dataDir })

/** A kept connection is closed by the server while a command holds up the test, and fails the request after it. */
const alone = { headers: { connection: 'close' } }

/** The exit code of the health check in the Dockerfile, turned to this bot. */
function containerHealth(): number | null {
  const words = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1]
  const [, ...args] = JSON.parse(words ?? '[]') as string[]
  const turned = args.map((arg) => arg.replace('/app/ballast.mjs', resolve('src/main.ts')))
  const env = { ...process.env, BALLAST_CONFIG: config }
  return spawnSync(process.execPath, turned, { cwd: fork.dataDir, env }).status
}

test('ready: not while a lock holds, and not with little gas; alive all the time', async () => {
  // Three swaps of 250,000 gas at 200 gwei. It only rises: a coin that is gone would be a drift of the ledger.
  const enough = 150_000_000_000_000_000n
  const address = fork.ready.wallets.treasury?.address ?? '0x'
  await fork.rpc.request(anvilCalls.setBalance(address, enough - 1n))
  const bot = startBallast(['run', '--port', '0', '--config', config])
  const url = /http:\/\/[\d.:]+/.exec(await bot.says('WAIT '))?.[0] ?? ''
  const ready = async (path = '/readyz') => {
    const answer = await fetch(url + path, alone)
    const { codes } = (await answer.json()) as { codes: readonly string[] }
    return { status: answer.status, codes }
  }
  const check = async () => (await ballast('status', '--check')).code
  expect(await ready()).toEqual({ status: 503, codes: ['GAS_LOW'] })
  await fork.rpc.request(anvilCalls.setBalance(address, enough))
  expect(await ready()).toEqual({ status: 200, codes: [] })
  expect(await check()).toBe(0)
  expect(containerHealth()).toBe(0)

  expect((await ballast('pause', '--reason', 'lunch')).code).toBe(0)
  for (const path of ['/readyz', '/api/ready'])
    expect(await ready(path)).toEqual({ status: 503, codes: ['BY_OPERATOR'] })
  expect((await fetch(`${url}/healthz`, alone)).status).toBe(200)
  expect(containerHealth()).toBe(11)
  const metrics = await (await fetch(`${url}/metrics`, alone)).text()
  for (const line of [
    'ballast_up 1',
    'ballast_ready 0',
    'ballast_lock{code="BY_OPERATOR"} 1',
    'ballast_attention{code="BY_OPERATOR"} 1',
  ])
    expect(metrics.split('\n')).toContain(line)
  expect(metrics).toMatch(/^ballast_head_age_seconds \d/m)
  expect(metrics).toMatch(/^ballast_look_age_seconds\{strategy="sell-strength"\} \d/m)
  expect(await check()).toBe(11)
  expect((await ballast('resume', '--reason', 'eaten')).code).toBe(0)
  expect(await ready()).toEqual({ status: 200, codes: [] })

  bot.child.kill('SIGKILL')
  await bot.ended
  expect(await check()).toBe(13)
})

test('alerts: a webhook hears of a pause, of its end, and of the halt or the error that ends the bot', async () => {
  const key = 'webhook-key-of-readiness-test-012345678'
  const told: string[] = []
  let sentence = ''
  let beats = 0
  const server = createServer(async (request, answer) => {
    if (request.url === '/ping') {
      beats += 1
      answer.end()
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const hmac = createHmac('sha256', key).update(body).digest('hex')
    const { event, code, mode, ...rest } = JSON.parse(body)
    sentence = rest.sentence
    const signed = request.headers['ballast-signature'] === `sha256=${hmac}`
    told.push(`${event} ${code} ${mode} ${signed ? 'signed' : 'forged'}`)
    answer.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const env = {
    WEBHOOK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    WEBHOOK_SECRET: key,
    HEARTBEAT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping`,
  }
  try {
    const bot = startBallast(['run', '--port', '0', '--config', config], { env })
    await bot.says('WAIT ')
    await ballast('pause', '--reason', 'lunch')
    await expect.poll(() => told).toEqual(['begun BY_OPERATOR live signed'])
    await ballast('resume', '--reason', 'eaten')
    await expect.poll(() => told).toContain('ended BY_OPERATOR live signed')
    // A minute after the start.
    await expect.poll(() => beats).toBeGreaterThan(0)
    await ballast('halt', '--reason', 'smoke')
    const { code, stdout, stderr } = await bot.ended
    expect(code).toBe(5)
    expect(told.slice(2)).toEqual(['begun BY_OPERATOR live signed'])
    expect(stdout + stderr).not.toContain(key)

    await ballast('resume', '--reason', 'no fire')
    told.length = 0
    const next = startBallast(['run', '--port', '0', '--config', config], { env })
    await next.says('WAIT ')
    // What no lock says: a table is gone under the bot.
    const journal = new DatabaseSync(join(fork.dataDir, 'ballast.db'))
    journal.exec('ALTER TABLE decision RENAME TO gone')
    expect((await next.ended).code).toBe(1)
    expect(told.at(-1)).toBe('begun BOT_ENDED live signed')
    expect(sentence).toBe('The bot ended: an unexpected failure. (INTERNAL)')
    // Whoever starts it over and over hears of it once.
    const again = startBallast(['run', '--port', '0', '--config', config], { env })
    expect((await again.ended).code).toBe(1)
    journal.exec('ALTER TABLE gone RENAME TO decision')
    journal.close()
    expect(told.filter((one) => one.includes('BOT_ENDED'))).toHaveLength(1)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
