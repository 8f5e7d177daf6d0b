import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { hourMs } from '../../src/core/spans.ts'
import { callCli } from '../cli/callCli.ts'
import { type FirmAnswer, startDecliningService } from '../support/decliningService.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { runBallast, startBallast } from '../support/runBallast.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin()
})
afterAll(() => fork.close())

const refusal: FirmAnswer = {
  body: { success: false, code: 131099, errorMessage: 'address is not whitelisted for this key' },
  headers: { 'x-request-id': 'REQ-77' },
}
const refused =
  'The quoting service refused, for a reason this version does not know: 131099 "address is not whitelisted for this key" (request REQ-77).'
const malformed = {
  answer: { body: { success: true, orders: 7 }, headers: { 'x-request-id': 'REQ-78' } },
  says: /^The quoting service sent an answer that breaks its own contract: \S+ ".+" \(request REQ-78\)\.$/,
}

/** The file of the fork, on this service, with one strategy that wants to swap at once. */
function fileOn(url: string, name: string): string {
  const path = join(fork.dataDir, `${name}.yaml`)
  const text = readFileSync(fork.ready.config, 'utf8')
    .replace(fork.ready.serviceUrl, url)
    .replaceAll('ballast.db', `${name}.db`)
    .replace(
      /strategies:\n(?: {2}.*\n)+/,
      'strategies:\n  - { name: seller, use: threshold, params: { sell: 1 WETH, buy: USDC, price: 1 USDC, every: 2s } }\n',
    )
  writeFileSync(path, text)
  return path
}
const env = () => ({ RPC_URL: fork.ready.rpcUrl })
const ballast = (config: string, clock = systemClock) => {
  const call = { environment: env(), cwd: fork.dataDir, clock }
  return (...args: string[]) => callCli([...args, '--config', config], call)
}
const swap = ['swap', '--sell', '1 WETH', '--buy', 'USDC', '--floor', '1 USDC'] as const

test('swap and dry-run repeat why the service declined, for a person and as facts', async () => {
  await using service = await startDecliningService(fork.ready.serviceUrl, refusal)
  const call = ballast(fileOn(service.url, 'previews'))
  for (const [name, args] of [
    ['manual', swap],
    ['seller', ['dry-run']],
  ] as const) {
    const { code, stdout } = await call(...args, '--json')
    expect(code).toBe(4)
    expect(JSON.parse(stdout).results).toMatchObject([
      {
        ...{ outcome: 'unavailable', code: 'QUOTE_REFUSED', reason: refused },
        facts: {
          ...{ status: 200, apiCode: '131099', requestId: 'REQ-77' },
          apiMessage: 'address is not whitelisted for this key',
        },
      },
    ])
    expect((await call(...args)).stdout).toContain(`UNAVAILABLE  ${name}: ${refused}\n`)
  }
})

test('dry-run leads to the command that shows the answer, which doctor does not request', async () => {
  await using service = await startDecliningService(fork.ready.serviceUrl, refusal)
  const config = fileOn(service.url, 'next')
  const call = ballast(config)
  const words = `ballast quote --sell '1 WETH' --buy USDC --firm --config '${config}'`
  const lineOf = async () => (await call('dry-run')).stdout.trimEnd().split('\n').at(-1)
  expect(await lineOf()).toBe(`Next: ${words}, which shows what the quoting service answers`)
  const shown = await call('quote', '--sell', '1 WETH', '--buy', 'USDC', '--firm')
  expect(shown.stderr).toContain('apiMessage: address is not whitelisted for this key')
  expect((await call('doctor')).stdout).toContain('no firm quote was requested')
  writeFileSync(config, readFileSync(config, 'utf8').replace(service.url, 'http://127.0.0.1:1'))
  expect(await lineOf()).toBe(
    `Next: ballast doctor --config '${config}', which names what cannot be reached`,
  )
})

test('an answer that breaks the contract is named by its field', async () => {
  await using service = await startDecliningService(fork.ready.serviceUrl, malformed.answer)
  const call = ballast(fileOn(service.url, 'malformed'))
  const { results } = JSON.parse((await call(...swap, '--json')).stdout)
  expect(results).toMatchObject([
    {
      ...{ code: 'QUOTE_MALFORMED', reason: expect.stringMatching(malformed.says) },
      facts: { field: expect.any(String), reason: expect.any(String), requestId: 'REQ-78' },
    },
  ])
})

test('a live swap leaves the reason in the journal', async () => {
  await using service = await startDecliningService(fork.ready.serviceUrl, refusal)
  const config = fileOn(service.url, 'live')
  const { code, stdout } = await runBallast([...swap, '--live', '--json', '--config', config], {
    env: env(),
  })
  expect(code, stdout).toBe(4)
  expect(JSON.parse(stdout).results).toMatchObject([{ reason: refused }])
  const { swaps } = JSON.parse((await ballast(config)('history', '--json')).stdout)
  expect(swaps).toMatchObject([{ state: 'ABANDONED', code: 'QUOTE_REFUSED', reason: refused }])
})

test('an unattended bot has the reason on its lines, in its log and in its books', async () => {
  await using service = await startDecliningService(fork.ready.serviceUrl, refusal)
  const config = fileOn(service.url, 'unattended')
  const bot = startBallast(['run', '--paper', '--port', '0', '--config', config], { env: env() })
  await bot.says(/^ABANDONED seller: .*$/m)
  await bot.warns('"code":"QUOTE_REFUSED"')
  bot.child.kill('SIGTERM')
  const { stdout, stderr } = await bot.ended
  expect(stdout).toContain(`for USDC: ${refused} (QUOTE_REFUSED)\n`)
  const logged = stderr.split('\n').filter((line) => line.includes('"code":"QUOTE_REFUSED"'))
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({
    ...{ level: 40, strategy: 'seller', msg: refused },
    facts: { apiCode: '131099', requestId: 'REQ-77' },
  })
  const { stdout: story } = await ballast(config)('explain', 'seller', '--paper')
  expect(story.replace(/\s+/g, ' ')).toContain(refused)
  const later = { ...systemClock, now: () => systemClock.now() + 2 * hourMs }
  const { stdout: status } = await ballast(config, later)('status', '--paper', '--json')
  expect(JSON.parse(status).attention).toContainEqual(
    expect.objectContaining({
      code: 'SWAP_UNDONE',
      sentence: expect.stringContaining(`nothing settled: ${refused} (QUOTE_REFUSED).`),
    }),
  )
})

test('a key that the service repeats stays a secret', async () => {
  const key = 'quote-key-of-the-treasury-77'
  await using service = await startDecliningService(fork.ready.serviceUrl, {
    body: { success: false, code: 131099, errorMessage: `${key} may not quote` },
    headers: { 'x-request-id': key },
  })
  const call = { environment: { ...env(), QUOTE_API_KEY: key }, cwd: fork.dataDir }
  const config = fileOn(service.url, 'repeats')
  const { stdout } = await callCli([...swap, '--json', '--config', config], call)
  expect(stdout).not.toContain(key)
  expect(JSON.parse(stdout).results).toMatchObject([
    { reason: expect.stringContaining('131099 "[secret] may not quote" (request [secret]).') },
  ])
})
