import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { getBlock } from '../../src/chain/calls/node.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import type { ReadyDocument } from '../../src/sandbox/readyDocument.ts'
import { expectGolden } from '../cli/expectGolden.ts'
import { masked } from '../cli/masked.ts'
import { ask } from '../support/ask.ts'
import { balanceOf } from '../support/balanceOf.ts'
import { runBallast, startBallast } from '../support/runBallast.ts'
import { settleQuote } from '../support/settleQuote.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'ballast-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fixed = fileURLToPath(new URL('../../src/sandbox/fixed.yaml', import.meta.url))

const start = (args: readonly string[]) => started(startBallast(['sandbox', '--json', ...args]))
const started = async (ballast: ReturnType<typeof startBallast>) => {
  const line = await ballast.says('\n')
  const ready = JSON.parse(line) as ReadyDocument
  return { ...ballast, ready, line }
}

const answers = (url: string) =>
  fetch(url, { method: 'POST', body: '{}' }).then(
    () => true,
    () => false,
  )
const gone = (url: string) => until(async () => !(await answers(url)))
const sellOne = async ({ serviceUrl, tokens, wallets }: ReadyDocument) => {
  const { body } = await ask(serviceUrl, 'firm-quote', {
    chain: 'local',
    token_in: tokens.WETH?.address,
    token_out: tokens.USDC?.address,
    amount: '1',
    from_address: wallets.treasury?.address,
  })
  return body
}

describe('sandbox --fork-url', () => {
  const key = 'aKeyOf20Characters00'
  test.each([
    ['a URL', `http://127.0.0.1:9/v2/${key}`],
    ['a URL with a block', `http://127.0.0.1:9/v2/${key}@17`],
    ['a URL without its scheme', `127.0.0.1:9/v2/${key}`],
    [
      'a URL in which the words of anvil are cut',
      `http://127.0.0.1:9/${'x/'.repeat(440)}${key.repeat(20)}`,
    ],
  ])('%s that does not answer: its key is not printed', async (_, url) => {
    const dataDir = join(folder, 'forked')
    const ended = await runBallast(['sandbox', '--data-dir', dataDir, '--fork-url', url])
    expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('[secret]') })
    expect(JSON.stringify(ended)).not.toContain(key)
  })
})

describe('sandbox --json', () => {
  test('the default world: one line, a market that answers, and nothing left behind', async () => {
    const dataDir = join(folder, 'default')
    const { ready, line, child, ended } = await start(['--data-dir', dataDir])
    expect(line.trimEnd()).not.toContain('\n')
    expect(ready).toMatchObject({
      ready: true,
      chain: 'local',
      chainId: 31337,
      apiKey: '',
      config: join(dataDir, 'ballast.yaml'),
      tokens: { WETH: { decimals: 18 }, USDC: { decimals: 6 }, WBTC: { decimals: 8 } },
    })
    const { body: rows } = await ask(ready.serviceUrl, 'orderbook', { chain: 'local' })
    // Two pairs, both sides, and the asks once more as bids for their quote token.
    expect(rows).toHaveLength(6)
    expect(await sellOne(ready)).toMatchObject({ success: true, source: 'maker-a' })
    const written = readFileSync(ready.config, 'utf8')
    expect(written).toContain(ready.router)
    await expect(
      written.replaceAll(/0x[0-9a-fA-F]{40,64}/g, '0x…').replaceAll(/:\d{4,5}\b/g, ':PORT'),
    ).toMatchFileSnapshot('golden/ballast.yaml')
    expect(statSync(join(dataDir, '.env')).mode & 0o777).toBe(0o600)

    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0 })
    await gone(ready.rpcUrl)
  })

  test('the chain goes on after a restart, and after being killed, one at a time', async () => {
    const args = ['--data-dir', join(folder, 'kept'), '--world', fixed]
    const first = await start(args)
    const { treasury } = first.ready.wallets
    const usdc = first.ready.tokens.USDC
    if (treasury === undefined || usdc === undefined) throw new Error('not the fixed world')
    const rpc = createRpc({ url: first.ready.rpcUrl })
    const { receipt } = await settleQuote(rpc, {
      quote: await sellOne(first.ready),
      privateKey: treasury.privateKey,
    })
    expect(receipt.success).toBe(true)
    await rpc.close()
    // While it runs nobody else may use its directory, and once it is killed the next one waits for its chain.
    const intruder = startBallast(['sandbox', '--json', ...args])
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    first.child.kill('SIGKILL')
    await first.ended
    const second = await started(intruder)
    await gone(first.ready.rpcUrl)
    expect(second.ready.router).toBe(first.ready.router)
    const after = createRpc({ url: second.ready.rpcUrl })
    expect(await balanceOf(after, usdc.address, treasury.address)).toBe(253_000n * 10n ** 6n)
    expect((await after.request(getBlock('latest')))?.number).toBeGreaterThanOrEqual(
      receipt.blockNumber,
    )
    // The ids of before the restart are spent; new ones settle.
    const again = await settleQuote(after, {
      quote: await sellOne(second.ready),
      privateKey: treasury.privateKey,
    })
    expect(again.receipt.success).toBe(true)
    await after.close()
    second.child.kill('SIGTERM')
    expect(await second.ended).toMatchObject({ code: 0 })
    await gone(second.ready.rpcUrl)

    // A chain that is gone ends the sandbox, which says so.
    const orphan = await start(args)
    const [chain] = readFileSync(join(folder, 'kept', 'chain.pid'), 'utf8').split('\n')
    process.kill(Number(chain), 'SIGKILL')
    const bereft = await orphan.ended
    expect([bereft.code, JSON.parse(bereft.stdout.slice(orphan.line.length))]).toMatchObject([
      4,
      { error: { code: 'CHAIN_ENDED' } },
    ])

    const third = startBallast(['sandbox', ...args])
    await third.says('Ctrl-C')
    third.child.kill('SIGTERM')
    await expectGolden('sandbox', masked(await third.ended), { folder })

    // Another world does not overwrite this one.
    const other = startBallast(['sandbox', '--json', '--data-dir', join(folder, 'kept')])
    const { code, stdout } = await other.ended
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'OTHER_WORLD' } })
  })

  test('a port in use is one sentence and exit code 2', async () => {
    const busy = createServer()
    const port = await new Promise<number>((resolve) => {
      busy.listen(0, '127.0.0.1', () => resolve((busy.address() as { port: number }).port))
    })
    try {
      for (const flag of ['--port', '--rpc-port']) {
        const args = ['sandbox', flag, String(port), '--data-dir', join(folder, flag)]
        const { code, stderr } = await startBallast(args).ended
        expect({ flag, code }).toEqual({ flag, code: 2 })
        expect(stderr).toContain(`Port ${port} is in use.`)
      }
    } finally {
      busy.close()
    }
  })

  test('a broken world is refused with file and line', async () => {
    const file = join(folder, 'broken.yaml')
    writeFileSync(file, 'chain: { name: local }\n')
    const { code, stderr } = await startBallast(['sandbox', '--world', file]).ended
    expect(code).toBe(2)
    expect(stderr).toContain('broken.yaml:1:')
  })
})
