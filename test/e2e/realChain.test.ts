import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { isMap, isScalar, type ParsedNode, parseDocument, visit } from 'yaml'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { transact } from '../support/transact.ts'

let fork: Fork
let folder: string
beforeAll(async () => {
  fork = await forkOrigin()
  folder = join(fork.dataDir, 'real-chain')
  mkdirSync(join(folder, 'bin'), { recursive: true })
})
afterAll(() => fork.close())

/** The code blocks of a section, in order. */
function blocksOf(title: string, page = 'docs/REAL-CHAIN.md') {
  const text = readFileSync(page, 'utf8')
  const [, body = ''] = text.split(`\n## ${title}\n`)
  return [...(body.split(/^## /m)[0] ?? '').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', code = '']) => ({ language, code }),
  )
}

/** What a person types into one terminal, and what it shows. */
function openTerminal() {
  const main = process.env.BALLAST_RELEASE ?? new URL('../../src/main.ts', import.meta.url).pathname
  const program = `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`
  writeFileSync(join(folder, 'bin/ballast'), program, { mode: 0o755 })
  const PATH = `${join(folder, 'bin')}:${process.env.PATH ?? ''}`
  const { HOME = '/', TMPDIR = '/tmp' } = process.env
  const bash = spawn('bash', ['--norc'], { cwd: folder, env: { PATH, HOME, TMPDIR } })
  let shown = ''
  bash.stdout.on('data', (chunk) => {
    shown += chunk
  })
  bash.stdin.write('exec 2>&1\n')
  const untilShown = async (text: RegExp, from: number) => {
    await expect.poll(() => shown.slice(from)).toMatch(text)
    return shown.slice(from)
  }
  let count = 0
  return {
    async type(code: string): Promise<string> {
      const from = shown.length
      count += 1
      for (const line of code.trim().split('\n'))
        bash.stdin.write(
          line.endsWith('&')
            ? `${line}\n`
            : `${line} || echo "FAILED $?: ${line.replace(/["$`\\]/g, '')}"\n`,
        )
      bash.stdin.write(`echo "END ${count}"\n`)
      const output = await untilShown(new RegExp(`^END ${count}$`, 'm'), from)
      expect(output).not.toContain('FAILED')
      return code.includes(' &\n') ? untilShown(/^(?:Ctrl-C|ballast:)/m, from) : output
    },
    async close() {
      bash.stdin.end('kill $(jobs -p); wait\n')
      await new Promise((resolve) => bash.once('close', resolve))
    },
  }
}

/** Every line the page shows, with … for what differs, is in what was shown. */
function expectShown(expected: string, output: string): void {
  const escaped = (text: string) => text.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  for (const line of expected
    .trimEnd()
    .split('\n')
    .filter((one) => one !== '…')) {
    const pattern = escaped(line).replace(/…/g, '.*').replace(/\s+/g, '\\s+')
    expect(output).toMatch(new RegExp(pattern))
  }
}

type Filled = Readonly<Record<string, unknown>>

/** Puts the sections of the page into a file, with every … filled in; a file that is there keeps its other sections. */
function fillIn(code: string, filled: Filled): void {
  const [, name = '', yaml = ''] = /^# (\S+)\n([\s\S]*)$/.exec(code) ?? []
  const page = parseDocument(yaml)
  for (const [path, value] of Object.entries(filled))
    if (page.hasIn(path.split('.'))) page.setIn(path.split('.'), value)
  visit(page, {
    Scalar(_, { value }) {
      if (typeof value === 'string') expect(value, `${name} leaves a blank`).not.toContain('…')
    },
  })
  const file = join(folder, name)
  const whole = existsSync(file) ? parseDocument(readFileSync(file, 'utf8')) : page
  const merge = (node: ParsedNode | null, path: readonly string[]): void => {
    if (!isMap(node)) return void whole.setIn(path, node)
    for (const { key, value } of node.items) {
      const at = [...path, String(isScalar(key) ? key.value : key)]
      // Policy keeps its limits; any other section is the page's.
      if (at.join('.') === 'policy') merge(value as ParsedNode, at)
      else whole.setIn(at, value)
    }
  }
  merge(page.contents as ParsedNode, [])
  writeFileSync(file, whole.toString({ lineWidth: 0 }))
}

