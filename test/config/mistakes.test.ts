import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { checkStrategies } from '../../src/bot/strategy/load.ts'
import { readConfig } from '../../src/config/readConfig.ts'
import { BallastError } from '../../src/core/errors.ts'
import { goodYaml } from './goodYaml.ts'

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mistakes-'))
})

/** Everything that is said of a file, in its order. */
function said(yaml: string): readonly string[] {
  writeFileSync(join(cwd, 'ballast.yaml'), yaml)
  const strategies = join(import.meta.dirname, 'strategies')
  try {
    readConfig({
      file: 'ballast.yaml',
      environment: {},
      cwd,
      problemsOf: (parts) => checkStrategies(parts, strategies).problems,
    })
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', fault: 'usage' })
    const others = Object.entries(error.facts).filter(([name]) => /^problem\d/.test(name))
    return [error.summary, ...others.map(([, sentence]) => String(sentence))]
  }
  return []
}

const entries = 'strategies:\n'
const dca = `  - name: weekly
    use: dca
    params:
      sell: 500 USDC
      buy: WETH
      cron: 0 9 * * MON
      timeZone: Europe/Berlin
      tolerance: 50 bps
`

/** What is written, what is written instead, and all that is said about it: place, key, what is wrong, what to do. */
const mistakes: readonly (readonly [string, string, string, readonly string[]])[] = [
  [
    'a duration without a unit',
    'expiry: 30s',
    'expiry: 30',
    ["18:10 quote.expiry: '30' has no unit: write '30s' for seconds."],
  ],
  [
    'a duration in an unknown unit',
    'timeout: 3s',
    'timeout: 3 seconds',
    [
      "18:41 quote.timeout: '3 seconds' is not a duration: write a whole number and its unit, such as 30s, 5m, 1h or 2d.",
    ],
  ],
  [
    'a duration with a fraction',
    'timeout: 3s',
    'timeout: 1.5s',
    [
      "18:41 quote.timeout: '1.5s' is not a duration: write a whole number and its unit, such as 30s, 5m, 1h or 2d.",
    ],
  ],
  [
    'milliseconds where seconds are counted',
    'minTimeToDeadline: 8s',
    'minTimeToDeadline: 8000ms',
    ["33:3 policy.minTimeToDeadline: '8000ms' is not in whole seconds: write for example '8s'."],
  ],
  [
    'a duration longer than a year',
    'expiry: 30s',
    'expiry: 999d',
    ['18:10 quote.expiry: 999d is out of range: write a duration from 1s to 120s.'],
  ],
  [
    'a retention longer than any journal',
    'logLevel: info',
    'journal: { retention: 36501d }',
    ['40:12 journal.retention: 36501d is out of range: write a duration from 7d to 36500d.'],
  ],
  [
    'a retention in years',
    'logLevel: info',
    'journal: { retention: 10y }',
    [
      "40:12 journal.retention: '10y' is not a duration: write a whole number and its unit, such as 30s, 5m, 1h or 2d.",
    ],
  ],
  [
    'a duration out of range',
    'expiry: 30s',
    'expiry: 10m',
    ['18:10 quote.expiry: 10m is out of range: write a duration from 1s to 120s.'],
  ],
  [
    'a token that may receive',
    'recipients: []',
    'recipients: ["0x5fbdb2315678afecb367f032d93f642f64180aa8"]',
    ['22:16 policy.recipients[0]: is the contract of USDC: what a swap pays there is lost.'],
  ],
  [
    'the router as a recipient',
    'recipients: []',
    'recipients: ["0x5FbDB2315678afecb367f032d93F642f64180aa3"]',
    ['22:16 policy.recipients[0]: is service.router: what a swap pays there is lost.'],
  ],
  [
    'percent instead of bps',
    'maxSlippage: 50 bps',
    'maxSlippage: 0.5 %',
    ["29:3 policy.maxSlippage: '0.5 %' is in percent: write '50 bps'."],
  ],
  [
    'bps without a unit',
    'maxFee: 10 bps',
    'maxFee: 10',
    ["30:3 policy.maxFee: '10' has no unit: write '10 bps' (1 bps is 0.01 %)."],
  ],
  [
    'bps beyond everything',
    'maxDeviation: 100 bps',
    'maxDeviation: 20000 bps',
    ["26:3 policy.maxDeviation: '20000 bps' is more than everything: 10000 bps are 100 %."],
  ],
  [
    'gas price without a unit',
    'maxGasPrice: 200 gwei',
    'maxGasPrice: 200',
    ["31:3 policy.maxGasPrice: '200' has no unit: write '200 gwei'."],
  ],
  [
    'gas price in ETH',
    'maxGasPrice: 200 gwei',
    'maxGasPrice: 0.0000002 ETH',
    [
      "31:3 policy.maxGasPrice: '0.0000002 ETH' is not a gas price: write a number and its unit, such as '200 gwei'.",
    ],
  ],
  [
    'an amount without a token',
    'perSwap: [5 WETH,',
    'perSwap: [5,',
    ["23:13 policy.perSwap[0]: '5' does not say which token: write '5 ETH'."],
  ],
  [
    'an amount without a space',
    'perSwap: [5 WETH,',
    'perSwap: [5WETH,',
    ["23:13 policy.perSwap[0]: '5WETH' is not an amount: write '5 WETH'."],
  ],
  [
    'an amount with thousands',
    '15000 USDC]',
    '"15,000 USDC"]',
    [
      "23:28 policy.perSwap[2]: '15,000 USDC' has a comma: write the number with a point for its fraction and nothing between thousands, such as '1500.5 ETH'.",
    ],
  ],
  [
    'an amount of an unknown token',
    'perDay: [200 WETH',
    'perDay: [200 WEHT',
    [
      "24:12 policy.perDay[0]: 'WEHT' is not a configured token; did you mean WETH? Known tokens: ETH, WETH, USDC.",
    ],
  ],
  [
    'a notional in a token',
    'perHour: 100000 USD',
    'perHour: 100000 USDC',
    [
      '25:35 policy.notional.perHour: 100000 USDC is not in USD, the unit of account (policy.unit): count it in that.',
    ],
  ],
  [
    'an unknown key at the top',
    'database: sqlite',
    'databse: sqlite',
    ['38:1 databse: is not a known key; did you mean database?'],
  ],
  [
    'an unknown key in a section',
    '  maxFee: 10 bps',
    '  maxFees: 10 bps',
    ['30:3 policy.maxFees: is not a known key; did you mean maxFee?'],
  ],
  [
    'an unknown key two sections deep',
    'perHour: 100000',
    'perHuor: 100000',
    ['25:35 policy.notional.perHuor: is not a known key; did you mean perHour?'],
  ],
  [
    'an unknown key like no other',
    'logLevel: info',
    'colour: red',
    [
      '40:1 colour: is not a known key; known keys are chain, service, tokens, wallet, quote, policy, treasury, breakers, alerts, strategies, database, journal, stateFolder, haltFile, dashboard, logLevel.',
    ],
  ],
  [
    'an unknown key of a token',
    'decimals: 6',
    'decimal: 6',
    ['16:66 tokens.USDC.decimal: is not a known key; did you mean decimals?'],
  ],
  [
    'an unknown key of a strategy entry',
    '    use: threshold',
    '    use: threshold\n    paused: true',
    ['37:5 strategies[0].paused: is not a known key; known keys are name, use, params, priority.'],
  ],
  [
    'an unknown key of params',
    'price: 2950 USDC,',
    'prise: 2950 USDC,',
    ['37:40 strategies[0].params.prise: is not a known key; did you mean price?'],
  ],
  [
    'an unknown key of params like no other',
    'every: 5s',
    'every: 5s, colour: red',
    [
      '37:69 strategies[0].params.colour: is not a known key; known keys are sell, buy, price, every, keep, limits.',
    ],
  ],
  [
    'a key twice',
    '  maxGas: "1500000"',
    '  maxGas: "1500000"\n  maxGas: "2"',
    ['33:3 this key is in the same section twice: keep one of them.'],
  ],
  [
    'a tab',
    '  chainId: 31337',
    '\tchainId: 31337',
    ['3:1 the line is indented with a tab: use spaces.'],
  ],
  [
    'a text for a number',
    'decimals: 18',
    'decimals: eighteen',
    ["15:66 tokens.WETH.decimals: 'eighteen' is not a whole number: write for example '18'."],
  ],
  [
    'a fraction for a whole number',
    'confirmations: 2',
    'confirmations: 2.5',
    [
      "6:3 chain.confirmations: '2.5' is not a whole number, or safe, or finalized: write for example '2'.",
    ],
  ],
  [
    'a list for a text',
    'currency: ETH',
    'currency: [ETH]',
    ["4:3 chain.currency: is a list: write for example 'ETH'."],
  ],
  [
    'a text for a list',
    'tokens: [ETH, WETH, USDC]',
    'tokens: ETH',
    ["20:3 policy.tokens: is 'ETH': write for example [ETH, WETH, USDC]."],
  ],
  [
    'a text for a section',
    'quote: { expiry: 30s, slippage: 10 bps, timeout: 3s }',
    'quote: fast',
    ["18:1 quote: is 'fast': write for example { expiry: 30s, slippage: 10 bps, timeout: 3s }."],
  ],
  [
    'a word for yes or no',
    'wrapsNative: true',
    'wrapsNative: "yes"',
    ["15:80 tokens.WETH.wrapsNative: is 'yes': write true or false."],
  ],
  [
    'a key without a value',
    '  name: local',
    '  name:',
    ["2:3 chain.name: is empty: write for example 'ethereum'."],
  ],
  [
    'an address that is too short',
    'router: "0x5FbDB2315678afecb367f032d93F642f64180aa3"',
    'router: "0x5FbDB2315678afecb367f032d93F642f64180aa"',
    [
      "9:3 service.router: '0x5FbDB2315678afecb367f032d93F642f64180aa' is not an address: write 0x and 40 hex digits, in quotes.",
    ],
  ],
  [
    'an address with a wrong checksum',
    'router: "0x5FbDB2315678afecb367f032d93F642f64180aa3"',
    'router: "0x5FbDb2315678afecb367f032d93F642f64180aa3"',
    [
      "9:3 service.router: '0x5FbDb2315678afecb367f032d93F642f64180aa3' has a wrong checksum: check it letter by letter; if it is the right address it is written '0x5FbDB2315678afecb367f032d93F642f64180aa3'.",
    ],
  ],
  [
    'a band upside down, and one in another unit',
    'minTimeToDeadline: 8s',
    'minTimeToDeadline: 8s\n  bands: { WETH: { min: 8000 USD, max: 1500 USD }, USDC: { min: 1 USDC, max: 2 USD } }',
    [
      '34:12 policy.bands.WETH: 8000 USD to 1500 USD is no band: write a min above 0 that is not above max.',
      '34:52 policy.bands.USDC: is not in USD, the unit of account (policy.unit): write both in that.',
    ],
  ],
  [
    'two bands of one money',
    'minTimeToDeadline: 8s',
    'minTimeToDeadline: 8s\n  bands: { ETH: { min: 1 USD, max: 9000 USD }, WETH: { min: 1500 USD, max: 8000 USD } }',
    ['34:48 policy.bands.WETH: is the band of ETH as well: write one for both.'],
  ],
  [
    'an address that was not filled in',
    'router: "0x5FbDB2315678afecb367f032d93F642f64180aa3"',
    'router: "FILL IN"',
    [
      "9:3 service.router: is not filled in yet: write for example '0x5FbDB2315678afecb367f032d93F642f64180aa3'.",
    ],
  ],
  [
    'a URL without its scheme',
    'rpcUrl: http://127.0.0.1:8545',
    'rpcUrl: 127.0.0.1:8545',
    ["5:3 chain.rpcUrl: is not a URL: write for example 'http://127.0.0.1:8545'."],
  ],
  [
    'a percent sign that encodes nothing, in the password of an address',
    'rpcUrl: http://127.0.0.1:8545',
    'rpcUrl: http://ops:50%off@127.0.0.1:8545',
    ['5:3 chain.rpcUrl: has a % that encodes nothing: write %25 for the sign itself.'],
  ],
  [
    'an unknown level',
    'logLevel: info',
    'logLevel: verbose',
    ["40:1 logLevel: is 'verbose': write one of fatal, error, warn, info, debug, trace, silent."],
  ],
  [
    'a bracket left open',
    'pairs: [WETH/USDC]',
    'pairs: [WETH/USDC',
    [
      '22:3 the line is not indented like its section, or a bracket above is still open: indent or close it.',
    ],
  ],
  [
    'an unknown token in params',
    'sell: 1 WETH',
    'sell: 1 WTEH',
    [
      "37:15 strategies[0].params.sell: 'WTEH' is not a configured token; did you mean WETH? Known tokens: ETH, WETH, USDC.",
    ],
  ],
  [
    'a price in another pair in params',
    'price: 2950 USDC',
    'price: 2950 WETH',
    [
      "37:40 strategies[0].params.price: is in WETH, but it sells WETH for USDC: write it in 'USDC per WETH' or 'WETH per USDC'.",
    ],
  ],
  [
    'a price without a token in params',
    'price: 2950 USDC',
    'price: 2950',
    [
      "37:40 strategies[0].params.price: '2950' is not a price: write what one unit brings, such as '2950 USDC' or '2950 USDC per WETH'.",
    ],
  ],
  [
    'a duration without a unit in params',
    'every: 5s',
    'every: 5',
    ["37:58 strategies[0].params.every: '5' has no unit: write '5s' for seconds."],
  ],
  [
    'a missing parameter',
    'price: 2950 USDC, ',
    '',
    ["37:5 strategies[0].params.price: is missing: write for example '2950 USDC'."],
  ],
  [
    'a list for a parameter',
    'buy: USDC',
    'buy: [USDC]',
    ["37:29 strategies[0].params.buy: must be one line of text: write for example 'USDC'."],
  ],
  [
    'the same token on both sides',
    'buy: USDC',
    'buy: WETH',
    ['37:29 strategies[0].params.buy: buys WETH, which is what it sells: name another token.'],
  ],
  [
    'a wrong time zone',
    entries,
    entries + dca.replace('timeZone: Europe/Berlin', 'timeZone: Berlin'),
    [
      "41:7 strategies[0].params.timeZone: 'Berlin' is not a time zone: write its IANA name, such as 'Europe/Berlin' or 'UTC'.",
    ],
  ],
  [
    'an offset for a time zone',
    entries,
    entries + dca.replace('timeZone: Europe/Berlin', 'timeZone: "+02:00"'),
    [
      "41:7 strategies[0].params.timeZone: '+02:00' is not a time zone: write its IANA name, such as 'Europe/Berlin' or 'UTC'.",
    ],
  ],
  [
    'a schedule of six parts',
    entries,
    entries + dca.replace('cron: 0 9 * * MON', 'cron: 0 0 9 * * MON'),
    [
      "40:7 strategies[0].params.cron: '0 0 9 * * MON' is not a schedule: write minute, hour, day of month, month and day of week, such as '0 9 * * *'.",
    ],
  ],
  [
    'percent in params',
    entries,
    entries + dca.replace('tolerance: 50 bps', 'tolerance: 0.5 %'),
    ["42:7 strategies[0].params.tolerance: '0.5 %' is in percent: write '50 bps'."],
  ],
  [
    'an unknown strategy',
    'use: threshold',
    'use: treshold',
    [
      '36:5 strategies[0].use: there is no strategies/treshold.ts. Did you mean threshold? Known strategies: dca, threshold.',
    ],
  ],
  [
    'a strategy that nothing resembles',
    'use: threshold',
    'use: martingale',
    [
      '36:5 strategies[0].use: there is no strategies/martingale.ts. Known strategies: dca, threshold.',
    ],
  ],
  [
    'a strategy by its file',
    'use: threshold',
    'use: threshold.ts',
    [
      "36:5 strategies[0].use: 'threshold.ts' is not a strategy: write the name of a file in strategies/ without .ts, such as 'threshold', or the path of a file of yours, such as './buy-low/strategy.ts'.",
    ],
  ],
  [
    'two strategies of one name',
    entries,
    entries + dca.replace('- name: weekly', '- name: sell-strength'),
    [
      "43:5 strategies[1].name: 'sell-strength' is the name of another strategy: the journal knows a strategy by its name, so give each its own.",
    ],
  ],
  [
    'a strategy named as what was booked from the chain',
    'name: sell-strength',
    'name: recovered',
    [
      "35:5 strategies[0].name: 'recovered' is the name of swaps that were booked from the chain, which count against every strategy: choose another.",
    ],
  ],
  [
    'a strategy named as swaps by hand',
    'name: sell-strength',
    'name: manual',
    [
      "35:5 strategies[0].name: 'manual' is the name of swaps by hand, which would count against its limits: choose another.",
    ],
  ],
  [
    'a name with capitals',
    'name: sell-strength',
    'name: Sell Strength',
    [
      "35:5 strategies[0].name: 'Sell Strength' is not a name: use lower-case letters, digits, - and _, such as 'sell-strength'.",
    ],
  ],
  [
    'a priority that is no number',
    '    use: threshold',
    '    use: threshold\n    priority: high',
    ["37:5 strategies[0].priority: 'high' is not a whole number: write for example '10'."],
  ],
  [
    'a priority out of range',
    '    use: threshold',
    '    use: threshold\n    priority: 5000',
    ['37:5 strategies[0].priority: 5000 is out of range: write a whole number from -1000 to 1000.'],
  ],
  [
    'params as a list',
    'params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }',
    'params: [1 WETH]',
    ['37:5 strategies[0].params: is a list: write for example { sell: 1 WETH, buy: USDC }.'],
  ],
  [
    'no params',
    '    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }\n',
    '',
    ['35:5 strategies[0].params: is missing: write for example { sell: 1 WETH, buy: USDC }.'],
  ],
  [
    'a secret',
    'logLevel: info',
    'walletKey: "0x0123"',
    [
      '40:1 walletKey: is a secret, and secrets never live in this file: remove it and set WALLET_KEY in the environment or .env.',
    ],
  ],
  [
    'an unknown key inside a parameter',
    'every: 5s',
    'every: 5s, limits: { share: 10 %, slice: 3 }',
    ['37:92 strategies[0].params.limits.slice: is not a known key; did you mean slices?'],
  ],
  [
    'a count of zero',
    'every: 5s',
    'every: 5s, limits: { share: 10 %, slices: 0 }',
    [
      "37:92 strategies[0].params.limits.slices: '0' is not a whole number of at least one: write for example '3'.",
    ],
  ],
  [
    'a share without a unit',
    'every: 5s',
    'every: 5s, limits: { share: 10, slices: 3 }',
    [
      "37:79 strategies[0].params.limits.share: '10' has no unit: write '10 %', or bps (1 bps is 0.01 %).",
    ],
  ],
  [
    'a day that is none',
    entries,
    `${entries}${dca}      start: 2026-02-30\n`,
    [
      "43:7 strategies[0].params.start: '2026-02-30' is not an instant: write '2026-12-31' for midnight UTC, or '2026-12-31T09:00:00+01:00'.",
    ],
  ],
  [
    'a word that is not offered',
    entries,
    `${entries}${dca}      mode: averagin\n`,
    [
      "43:7 strategies[0].params.mode: 'averagin' is not one of fixed, averaging. Did you mean averaging?",
    ],
  ],
  [
    'a word of its own for missed slots',
    entries,
    `${entries}${dca}      missed: always\n`,
    ["43:7 strategies[0].params.missed: 'always' is not one of skip, once, or 'up to 3'."],
  ],
  [
    'weights that are not the whole',
    entries,
    `${entries}${dca}      weights: { WETH: 60 %, USDC: 30 % }\n`,
    [
      '43:7 strategies[0].params.weights: makes up 90 %: change the shares until they make up 100 %.',
    ],
  ],
  [
    'weights of an unknown token',
    entries,
    `${entries}${dca}      weights: { WETH: 60 %, USCD: 40 % }\n`,
    [
      "43:30 strategies[0].params.weights.USCD: 'USCD' is not a configured token; did you mean USDC? Known tokens: ETH, WETH, USDC.",
    ],
  ],
  [
    'a factor with a unit',
    entries,
    `${entries}${dca}      dip: 2x\n`,
    [
      "43:7 strategies[0].params.dip: '2x' is not a plain number of at most four decimals: write for example '1.5'.",
    ],
  ],
  [
    'a second document',
    'logLevel: info',
    '---\nlogLevel: info',
    ['40:1 the file holds a second document: remove the line with ---.'],
  ],
]

