import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { readSignerConfig } from '../../../src/config/signer/readSignerConfig.ts'
import { BallastError } from '../../../src/core/errors.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-config-'))
})

const good = `chainId: 31337
wallet: "0x5FbDB2315678afecb367f032d93F642f64180aa3"
key: { kind: keystore, file: ./treasury.json }
socket: ./run/signer.sock
router: "0x5fbdb2315678afecb367f032d93f642f64180aa4"
feeSigner: "0x5fbdb2315678afecb367f032d93f642f64180aa6"
makers: ["0x5fbdb2315678afecb367f032d93f642f64180aa9"]
recipients: ["0x5fbdb2315678afecb367f032d93f642f64180aa5"]
tokens:
  WETH: { address: "0x5fbdb2315678afecb367f032d93f642f64180aa7", decimals: 18, perTransaction: "5", perDay: "20" }
  USDC: { address: "0x5fbdb2315678afecb367f032d93f642f64180aa8", decimals: 6 }
maxGas: 1500000
maxGasPrice: 200 gwei
`
const password = { WALLET_PASSWORD_FILE: './password' }
const plain = 'ab'.repeat(32)

function load(yaml: string, environment: Record<string, string> = password) {
  writeFileSync(join(cwd, 'signer.yaml'), yaml)
  return readSignerConfig({ file: 'signer.yaml', environment, cwd })
}

function complaint(yaml: string, environment?: Record<string, string>): string | undefined {
  try {
    load(yaml, environment)
    return undefined
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', fault: 'usage' })
    return error.summary
  }
}

