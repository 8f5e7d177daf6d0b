import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { RpcGarbled, RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { createChecklist } from '../../src/core/check.ts'
import { display } from '../../src/core/display.ts'
import { ballastError } from '../../src/core/errors.ts'
import {
  carriesKey,
  secret,
  secretUrl,
  withoutCredentials,
  withoutPossibleKeys,
  withoutSecrets,
} from '../../src/core/secret.ts'

test('secret: no way of printing shows it', () => {
  const key = secret('0xfeedfacefeedface')
  expect(`${key}`).toBe('[secret]')
  expect(JSON.stringify({ key })).toBe('{"key":"[secret]"}')
  expect(inspect({ key })).toBe('{ key: [secret] }')
  expect(key.reveal()).toBe('0xfeedfacefeedface')
})

test('withoutSecrets: removes the value with and without 0x, and as JSON writes it', () => {
  secret('0xabcdefabcdef')
  secret('pass"word\\with')
  expect(withoutSecrets('a 0xabcdefabcdef b abcdefabcdef')).not.toContain('abcdefabcdef')
  expect(withoutSecrets(JSON.stringify({ a: 'pass"word\\with' }))).toBe('{"a":"[secret]"}')
})

test('withoutSecrets: removes a key of hexadecimal digits in whatever case a service repeats it', () => {
  secret('9F86d081-884c-7d65-9a2f-eaa0c55ad015')
  for (const said of [
    '9f86d081-884c-7d65-9a2f-eaa0c55ad015',
    '9F86D081-884C-7D65-9A2F-EAA0C55AD015',
  ])
    expect(withoutSecrets(`no such key: ${said}`)).toBe('no such key: [secret]')
  secret('0xAbCdEf0123456789')
  expect(withoutSecrets('0xABCDEF0123456789 abcdef0123456789')).not.toMatch(/abcdef/i)
})

test('secretUrl: hides what may be a key, whole or in part', () => {
  secretUrl('https://user:hunter2hunter2@rpc.example/v3/0123456789abcdef?token=zzzzzzzzzz')
  expect(withoutSecrets('GET /v3/0123456789abcdef failed')).toBe('GET [secret] failed')
  expect(withoutSecrets('bad hunter2hunter2')).toBe('bad [secret]')
})

test('secretUrl: hides each piece that may be the key, as written and as read', () => {
  secretUrl('https://rpc.example/v2/Ab3dEf6hIj9kLm2n')
  expect(withoutSecrets('invalid project id Ab3dEf6hIj9kLm2n')).toBe('invalid project id [secret]')
  secretUrl('https://rpc.example/?network=main&apikey=Qw3rTy9uI0&other=Zx8cVb%2F7nM')
  expect(withoutSecrets('key Qw3rTy9uI0 is over its limit')).toBe('key [secret] is over its limit')
  expect(withoutSecrets('Zx8cVb%2F7nM or Zx8cVb/7nM')).toBe('[secret] or [secret]')
  secretUrl('https://someone1:p%40ssw%3Ard9@rpc.example/')
  expect(withoutSecrets('no someone1 with p%40ssw%3Ard9 or p@ssw:rd9')).toBe(
    'no [secret] with [secret] or [secret]',
  )
  secretUrl('https://rpc.example/a%2Bpath%2Bkey%2B1')
  expect(withoutSecrets('a+path+key+1')).toBe('[secret]')
  secretUrl('https://rpc.example/bad%zzescape')
  expect(withoutSecrets('bad%zzescape')).toBe('[secret]')
})

test('secretUrl: a plain word or a chain id in a path stays readable, a long one does not', () => {
  secretUrl(
    'https://rpc.example/ethereum/eth-mainnet/v1/11155111/abcdefghijklmnop/1234567890123456',
  )
  expect(withoutSecrets('ethereum eth-mainnet v1 11155111')).toBe(
    'ethereum eth-mainnet v1 11155111',
  )
  expect(withoutSecrets('abcdefghijklmnop 1234567890123456')).toBe('[secret] [secret]')
})

test('withoutSecrets: of two that overlap the longer goes first, and nothing of it stays', () => {
  secret('k3y-k3y-')
  secret('k3y-k3y-tail')
  expect(withoutSecrets('k3y-k3y-tail')).toBe('[secret]')
})

test('secretUrl: an address that is only scheme and host stays readable', () => {
  const url = secretUrl('http://127.0.0.1:18545')
  expect(`${url}`).toBe('[secret]')
  expect(withoutSecrets(`cannot reach ${withoutCredentials(url.reveal())}`)).toBe(
    'cannot reach http://127.0.0.1:18545',
  )
  const words = ['internationaltreasury', 'a1b2']
  for (const word of words) secretUrl(`https://${word}.rpc.example`)
  expect(withoutSecrets(words.join())).toBe(words.join())
})

test('a secret that stands where a long text is cut does not stay by half', () => {
  secret('h4lf-0f-th1s-k3y')
  const checks = createChecklist('verify')
  checks.equal('long', '', `${'a '.repeat(28)}h4lf-0f-th1s-k3y${' b'.repeat(80)}`)
  expect(() => checks.conclude()).toThrowError(/^(?!.*h4lf)/s)
  const words = `${'a '.repeat(507)}h4lf-0f-th1s-k3y`
  expect(new RpcRefused('eth_call', { code: 1, message: words }).message).not.toContain('h4lf')
})

test('display: a secret that stands where a foreign text is cut does not stay by half', () => {
  secret('h4lf-0f-4n-4p1-k3y')
  expect(display(`${'a '.repeat(95)}h4lf-0f-4n-4p1-k3y`, 200)).not.toContain('h4lf')
})

test('secretUrl: hides user and password as a header has them, and a key that is the name of a host', () => {
  secretUrl('http://user1234:p%40sswordRd9@127.0.0.1:18545')
  const header = Buffer.from('user1234:p@sswordRd9').toString('base64')
  expect(withoutSecrets(`Basic ${header} is not known`)).toBe('Basic [secret] is not known')
  const byHost = 'https://e1f2a3b4c5d6978877665544aabbccdd.eth.rpc.example/'
  secretUrl(byHost)
  expect(withoutSecrets(withoutCredentials(byHost))).toBe('https://[secret].eth.rpc.example')
  const words = ['https://eth-mainnet-2.rpc.example/', 'http://postgres16primarydb:5432/']
  expect([byHost, ...words].map(carriesKey)).toEqual([true, false, false])
})

test('secret: is hidden as an address has it', () => {
  secret('Tr0ub4dor&3 +x/=')
  expect(withoutSecrets('key=Tr0ub4dor%263%20%2Bx%2F%3D')).toBe('key=[secret]')
})

test('an error keeps no cause that quotes what is no JSON', () => {
  const parsed = () => {
    try {
      return JSON.parse('correct-horse-99')
    } catch (cause) {
      return ballastError('KEYSTORE_MALFORMED', 'The file is no V3 keystore.', {}, cause)
    }
  }
  expect(parsed().cause).toBeUndefined()
  const other = new Error('it is away')
  expect(ballastError('KEYSTORE_MALFORMED', 'No.', {}, other).cause).toBe(other)
})

test('what a node sent instead of JSON is not quoted', () => {
  const causeOf = (cause: Error) => new RpcGarbled('a node', 'no answer', { cause }).cause
  expect(causeOf(new SyntaxError('"Ab3dEf6hIj"... is not valid JSON'))).toBeUndefined()
  expect(causeOf(new Error('it is no number'))).toBe('it is no number')
})

const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318'
const phrase = 'test test test test test test test test test test test junk'

test.each([
  ["is 'https://eth.example/v2/Ab3dEf6hIj9kLm2nOpQr': write", "is 'https://[not shown]': write"],
  ["is 'https://u:Ab3dEf6hIj9kLm2n@h/d'", "is 'https://[not shown]'"],
  ["is 'https://u:Ab3dEf6hI', cut", "is 'https://[not shown]', cut"],
  ["is 'https://e1f2a3b4c5d6978877665544aabbccdd.rpc.example'", "is 'https://[not shown]'"],
  [`'0x${key.slice(0, 62)}' is no address`, "'[not shown]' is no address"],
  [`'0X${key}' is no address`, "'[not shown]' is no address"],
  [`'${key.slice(0, 60)}'`, "'[not shown]'"],
  ["the file: is 'WALLET_KEY=0x4c08'", "the file: is 'WALLET_KEY=[not shown]'"],
  [`wallet: is '${phrase}'`, "wallet: is '[not shown]'"],
  [`wallet: is '${phrase.slice(0, 40)}'`, "wallet: is '[not shown]'"],
  ["is 'Ab3dEf6hIj9kLm2nOpQr': write", "is '[not shown]': write"],
  ["'123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'", "'[not shown]'"],
  ["'SG.aB3dE5gH7jK9mN1pQ3sT.xY2zA4bC6dE8fG0hJ2kL4m'", "'[not shown]'"],
  ["'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'", "'[not shown]'"],
  ["'12345678901234567890a'", "'[not shown]'"],
])('what may be a key is not repeated: %s', (sentence, shown) => {
  expect(withoutPossibleKeys(sentence)).toBe(shown)
  expect(withoutPossibleKeys(shown)).toBe(shown)
})

test.each([
  "'0x5FbDB2315678afecb367f032d93F642f64180aa3' is not known",
  "'0x5FbDB2315678afecb367f032d93F642f64180aa' is too short",
  "write for example '0xabababababababababababababababababababababababababababababababab'",
  "is 'http://127.0.0.1:8545/': write 'https://rpc.example'.",
  'write postgres://user@host/database.',
  'write for example ["https://…"].',
  "'100000000000000000000000000 WETH' is more than there is.",
  "'weth-usdc-sell-desk-2' is the name of another strategy, 'k8s-prod-eu-west-1-a-b' of a wallet",
  "'/etc/ballast/strategies/my_strategy_v2' is no file",
  "'treasury-operations-01', '/home/ops1/ballast/strategies', 'maxNotionalPer24Hours', '--releaseEverything24hours'",
  "'https://quotes.example.com/api/v1' or http://quoteservice1234:8080/v2/mainnet",
  "ballast.yaml:12:3 'sell-strength' is a name; 'Europe/Berlin' a zone; '2026-12-31T09:00:00+01:00' an instant.",
])('what a person needs is: %s', (sentence) => {
  expect(withoutPossibleKeys(sentence)).toBe(sentence)
})
