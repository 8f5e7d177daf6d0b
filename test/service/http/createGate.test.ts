import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { createGate } from '../../../src/service/http/createGate.ts'

const seen: string[] = []
const gate = createGate({
  keyring: { identify: () => undefined } as never,
  limiter: { take: (who: string) => void seen.push(who) } as never,
})

test.for([
  ['192.0.2.7', 'from 192.0.2.7'],
  ['::ffff:192.0.2.7', 'from 192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', 'from 2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', 'from 2001:db8:1:2::/64'],
  ['2001:db8::9', 'from 2001:db8:0:0::/64'],
  ['2001:db8:0:0:1:2:3:4', 'from 2001:db8:0:0::/64'],
  ['::1', 'from 0:0:0:0::/64'],
] as const)('a caller without a key at %s is counted %s', ([ip, who]) => {
  expect(gate({ ip, headers: {} } as FastifyRequest)).toBe(who)
  expect(seen.at(-1)).toBe(who)
})
