import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { createChecklist } from '../../src/core/check.ts'
import { secret, secretUrl, withoutCredentials, withoutSecrets } from '../../src/core/secret.ts'

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
})

test('a secret that stands where a long text is cut does not stay by half', () => {
  secret('h4lf-0f-th1s-k3y')
  const checks = createChecklist('verify')
  checks.equal('long', '', `${'a '.repeat(28)}h4lf-0f-th1s-k3y${' b'.repeat(80)}`)
  expect(() => checks.conclude()).toThrowError(/^(?!.*h4lf)/s)
  const words = `${'a '.repeat(507)}h4lf-0f-th1s-k3y`
  expect(new RpcRefused('eth_call', { code: 1, message: words }).message).not.toContain('h4lf')
})
