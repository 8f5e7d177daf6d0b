import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createSigner } from '../../src/bot/sign/createSigner.ts'
import { openProcessSigner } from '../../src/bot/sign/process/openProcessSigner.ts'
import { key, oneWeth, swapOf, wallet } from '../bot/sign/process/signerCase.ts'
import { router, usdc, weth } from '../bot/verify/goodQuote.ts'
import { runBallast, startBallast } from '../support/runBallast.ts'
import { expectGolden } from './expectGolden.ts'
import { masked } from './masked.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-signer-'))
  chmodSync(cwd, 0o700)
  writeFileSync(
    join(cwd, 'signer.yaml'),
    `chainId: 31337
wallet: "${wallet}"
key: { kind: environment }
socket: ./signer.sock
router: "${router}"
feeSigner: unchecked
makers: [unchecked]
tokens:
  WETH: { address: "${weth.address}", decimals: 18, perTransaction: "1", perDay: "2" }
  USDC: { address: "${usdc.address}", decimals: 6 }
maxGas: 500000
maxGasPrice: 100 wei
`,
  )
})

const start = () => startBallast(['signer', '--json'], { cwd, env: { WALLET_KEY: key } })

async function sign(nonce: number) {
  const holder = await openProcessSigner({ socket: join(cwd, 'signer.sock') })
  const transaction = { ...swapOf({ call: { amountIn: oneWeth } }), nonce }
  return createSigner(holder, wallet).sign({ swapId: 'swap-1', kind: 'SWAP', transaction })
}

describe('ballast signer', () => {
  test('signs up to its limit, over SIGKILL and restart, and says what it did without the key', async () => {
    const first = start()
    expect(JSON.parse(await first.says(/\}\n/))).toEqual({
      ready: true,
      address: wallet,
      socket: join(cwd, 'signer.sock'),
      countFile: join(cwd, 'signer.count'),
      unchecked: ['feeSigner', 'makers', 'minimumPrices'],
    })
    expect(statSync(join(cwd, 'signer.sock')).mode & 0o777).toBe(0o600)
    await sign(1)
    first.child.kill('SIGKILL')
    await first.ended

    const second = start()
    await second.says(/\}\n/)
    await sign(2)
    await expect(sign(3)).rejects.toMatchObject({
      code: 'SIGNER_REFUSED',
      facts: { rule: 'ABOVE_PER_DAY' },
    })
    // Two of one wallet would each count their own day.
    const third = await startBallast(['signer', '--json'], { cwd, env: { WALLET_KEY: key } }).ended
    expect([third.code, JSON.parse(third.stdout).error.code]).toEqual([5, 'SIGNER_RUNNING'])

    second.child.kill('SIGTERM')
    const { code, stdout, stderr } = await second.ended
    expect(code).toBe(0)
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { answered: 'signed', kind: 'SWAP', sold: '1 WETH' },
      { answered: 'refused', rule: 'ABOVE_PER_DAY' },
    ])
    expect(stdout + stderr).not.toContain(key.slice(2, 20))
  })

  test('says at start what it does not check', async () => {
    const one = startBallast(['signer'], { cwd, env: { WALLET_KEY: key } })
    await one.says(/Ctrl-C/)
    one.child.kill('SIGTERM')
    await expectGolden('signer', masked(await one.ended), { folder: cwd })
  })

  test('a key of another wallet does not start', async () => {
    const env = { WALLET_KEY: `0x${'4'.repeat(64)}` }
    const { code, stdout } = await runBallast(['signer', '--json'], { cwd, env })
    expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'WALLET_KEY_MISMATCH'])
  })

  test('loads only these packages: whatever is in the process can read the key', async () => {
    const hook = `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  appendFileSync(${JSON.stringify(join(cwd, 'loaded'))}, url + '\\n')
  return next(url, context)
} })`
    writeFileSync(join(cwd, 'hook.mjs'), hook)
    const main = new URL('../../src/main.ts', import.meta.url).pathname
    const argv = ['--import', join(cwd, 'hook.mjs'), main, 'signer', '--json']
    const child = spawn(process.execPath, argv, { cwd, env: { WALLET_KEY: key } })
    await once(child.stdout, 'data')
    await sign(1)
    child.kill('SIGTERM')
    await once(child, 'exit')
    const urls = readFileSync(join(cwd, 'loaded'), 'utf8').trim().split('\n')
    const packages = urls.flatMap((url) => {
      const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
      return name === undefined ? [] : [name]
    })
    expect([...new Set(packages)].sort()).toEqual([
      '@noble/ciphers',
      '@noble/curves',
      '@noble/hashes',
      '@scure/base',
      '@scure/bip32',
      '@scure/bip39',
      'abitype',
      'commander',
      'dotenv',
      'ox',
      'viem',
      'yaml',
      'zod',
    ])
    const own = urls.filter((url) => url.includes('/src/'))
    expect(own.filter((url) => /\/src\/(?:service|sandbox|dashboard|api)\//.test(url))).toEqual([])
    expect(own.filter((url) => url.includes('/http.ts') || url.includes('/rpc/'))).toEqual([])
  })
})
