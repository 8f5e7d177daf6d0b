import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import runtimePackages from './runtimePackages.json' with { type: 'json' }
import { forkOrigin } from './support/forkOrigin.ts'
import { writeDesk } from './support/writeDesk.ts'

const config = `
chain: { name: local, chainId: 31337, currency: ETH, rpcUrl: "http://127.0.0.1:1", confirmations: 1 }
service:
  url: http://127.0.0.1:1
  router: "0x00000000000000000000000000000000000000a1"
  routerCodeHash: "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
  executor: "0x00000000000000000000000000000000000000a2"
  feeSigner: "0x00000000000000000000000000000000000000a3"
  makers: ["0x00000000000000000000000000000000000000a4"]
tokens:
  WETH: { address: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", decimals: 18, wrapsNative: true }
  USDC: { address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", decimals: 6 }
wallet: { name: treasury, address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" }
quote: { expiry: 30s, slippage: 10 bps, timeout: 3s }
policy:
  tokens: [WETH, USDC]
  pairs: [WETH/USDC]
  recipients: []
  perSwap: [1 WETH, 3000 USDC]
  perDay: [5 WETH, 15000 USDC]
  notional: { perSwap: 5000 USD, perHour: 5000 USD, perDay: 20000 USD, perStrategy: 20000 USD }
  maxDeviation: 100 bps
  maxGasCost: 50 bps
  maxSlippage: 50 bps
  maxFee: 10 bps
  maxGasPrice: 100 gwei
  maxGas: 1500000
  minTimeToDeadline: 8s
strategies:
  - name: sell-strength
    use: threshold
    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }
  - { name: mine, use: mine, params: { sell: 1 WETH, buy: USDC } }
database: sqlite:./ballast.db
dashboard: { host: 127.0.0.1, port: 8787 }
logLevel: info
`

const mine = `
import { type Amount, amountOf, defineStrategy, type Token, wait } from '#strategy'

export default defineStrategy<{ readonly sell: Amount; readonly buy: Token }>({
  name: 'mine',
  summary: 'A strategy that came after the release.',
  params: (fields) => fields.trade({}),
  schedule: () => ({ kind: 'every', seconds: 5 }),
  watch: ({ sell, buy }) => [{ sell, buy }],
  decide: ({ params }) => wait(String(amountOf(params.buy, '1').wei)),
})
`

/** Away from the repository, so that no node_modules is above it. */
const home = mkdtempSync(join(tmpdir(), 'release-'))
const elsewhere = join(home, 'elsewhere')

