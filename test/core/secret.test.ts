import { inspect } from 'node:util'
import { expect, test } from 'vitest'
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

test('secretUrl: an address that is only scheme and host stays readable', () => {
  const url = secretUrl('http://127.0.0.1:18545')
  expect(`${url}`).toBe('[secret]')
  expect(withoutSecrets(`cannot reach ${withoutCredentials(url.reveal())}`)).toBe(
    'cannot reach http://127.0.0.1:18545',
  )
})
