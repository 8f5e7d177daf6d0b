import { expect, test } from 'vitest'
import { keylessEnvironment } from '../../src/config/keylessEnvironment.ts'

test('a process that needs no key gets none, and the rest as it is', () => {
  const secrets = ['WALLET_KEY_TREASURY', 'DASHBOARD_TOKEN', 'SMTP_PASSWORD', 'SERVICE_API_KEY']
  try {
    for (const name of secrets) process.env[name] = 'x'
    const environment = keylessEnvironment()
    expect(secrets.filter((name) => name in environment)).toEqual([])
    expect(environment.PATH).toBe(process.env.PATH)
  } finally {
    for (const name of secrets) delete process.env[name]
  }
})