function ballast(...words: readonly (string | { readonly env: Record<string, string> })[]) {
  const program = join(home, 'app', 'ballast.mjs')
  const argv = words.filter((word) => typeof word === 'string')
  const [{ env } = { env: {} }] = words.filter((word) => typeof word !== 'string')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...argv], {
    cwd: elsewhere,
    env,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('the release', () => {
  beforeAll(() => {
    mkdirSync(elsewhere)
    // Without what an operator has installed beside it.
    cpSync(dirname(process.env.BALLAST_RELEASE ?? ''), join(home, 'app'), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    })
    writeFileSync(join(home, 'app', 'strategies', 'mine.ts'), mine)
    writeFileSync(join(elsewhere, 'ballast.yaml'), config)
  })
  afterAll(() => rmSync(home, { recursive: true }))

  test('runs from a folder without packages', () => {
    expect(ballast('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('dry-run'),
      stderr: '',
    })
  })

  test('is built over a release alone, and leaves what was installed beside it', async () => {
    const folder = join(home, 'built')
    const build = () =>
      spawnSync(process.execPath, ['scripts/build.ts', folder], { encoding: 'utf8' })
    mkdirSync(folder)
    writeFileSync(join(folder, 'ballast.db'), 'a journal')
    const refused = build()
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`${folder} has files that are no release: name an empty folder.`),
    ])
    expect(readdirSync(folder)).toEqual(['ballast.db'])
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'ballast-bot' }))
    mkdirSync(join(folder, 'node_modules'))
    expect(build().status).toBe(0)
    expect(readdirSync(folder)).not.toContain('ballast.db')
    expect(readdirSync(folder)).toContain('node_modules')
  })

  test('ends with one sentence under an older Node than package.json allows', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
    const least = Number(engines.node.replace('>=', ''))
    const older = `${least - 1}.11.1`
    const pretend = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '${older}' })`
    expect(ballast('--version', { env: { NODE_OPTIONS: `--import="${pretend}"` } })).toEqual({
      status: 2,
      stdout: '',
      stderr: `ballast: Node ${older} is too old. Install Node ${least} or newer, from nodejs.org or your system.\n`,
    })
  })

  test('loads its strategies, and one that was added to it', () => {
    expect(ballast('config', 'check', '--json')).toMatchObject({ status: 0, stderr: '' })
    expect(ballast('config', 'check').stdout).toContain('A strategy that came after the release.')
  })

  test('strips no types of a strategy that it ships, and runs the text of one that was changed', () => {
    const file = join(home, 'app', 'strategies', 'threshold.ts')
    const text = readFileSync(file, 'utf8')
    const shippedOnly = join(elsewhere, 'shipped.yaml')
    writeFileSync(shippedOnly, config.replace(/.*use: mine.*\n/, ''))
    const told = `data:text/javascript,process.on('exit', () => {
      console.error(process.moduleLoadList.some((name) => name.endsWith('/amaro/dist/index')))
    })`
    const check = () =>
      ballast('config', 'check', '--config', shippedOnly, {
        env: { NODE_OPTIONS: `--import="${told.replaceAll(/\s+/g, ' ')}"` },
      })
    expect(check()).toMatchObject({ status: 0, stderr: 'false\n' })
    writeFileSync(file, text.replace(/summary: '[^']*'/, "summary: 'Another text.'"))
    try {
      expect(check()).toMatchObject({
        ...{ status: 0, stderr: 'true\n' },
        stdout: expect.stringContaining('Another text.'),
      })
    } finally {
      writeFileSync(file, text)
    }
  })

  test('brings the bill of its materials: every runtime package with its hash', () => {
    const { components } = JSON.parse(readFileSync(join(home, 'app', 'sbom.cdx.json'), 'utf8')) as {
      components: { name: string; hashes?: { alg: string }[] }[]
    }
    expect([...new Set(components.map(({ name }) => name))].sort()).toEqual(runtimePackages)
    for (const { hashes } of components)
      expect(hashes).toEqual([expect.objectContaining({ alg: 'SHA-512' })])
  })

  test('has no KMS client in it, and says so in one sentence when one is asked for', () => {
    const signer = (text: string) =>
      writeFileSync(
        join(elsewhere, 'kms.yaml'),
        config.replace(/(wallet: \{.*?) \}/, `$1, signer: ${text} }`),
      )
    const keyName = 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'
    for (const [text, name] of [
      ['{ kind: aws-kms, keyId: alias/a, region: eu-central-1 }', '@aws-sdk/client-kms'],
      [`{ kind: gcp-kms, keyName: ${keyName} }`, '@google-cloud/kms'],
    ] as const) {
      signer(text)
      expect(ballast('key', 'address', '--config', 'kms.yaml')).toEqual({
        status: 2,
        stdout: '',
        stderr: `ballast: wallet.signer needs the package ${name}, which is not installed: npm install ${name} (SIGNER_LIBRARY_MISSING)\n`,
      })
    }
    for (const file of readdirSync(join(home, 'app', 'lib'))) expect(file).not.toMatch(/aws|google/)
  })

  test('makes a keystore and opens it again', () => {
    writeFileSync(join(elsewhere, 'password'), 'correct horse battery staple', { mode: 0o600 })
    const env = { WALLET_PASSWORD_FILE: './password' }
    const made = ballast('key', 'new', '--out', 'key.json', { env })
    expect(made).toMatchObject({ status: 0, stderr: '' })
    writeFileSync(
      join(elsewhere, 'keystore.yaml'),
      config
        .replace('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', made.stdout.trim())
        .replace(/(wallet: \{.*?) \}/, '$1, signer: { kind: keystore, file: ./key.json } }'),
    )
    expect(ballast('key', 'address', '--config', 'keystore.yaml', { env })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('as wallet.address says'),
    })
  })

  test('trades, and serves quotes with their page, as it does from the repository', async () => {
    const fork = await forkOrigin()
    const { file, environment } = writeDesk(fork)
    const program = join(home, 'app', 'ballast.mjs')
    const service = spawn(process.execPath, [program, 'service', '--json', '--config', file], {
      cwd: elsewhere,
      env: environment,
    })
    try {
      const [line] = await once(service.stdout, 'data')
      const { serviceUrl } = JSON.parse(String(line))
      for (const path of ['/docs/', '/docs/static/swagger-ui-bundle.js', '/docs/json'])
        expect((await fetch(serviceUrl + path)).status, path).toBe(200)
      const wish = ['--sell', '1 WETH', '--buy', 'USDC', '--live', '--json']
      const swap = spawn(
        process.execPath,
        [program, 'swap', ...wish, '--config', fork.ready.config],
        {
          cwd: elsewhere,
          env: { QUOTE_API_URL: serviceUrl },
        },
      )
      let stdout = ''
      swap.stdout.on('data', (chunk) => {
        stdout += chunk
      })
      await once(swap, 'close')
      expect(JSON.parse(stdout).results[0]).toMatchObject({ outcome: 'settled' })
    } finally {
      service.kill('SIGTERM')
      await once(service, 'close')
      await fork.close()
    }
  })
})