test.each(mistakes)('%s', (_title, right, wrong, sentences) => {
  expect(goodYaml).toContain(right)
  expect(said(goodYaml.replace(right, () => wrong))).toEqual(
    sentences.map((sentence) => `ballast.yaml:${sentence}`),
  )
})

test('the right file is right', () => {
  expect(said(goodYaml)).toEqual([])
})

test('many mistakes are told at once, from top to bottom, parameters among the others', () => {
  const wrong = [
    ['chainId: 31337', 'chainId: mainnet'],
    ['maxFee: 10 bps', 'maxFee: 10'],
    ['slippage: 10 bps', 'slipage: 10 bps'],
    ['sell: 1 WETH', 'sell: 1'],
    ['every: 5s', 'evry: 5s'],
    ['logLevel: info', 'logLevel: loud'],
  ].reduce((text, [right = '', instead = '']) => text.replace(right, instead), goodYaml)
  expect(said(wrong).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'ballast.yaml:3:3 chain.chainId:',
    'ballast.yaml:18:23 quote.slipage:',
    'ballast.yaml:30:3 policy.maxFee:',
    'ballast.yaml:37:15 strategies[0].params.sell:',
    'ballast.yaml:37:53 strategies[0].params.evry:',
    'ballast.yaml:40:1 logLevel:',
  ])
})

const mnemonic = 'test test test test test test test test test test test junk'

test.each([
  ['  rpcUrl:', '  fallbackUrls: https://eth.example/v2/Ab3dEf6hIj9kLm2nOpQr\n  rpcUrl:'],
  ['  rpcUrl:', '  witness: https://eth.example/v2/Ab3dEf6hIj9kLm2nOpQr\n  rpcUrl:'],
  ['strategies:', 'alerts: https://hooks.example/services/T000/Ab3dEf6hIj9k\nstrategies:'],
  ['dashboard: { host: 127.0.0.1, port: 8787 }', 'dashboard: https://u:Ab3dEf6hIj9k@h/d'],
  ['logLevel: info', `logLevel: ${mnemonic}`],
])('a key in the wrong place (%s) is refused and not repeated', (from, to) => {
  expect(goodYaml).toContain(from)
  const all = said(goodYaml.replace(from, () => to)).join('\n')
  expect(all).not.toBe('')
  for (const piece of ['Ab3dEf6hIj9k', 'test test']) expect(all).not.toContain(piece)
})
