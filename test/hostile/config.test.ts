import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'

let fork: Fork
let proxy: Awaited<ReturnType<typeof startRpcProxy>>
let written: string
let key: string
beforeAll(async () => {
  fork = await forkOrigin()
  proxy = await startRpcProxy(fork.ready.rpcUrl)
  written = readFileSync(fork.ready.config, 'utf8')
  key = fork.ready.wallets.treasury?.privateKey ?? ''
})
afterAll(async () => {
  await proxy.close()
  await fork.close()
})

type Ended = { readonly code: number; readonly text: string; readonly json: unknown }

/** What an operator who trades at once sees. Each has a folder, and so a journal, of its own. */
let folders = 0
async function trade({
  yaml = written,
  args = [],
  environment = { WALLET_KEY: key },
  sell = '1 WETH',
  buy = 'USDC',
}: {
  yaml?: string
  args?: readonly string[]
  environment?: Readonly<Record<string, string>>
  sell?: string
  buy?: string
}): Promise<Ended> {
  folders += 1
  const folder = join(fork.dataDir, `operator-${folders}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'ballast.yaml'), yaml)
  const call = (words: readonly string[]) =>
    callCli([...words], { cwd: folder, environment: { ...environment, RPC_URL: proxy.url } })
  const words = ['swap', `--sell=${sell}`, `--buy=${buy}`, '--live', '--json', ...args]
  const { code, stdout, stderr } = await call(words)
  const json = JSON.parse(stdout)
  // A wallet that has traded, and a journal that knows nothing of it: the operator says that he knows.
  if (json.error?.facts?.code === 'JOURNAL_MISSING') {
    expect(await call(['resume', '--reason', 'a folder of my own'])).toMatchObject({ code: 0 })
    const again = await call(words)
    return { code: again.code, text: again.stdout, json: JSON.parse(again.stdout) }
  }
  return { code, text: stdout + stderr, json }
}

/** The one sentence an operator gets, and its code. */
function told({ json }: Ended): { code: string; sentence: string } {
  const { error, results } = json as {
    error?: { code: string; message: string }
    results?: readonly { code: string; reason: string }[]
  }
  const [result] = results ?? []
  return {
    code: error?.code ?? result?.code ?? 'NONE',
    sentence: error?.message ?? result?.reason ?? '',
  }
}

const replaced = (from: string | RegExp, to: string) => {
  expect(written).toMatch(from)
  return written.replace(from, to)
}
const nobody = '0x00000000000000000000000000000000000000c9'

type Careless = {
  readonly exit: 2 | 3
  /** The code, where more than one mistake could be meant. */
  readonly code?: string
  /** What the sentence must speak of. */
  readonly says: RegExp
  readonly yaml?: () => string
  readonly args?: readonly string[]
  readonly environment?: () => Readonly<Record<string, string>>
  readonly sell?: string
  readonly buy?: string
}

const careless: Readonly<Record<string, Careless>> = {
  'half of everything as slippage': {
    exit: 2,
    says: /slippage.*maxSlippage/s,
    yaml: () => replaced('slippage: 10 bps', 'slippage: 5000 bps'),
  },
  'half of everything as slippage, on the command line': {
    exit: 3,
    code: 'POLICY_SLIPPAGE',
    says: /slippage/,
    args: ['--slippage-bps', '5000'],
  },
  'slippage in percent': {
    exit: 2,
    says: /write '10 bps'/,
    yaml: () => replaced('slippage: 10 bps', 'slippage: 0.1 %'),
  },
  'slippage without a unit': {
    exit: 2,
    says: /write '10 bps'/,
    yaml: () => replaced('slippage: 10 bps', 'slippage: 10'),
  },
  'a main network with a plain key': {
    exit: 2,
    says: /development.*main network/,
    yaml: () => replaced('chainId: 31337', 'chainId: 1'),
  },
  '[RPC-14] another chain id than the node’s': {
    exit: 2,
    code: 'WRONG_CHAIN',
    says: /31337.*31338/,
    yaml: () => replaced('chainId: 31337', 'chainId: 31338'),
  },
  'one letter of an address in the wrong case': {
    exit: 2,
    says: /checksum/,
    yaml: () => replaced('feeSigner: "0x3C', 'feeSigner: "0x3c'),
  },
  'an address one digit short': {
    exit: 2,
    says: /address/,
    yaml: () => replaced(/router: "0x(\w{39})\w"/, 'router: "0x$1"'),
  },
  'the address of another token': {
    exit: 2,
    says: /USDC already|DAI already|address of/,
    yaml: () => {
      const dai = fork.ready.tokens.DAI?.address ?? ''
      return replaced(/USDC: \{ address: "0x\w+"/, `USDC: { address: "${dai}"`)
    },
  },
  'a token that is not there': {
    exit: 2,
    code: 'TOKEN_NOT_ON_CHAIN',
    says: /no token USDC/,
    yaml: () => replaced(/USDC: \{ address: "0x\w+"/, `USDC: { address: "${nobody}"`),
  },
  'decimals of another token': {
    exit: 2,
    code: 'TOKEN_NOT_ON_CHAIN',
    says: /USDC has 6 decimals/,
    yaml: () => replaced(/(USDC: \{ address: "0x\w+", decimals:) 6/, '$1 18'),
  },
  'decimals of the currency’s wrapper': {
    exit: 2,
    says: /write 18/,
    yaml: () => replaced(/(WETH: \{ address: "0x\w+", decimals:) 18/, '$1 6'),
  },
  'nothing that wraps the currency': {
    exit: 2,
    says: /wrapsNative/,
    yaml: () => replaced(', wrapsNative: true', ''),
  },
  'a router that is no contract': {
    exit: 3,
    code: 'FUND_ROUTER_CODE',
    says: /router-code/,
    yaml: () => replaced(/router: "0x\w+"/, `router: "${nobody}"`),
  },
  'a token as router': {
    exit: 3,
    code: 'FUND_ROUTER_CODE',
    says: /router-code/,
    yaml: () => replaced(/router: "0x\w+"/, `router: "${fork.ready.tokens.USDC?.address}"`),
  },
  'the code hash of another router': {
    exit: 3,
    code: 'FUND_ROUTER_CODE',
    says: /router-code/,
    yaml: () => replaced(/routerCodeHash: "0x\w+"/, `routerCodeHash: "0x${'ab'.repeat(32)}"`),
  },
  'another fee signer': {
    exit: 3,
    says: /fee-signer/,
    yaml: () => replaced(/feeSigner: "0x\w+"/, `feeSigner: "${nobody}"`),
  },
  'makers nobody knows': {
    exit: 3,
    says: /makers|signer/,
    yaml: () => replaced(/makers: \["0x\w+"\]/, `makers: ["${nobody}"]`),
  },
  'a recipient that is no address': {
    exit: 2,
    code: 'NOT_AN_ADDRESS',
    says: /--to: '0x12'/,
    args: ['--to', '0x12'],
  },
  'the same token': { exit: 2, code: 'SAME_TOKEN', says: /the same asset/, buy: 'WETH' },
  'the coin for its wrapped form': {
    exit: 2,
    code: 'SAME_TOKEN',
    says: /WETH and ETH are the same asset/,
    buy: 'ETH',
  },
  'a recipient that is not listed': {
    exit: 3,
    code: 'POLICY_RECIPIENT',
    says: /recipient/,
    args: ['--to', nobody],
  },
  'a floor in the token that is sold': {
    exit: 2,
    code: 'WRONG_FLOOR',
    says: /--floor must be in USDC/,
    args: ['--floor', '2990 WETH'],
  },
  'a floor above the market': {
    exit: 3,
    code: 'VERIFY_FLOOR',
    says: /floor/,
    args: ['--floor', '9999 USDC'],
  },
  'a floor of nothing': {
    exit: 3,
    code: 'POLICY_FLOOR',
    says: /floor/,
    args: ['--floor', '0 USDC'],
  },
  'a negative amount': { exit: 2, says: /sign|amount/, sell: '-1 WETH' },
  'an amount of nothing': {
    exit: 2,
    code: 'NOTHING_TO_SELL',
    says: /above zero/,
    sell: '0 WETH',
  },
  'an amount with too many decimals': { exit: 2, says: /decimals/, sell: '1.0000001 USDC' },
  'an amount in hex': { exit: 2, says: /amount/, sell: '0x10 WETH' },
  'an amount with an exponent': { exit: 2, says: /amount/, sell: '1e3 WETH' },
  'an amount with a thousands separator': { exit: 2, says: /has a comma/, sell: '1,000 USDC' },
  'more than the wallet has': {
    exit: 3,
    code: 'FUND_BALANCE',
    says: /balance/,
    sell: '101 WETH',
    yaml: () => generous(),
  },
  'more than one swap may sell': {
    exit: 3,
    code: 'POLICY_PER_SWAP',
    says: /per-swap/,
    sell: '6 WETH',
  },
  'a token without a limit': {
    exit: 3,
    code: 'POLICY_PER_SWAP',
    says: /per-swap/,
    yaml: () => replaced(/(perSwap: \[[^\]]*?)5 WETH, /, '$1'),
  },
  'a limit that is no limit': {
    exit: 2,
    says: /unlimited/,
    yaml: () => replaced(/perSwap: \[[^\]]*\]/, 'perSwap: [unlimited]'),
  },
  'a limit that is negative': {
    exit: 2,
    says: /sign|amount/,
    yaml: () => replaced(/(perSwap: \[[^\]]*?)5 WETH/, '$1-5 WETH'),
  },
  'a limit with more decimals than the token': {
    exit: 2,
    says: /decimals/,
    yaml: () => replaced(/(perSwap: \[[^\]]*?)5 WETH/, `$15.${'0'.repeat(18)}1 WETH`),
  },
  'more than one swap may be worth': {
    exit: 3,
    says: /notional-per-swap/,
    yaml: () => replaced(/(notional: \{ perSwap:) \d+/, '$1 1000'),
  },
  'a pair that policy does not list': {
    exit: 2,
    says: /pair/,
    yaml: () => replaced(/pairs: \[[^\]]*\]/, 'pairs: [WBTC/USDC]'),
  },
  'a pair of a token with itself': {
    exit: 2,
    says: /pair/,
    yaml: () => replaced('pairs: [', 'pairs: [WETH/WETH, '),
  },
  'no price but the quote’s own': {
    exit: 3,
    says: /reference/i,
    yaml: () => replaced(/ {2}references:\n(?: {4}.*\n)+/, '  references: []\n'),
  },
  'a pool of another pair as reference': {
    exit: 2,
    says: /references/,
    yaml: () => {
      const [wbtc] = /pair: WBTC\/USDC, venue: uniswap-v2, address: "0x\w+"/.exec(written) ?? []
      const address = /0x\w+/.exec(wbtc ?? '')?.[0] ?? ''
      return replaced(/(pair: WETH\/USDC, venue: uniswap-v2, address:) "0x\w+"/, `$1 "${address}"`)
    },
  },
  'a feed that is no contract as reference': {
    exit: 2,
    says: /feed|reference/i,
    yaml: () =>
      written
        .replaceAll(/(kind: feed, .*address:) "0x\w+"/g, `$1 "${nobody}"`)
        .replace(/(?: {4}- \{ kind: pool, .*\n)+/, ''),
  },
  'a unit of account nobody knows': {
    exit: 2,
    says: /EURO/,
    yaml: () => replaced('unit: USD', 'unit: EURO'),
  },
  'a deviation of everything, and a stablecoin that may halve': {
    exit: 2,
    says: /./,
    yaml: () => replaced('maxDeviation: 150 bps', 'maxDeviation: 15000 bps'),
  },
  'a token that policy does not list': {
    exit: 3,
    code: 'POLICY_TOKEN_SOLD',
    says: /token-sold/,
    sell: '1 TETHER',
  },
  'the wallet’s key in the file': {
    exit: 2,
    says: /secret|key/i,
    yaml: () => `${written}walletKey: "${key}"\n`,
  },
  'an unknown key': {
    exit: 2,
    says: /maxGass.*maxGas/s,
    yaml: () => replaced('maxGas:', 'maxGass:'),
  },
  'a key twice': {
    exit: 2,
    says: /twice/,
    yaml: () => replaced('logLevel: warn', 'logLevel: warn\nlogLevel: info'),
  },
  'a policy that is missing': {
    exit: 2,
    says: /policy/,
    yaml: () => replaced(/\npolicy:\n(?: {2}.*\n)+/, '\n'),
  },
  'two strategies of one name': {
    exit: 2,
    says: /sell-strength.*name/,
    yaml: () => replaced(/name: dca-weth/, 'name: sell-strength'),
  },
  'anchors that multiply': {
    exit: 2,
    says: /./,
    yaml: () => {
      const levels = Array.from({ length: 12 }, (_, n) => {
        const before = n === 0 ? 'x' : `*a${n - 1}`
        return `a${n}: &a${n} [${Array.from({ length: 10 }, () => before).join(', ')}]`
      })
      return `${levels.join('\n')}\n${written}`
    },
  },
  'an anchor inside itself': {
    exit: 2,
    code: 'CONFIG_INVALID',
    says: /:1:8 this alias stands inside its own anchor/,
    yaml: () => `a: &a [*a]\n${written}`,
  },
  'an anchor that merges itself': {
    exit: 2,
    code: 'CONFIG_INVALID',
    says: /:2:7 this alias stands inside its own anchor/,
    yaml: () => `a: &a\n  <<: *a\n${written}`,
  },
  'an alias of nothing': {
    exit: 2,
    code: 'CONFIG_INVALID',
    says: /:1:4 this alias has no anchor above it/,
    yaml: () => `a: *b\n${written}`,
  },
  'a tag that constructs': {
    exit: 2,
    says: /tag/,
    yaml: () => replaced('logLevel: warn', 'logLevel: !!js/function "x"'),
  },
  'a line that is indented with a tab': {
    exit: 2,
    says: /tab|indent/,
    yaml: () => replaced('\n  maxGas:', '\n\tmaxGas:'),
  },
  'two documents in one file': {
    exit: 2,
    says: /document/,
    yaml: () => `${written}---\n${written}`,
  },
  'an empty file': { exit: 2, says: /./, yaml: () => '' },
  'a quote that is too old when it comes': {
    exit: 2,
    says: /minTimeToDeadline/,
    yaml: () => replaced('minTimeToDeadline: 8s', 'minTimeToDeadline: 30s'),
  },
  '[LOCAL-38] the key of another wallet': {
    exit: 2,
    says: /does not belong/,
    environment: () => ({ WALLET_KEY: `0x${'7'.repeat(64)}` }),
  },
  '[LOCAL-38] a key that is none': {
    exit: 2,
    says: /not a private key/,
    environment: () => ({ WALLET_KEY: '0x1234' }),
  },
  '[LOCAL-38] no key': {
    exit: 2,
    code: 'WALLET_KEY_MISSING',
    says: /needs the key/,
    environment: () => ({}),
  },
  'a fee limit of the whole amount': {
    exit: 2,
    says: /10000 bps/,
    yaml: () => replaced('maxFee: 10 bps', 'maxFee: 20000 bps'),
  },
  'a gas price without a unit': {
    exit: 2,
    says: /gwei/,
    yaml: () => replaced('maxGasPrice: 200 gwei', 'maxGasPrice: 200'),
  },
  'a gas limit below what a swap needs': {
    exit: 3,
    says: /gas/,
    yaml: () => replaced('maxGas: "1500000"', 'maxGas: "100000"'),
  },
  'a database in memory': {
    exit: 2,
    says: /memory/,
    yaml: () => replaced('sqlite:./ballast.db', '"sqlite::memory:"'),
  },
}

/** Limits larger than what the wallet has. */
function generous(): string {
  return written
    .replaceAll(/(per(?:Swap|Day): \[[^\]]*?)\d+ WETH/g, '$11000 WETH')
    .replace(/(notional: \{ perSwap:) \d+/, '$1 9000000')
}

describe('a careless operator: one clear sentence, the right exit code, nothing signed', () => {
  for (const [name, { exit, code, says, yaml, args, environment, sell, buy }] of Object.entries(
    careless,
  ))
    test(name, async () => {
      const ended = await trade({
        ...(yaml && { yaml: yaml() }),
        ...(args && { args }),
        ...(environment && { environment: environment() }),
        ...(sell && { sell }),
        ...(buy && { buy }),
      })
      const { code: saidCode, sentence } = told(ended)
      expect({ exit: ended.code, sentence }).toMatchObject({ exit })
      expect(sentence).toMatch(says)
      if (code !== undefined) expect(saidCode).toBe(code)
      expect(saidCode).not.toBe('INTERNAL')
      expect(ended.text).not.toContain(key.slice(2))
      expect(ended.text).not.toMatch(/\n\s+at /)
      expect(proxy.count('eth_sendRawTransaction')).toBe(0)
    })

  test('a file of ten megabytes', async () => {
    const ended = await trade({ yaml: `${written}${'# so it goes\n'.repeat(800_000)}` })
    expect(proxy.count('eth_sendRawTransaction')).toBe(0)
    expect(ended.code).toBe(2)
  })

  test('at least 50 mistakes were made', () => {
    expect(Object.keys(careless).length).toBeGreaterThanOrEqual(50)
  })
})

describe('a careful operator', () => {
  const careful: Readonly<Record<string, { yaml?: () => string; args?: readonly string[] }>> = {
    'with the file as it was written, and a floor': { args: ['--floor', '2900 USDC'] },
    'with comments, and an address in lower case': {
      yaml: () =>
        `# mine\n\n${written}`.replace(
          /router: "(0x\w+)"/,
          (_, address) => `router: "${address.toLowerCase()}"`,
        ),
    },
  }
  for (const [name, { yaml, args }] of Object.entries(careful))
    test(`${name}: swaps`, async () => {
      const ended = await trade({ ...(yaml && { yaml: yaml() }), ...(args && { args }) })
      expect(ended).toMatchObject({ code: 0, json: { results: [{ outcome: 'settled' }] } })
    })
})