describe('signer.yaml', () => {
  test('a right file becomes values; a token without limits may only be bought', () => {
    const config = load(good)
    expect(config).toMatchObject({
      key: {
        kind: 'keystore',
        file: join(cwd, 'treasury.json'),
        passwordFile: join(cwd, 'password'),
      },
      socket: join(cwd, 'run/signer.sock'),
      // Never in the folder of the socket, which the bot can write to.
      countFile: join(cwd, 'signer.count'),
      limits: { chainId: 31_337, gasMax: 1_500_000n, gasPriceMax: 200_000_000_000n },
    })
    mkdirSync(join(cwd, 'run'), { recursive: true })
    writeFileSync(join(cwd, 'run/signer.sock.count'), '')
    expect(complaint(good)).toContain('signer.sock.count has the counts of the last day. Move it')
    writeFileSync(join(cwd, 'signer.count'), '')
    expect(complaint(good)).toBeUndefined()
    rmSync(join(cwd, 'signer.count'))
    rmSync(join(cwd, 'run/signer.sock.count'))
    expect(
      config.limits.tokens.map(({ token, perTransaction, perDay }) => [
        token.symbol,
        perTransaction,
        perDay,
      ]),
    ).toEqual([
      ['WETH', 5n * 10n ** 18n, 20n * 10n ** 18n],
      ['USDC', 0n, 0n],
    ])
  })

  test('whose signatures are held to it, and whose are not', () => {
    expect(load(good).limits).toMatchObject({
      feeSigner: '0x5FBdb2315678aFeCB367F032D93f642f64180Aa6',
      makers: ['0x5FBDB2315678afeCB367F032D93F642f64180AA9'],
    })
    const none = good
      .replace(/feeSigner: .*/, 'feeSigner: unchecked')
      .replace(/makers: .*/, 'makers: [unchecked]')
    expect(load(none).limits).toMatchObject({ feeSigner: 'unchecked', makers: ['unchecked'] })
  })

  test('minimum prices, each of one sold token', () => {
    const [weth, usdc] = load(good).limits.tokens.map(({ token }) => token)
    const prices = 'minimumPrices: [2500.5 USDC per WETH, 0.0000000000000000003 WETH per USDC]'
    expect(load(`${good}${prices}\n`).limits.minimumPrices).toEqual([
      { sold: { token: weth, wei: 10n ** 18n }, bought: { token: usdc, wei: 2_500_500_000n } },
      { sold: { token: usdc, wei: 10n ** 7n }, bought: { token: weth, wei: 3n } },
    ])
  })

  test('a second price of one sale, and a swap above the day, are mistakes', () => {
    const prices = (...list: readonly string[]) =>
      complaint(`${good}minimumPrices: [${list.join(', ')}]\n`)
    expect(prices('2500 USDC per WETH', '0.0002 WETH per USDC')).toBeUndefined()
    expect(prices('2500 USDC per WETH', '3500 USDC per WETH')).toMatch(
      /minimumPrices\[1\]: is a second price of WETH sold for USDC: keep one; what USDC brings at least is written as '… WETH per USDC'\.$/,
    )
    const most = (perTransaction: string) =>
      complaint(good.replace('perTransaction: "5"', `perTransaction: "${perTransaction}"`))
    expect(most('20')).toBeUndefined()
    expect(most('3.500')).toMatch(/'3\.500' may be meant as thousands: write '3500' or '3\.5'\.$/)
    expect(complaint(good.replace('200 gwei', '1.500 gwei'))).toMatch(
      /'1\.500 gwei' may be meant as thousands: write '1500 gwei' or '1\.5 gwei'\.$/,
    )
    expect(most('20.1')).toMatch(
      /tokens\.WETH\.perTransaction: is above perDay \(20\): lower it\.$/,
    )
  })

  test('limits that follow from others, and limits of their own', () => {
    expect(load(good).limits).toMatchObject({
      tipMax: 100_000_000_000n,
      coinPerDay: { wei: 1_200_000_000_000_000_000n, counts: 'gas' },
      callBytesMax: 8_192,
      signaturesPerHour: 1_000,
      signaturesPerDay: 10_000,
    })
    const own = `${good}maxTip: 3 gwei\nmaxCoinPerDay: "0.5"\nmaxCallBytes: 4096
maxSignaturesPerHour: 20\nmaxSignaturesPerDay: 100\n`
    expect(load(own).limits).toMatchObject({
      tipMax: 3_000_000_000n,
      coinPerDay: { wei: 500_000_000_000_000_000n, counts: 'gas and value' },
      callBytesMax: 4_096,
      signaturesPerHour: 20,
      signaturesPerDay: 100,
    })
    expect(complaint(`${good}maxCoinPerDay: "0.0000000000000000001"\n`)).toContain(
      'maxCoinPerDay: 0.0000000000000000001 has more than 18 decimals.',
    )
  })

  test.each([
    [
      'key: { kind: keystore, file: ./treasury.json }',
      'key: { kind: aws }',
      'key.kind: is not a kind of key',
    ],
    [
      'perDay: "20"',
      'perDay: "20.0000000000000000001"',
      'tokens.WETH.perDay: 20.0000000000000000001 has more than 18 decimals.',
    ],
    [
      ', perDay: "20"',
      '',
      'tokens.WETH: has one of perTransaction and perDay, so none of it is sold: write both.',
    ],
    [
      '180aa8',
      '180aa7',
      'tokens.USDC.address: 0x5fbdb2315678afecb367f032d93f642f64180aa7 is the address of WETH already',
    ],
    ['200 gwei', '200', "maxGasPrice: '200' has no unit: write '200 gwei'."],
    [/^feeSigner.*$/m, '', 'feeSigner: is missing: write for example'],
    [/^makers.*$/m, '', 'makers: is missing: write for example'],
    ['makers: [', 'makers: [unchecked, ', 'makers: names makers and unchecked: write either.'],
    [/^makers.*$/m, 'makers: [anyone]', "makers[0]: 'anyone' is not an address"],
    [
      'maxGas:',
      'minimumPrices: [2500 USDC]\nmaxGas:',
      "minimumPrices[0]: '2500 USDC' does not name two tokens",
    ],
    ['maxGas:', 'minimumPrices: [2 WETH per WETH]\nmaxGas:', 'minimumPrices[0]: '],
    ['maxGas:', 'minimumPrices: [0 USDC per WETH]\nmaxGas:', 'minimumPrices[0]: a price of zero'],
    [
      'maxGas:',
      'minimumPrices: [2500 DAI per WETH]\nmaxGas:',
      "minimumPrices[0]: 'DAI' is not a configured token",
    ],
    ['router:', 'ruoter:', 'ruoter: is not a known key; did you mean router?'],
    [
      'kind: keystore, file: ./treasury.json',
      `kind: keystore, file: "${plain}"`,
      'key.file: looks like a private key',
    ],
  ])('%s as %s: is refused in its place', (from, to, sentence) => {
    const said = complaint(good.replace(from, to))
    expect(said).toMatch(/^signer\.yaml:\d+:\d+ /)
    expect(said).toContain(sentence)
  })

  test('the secrets: missing, plain where money is real, or both', () => {
    const development = good.replace(/key: .*/, 'key: { kind: environment }')
    expect(complaint(good, {})).toMatch(/^WALLET_PASSWORD_FILE: is missing/)
    expect(complaint(good, { ...password, WALLET_KEY: plain })).toContain('a plain key lies here')
    expect(complaint(development, {})).toMatch(/^WALLET_KEY: is missing/)
    expect(complaint(development, { WALLET_KEY: 'hunter2hunter2' })).toMatch(/is not a private key/)
    expect(complaint(development, { WALLET_KEY: plain })).toBeUndefined()
    expect(complaint(development.replace('31337', '1'), { WALLET_KEY: plain })).toContain(
      'put the key into a keystore',
    )
  })
})
