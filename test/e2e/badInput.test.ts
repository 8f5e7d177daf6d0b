import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'
import { runBallast } from '../support/runBallast.ts'

let fork: Fork
let proxy: Awaited<ReturnType<typeof startRpcProxy>>
beforeAll(async () => {
  fork = await forkOrigin()
  proxy = await startRpcProxy(fork.ready.rpcUrl)
})
afterAll(async () => {
  expect(proxy.count('eth_sendRawTransaction')).toBe(0)
  await proxy.close()
  await fork.close()
})

/** The written configuration with one thing wrong. */
function spoiled(from: string | RegExp, to: string): string {
  const text = readFileSync(fork.ready.config, 'utf8')
  expect(text).toMatch(from)
  const path = join(fork.dataDir, 'spoiled.yaml')
  writeFileSync(path, text.replace(from, to))
  return path
}
/** The written configuration in a folder of its own, without the `.env` that holds the key. */
function keyless(): string {
  const folder = join(fork.dataDir, 'keyless')
  mkdirSync(folder, { recursive: true })
  copyFileSync(fork.ready.config, join(folder, 'ballast.yaml'))
  return join(folder, 'ballast.yaml')
}
/** What a bot that is to trade says of it, and how it ends. */
const live = (config: string, env: Record<string, string> = {}) =>
  callCli(['swap', '--sell', '1 WETH', '--buy', 'USDC', '--live', '--config', config], {
    ...{ environment: { RPC_URL: proxy.url, ...env }, cwd: '/' },
  })

describe('bad input: one clear sentence, the right exit code, nothing signed', () => {
  const configurations: Record<string, [from: string | RegExp, to: string, says: RegExp]> = {
    'a missing key': ['  maxGas: "1500000"\n', '', /spoiled\.yaml:\d+:\d+.*maxGas/s],
    'an unknown key': [
      'maxGas:',
      'maxGass:',
      /spoiled\.yaml:\d+:\d+.*maxGass.*did you mean.*maxGas/is,
    ],
    'a wrong unit': ['maxFee: 10 bps', 'maxFee: 0.1 %', /spoiled\.yaml:\d+:\d+.*write '10 bps'/s],
    'an address with a bad checksum': [
      /feeSigner: "0x3C/,
      'feeSigner: "0x3c',
      /spoiled\.yaml:\d+:\d+.*checksum.*0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC/s,
    ],
    'a token the file does not know': [
      'tokens: [ETH, WETH',
      'tokens: [ETH, WETHH, WETH',
      /spoiled\.yaml:\d+:\d+.*WETHH.*did you mean WETH/is,
    ],
    'a wrong chain id': [
      'chainId: 31337',
      'chainId: 31338',
      /serves chain 31337.*spoiled\.yaml:\d+:\d+.*31338/s,
    ],
  }
  for (const [name, [from, to, says]] of Object.entries(configurations))
    test(name, async () => {
      const { code, stdout, stderr } = await live(spoiled(from, to))
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(says)
      expect(stderr).not.toMatch(/\n\s+at /)
    })

  test('a token the chain does not know', async () => {
    const nowhere = '0x00000000000000000000000000000000000000c9'
    const config = spoiled(/USDC: \{ address: "0x\w+"/, `USDC: { address: "${nowhere}"`)
    const { code, stderr } = await live(config)
    expect(code).toBe(2)
    expect(stderr).toMatch(/USDC.*spoiled\.yaml:\d+:\d+/s)
  })

  test('an unreachable chain', async () => {
    const { code, stderr } = await live(fork.ready.config, { RPC_URL: 'http://127.0.0.1:9' })
    expect(code).toBe(4)
    expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:9 cannot be reached/)
  })

  test('a floor without a token: the example names the one that is bought', async () => {
    const { code, stderr } = await runBallast(
      [
        'swap',
        '--sell',
        '1 WETH',
        '--buy',
        'USDC',
        '--floor',
        '2990',
        '--config',
        fork.ready.config,
      ],
      { env: { RPC_URL: proxy.url } },
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining("write '2990 USDC'")])
  })

  test('an unreachable service', async () => {
    const { code, stderr } = await live(fork.ready.config, { QUOTE_API_URL: 'http://127.0.0.1:9' })
    expect(code).toBe(4)
    expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:9 cannot be reached/)
  })

  test('a port in use', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const { code, stderr } = await runBallast(
      ['run', '--port', String(port), '--config', fork.ready.config],
      { env: { RPC_URL: proxy.url } },
    )
    taken.close()
    expect(code).toBe(2)
    expect(stderr).toContain(`Port ${port} is in use`)
  })

  test('a missing key for a live swap', async () => {
    const { code, stderr } = await live(keyless())
    expect(code).toBe(2)
    expect(stderr).toMatch(/WALLET_KEY/)
  })

  test('the key of another wallet', async () => {
    const { code, stderr } = await live(fork.ready.config, { WALLET_KEY: `0x${'7'.repeat(64)}` })
    expect(code).toBe(2)
    expect(stderr).toMatch(/does not belong to the configured wallet/)
  })

  const amounts: Record<string, [sell: string, buy: string]> = {
    'an amount without a token': ['1', 'USDC'],
    'an amount with too many decimals': ['1.0000001 USDC', 'WETH'],
    'a token for itself': ['1 WETH', 'WETH'],
    'a token nobody configured': ['1 WETH', 'USDT'],
    'a negative amount': ['-1 WETH', 'USDC'],
  }
  for (const [name, [sell, buy]] of Object.entries(amounts))
    test(name, async () => {
      const args = ['swap', `--sell=${sell}`, '--buy', buy, '--live', '--json']
      const { code, stdout } = await callCli([...args, '--config', fork.ready.config], {
        ...{ environment: { RPC_URL: proxy.url }, cwd: '/' },
      })
      expect(code).toBe(2)
      expect(JSON.parse(stdout).error.message.length).toBeGreaterThan(10)
    })
})