const addressIn = (keystore: string): `0x${string}` =>
  `0x${JSON.parse(readFileSync(join(folder, keystore), 'utf8')).address.replace(/^0x/, '')}`

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

const pay = (account: `0x${string}`) => fork.rpc.request(anvilCalls.setBalance(account, 10n ** 18n))

async function give(symbol: string, to: `0x${string}`, wei: bigint) {
  const token = fork.ready.tokens[symbol]?.address ?? '0x'
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, wei] })
  const privateKey = fork.ready.wallets.treasury?.privateKey ?? '0x'
  expect(await transact(fork.rpc, { privateKey, to: token, data })).toMatchObject({ success: true })
}

/** The values of this chain for the blanks of the page. */
function chainValues(): Filled {
  const { feeds } = inject('origin').deployment
  const { ready } = fork
  return {
    ...{ 'chain.name': ready.chain, 'chain.chainId': ready.chainId, 'chain.blockTime': '1s' },
    'chain.confirmations': 1,
    'chain.rpcUrl': ready.rpcUrl,
    'tokens.WETH.address': ready.tokens.WETH?.address,
    'tokens.USDC.address': ready.tokens.USDC?.address,
    'widgetFee.recipient': ready.feeSigner.address,
    'policy.references.0.address': feeds.WETH,
    'policy.references.1.address': feeds.USDC,
  }
}

test('docs/REAL-CHAIN.md, word by word: from no router to a settled swap', async () => {
  const port = await freePort()
  const terminal = openTerminal()
  let output = ''
  let printed: Filled = {}
  try {
    for (const { language, code: written } of blocksOf('2. A desk of your own')) {
      const code = written.replaceAll('8788', String(port))
      if (language === 'yaml') {
        const keystore = code.startsWith('# bot') ? 'bot/treasury.json' : 'deployer/deployer.json'
        const wallet = existsSync(join(folder, keystore)) ? addressIn(keystore) : undefined
        fillIn(code, { ...chainValues(), ...printed, 'wallet.address': wallet })
      } else if (language === 'sh') {
        if (code.includes('--maker desk --live')) {
          const [, maker = ''] = /^maker\s+(0x\w{40}) holds 0 ETH/m.exec(output) ?? []
          await pay(addressIn('deployer/deployer.json'))
          await pay(maker as `0x${string}`)
          await give('USDC', maker as `0x${string}`, 10_000_000_000n)
        }
        if (code.includes('ballast doctor')) {
          await pay(addressIn('bot/treasury.json'))
          await give('WETH', addressIn('bot/treasury.json'), 10n ** 18n)
        }
        output = await terminal.type(
          code.replace('OWNER=0x…', `OWNER=${fork.ready.wallets.treasury?.address}`),
        )
        const [, service] = /^(service:\n[\s\S]*?)\n\n/m.exec(output) ?? []
        if (service !== undefined) {
          const lines = parseDocument(service).toJS().service as Filled
          const named = Object.entries(lines).map(([key, value]) => [`service.${key}`, value])
          printed = { router: lines.router, executor: lines.executor, ...Object.fromEntries(named) }
        }
      } else expectShown(code, output)
    }
  } finally {
    await terminal.close()
  }
})

test('docs/FOREIGN-ROUTERS.md: the keys of an opaque service are right', async () => {
  const [{ code } = { code: '' }] = blocksOf(
    'A service whose router cannot be read',
    'docs/FOREIGN-ROUTERS.md',
  )
  mkdirSync(join(folder, 'opaque'))
  const cwd = join(folder, 'opaque')
  expect((await callCli(['config', 'init'], { cwd })).code).toBe(0)
  const address = fork.ready.router
  fillIn(code, {
    'service.url': 'https://quotes.example',
    'service.router': address,
    'service.routerCodeHash': `0x${'ab'.repeat(32)}`,
  })
  const file = join(cwd, 'ballast.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('FILL IN', address))
  expect(await callCli(['config', 'check'], { cwd })).toMatchObject({ code: 0 })
})
