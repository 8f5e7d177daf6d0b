import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Quoted } from '../../../src/bot/stages.ts'
import { createVerify } from '../../../src/bot/verify/verify.ts'
import type { Checklist } from '../../../src/core/check.ts'
import { controls } from './controls.ts'
import { now, pins, quoteOf } from './goodQuote.ts'
import { hostileQuotes } from './hostileQuotes.ts'

/** The one check that says yes to everything at the moment. */
const blind = vi.hoisted((): { check: string | undefined } => ({ check: undefined }))

/** Legs share their checks: `leg-2-pool` is `leg-pool`. */
const kindOf = (name: string) => name.replace(/^verify\./, '').replace(/^leg-\d+-/, 'leg-')

vi.mock('../../../src/core/check.ts', async (original) => {
  const real = await original<typeof import('../../../src/core/check.ts')>()
  const createChecklist: typeof real.createChecklist = (...options) => {
    const list = real.createChecklist(...options)
    const blinded: Checklist = {
      ...list,
      holds: (name, ok, expected, actual) =>
        list.holds(name, ok || kindOf(name) === blind.check, expected, actual),
      equal: (name, expected, actual) =>
        kindOf(name) === blind.check
          ? list.holds(name, true, expected, actual)
          : list.equal(name, expected, actual),
    }
    return blinded
  }
  return { ...real, createChecklist }
})

const clock = { now: () => now * 1_000, sleep: async () => {} }
const verify = createVerify({ pins, clock })

/** Names of hostile quotes that pass while one check is blind: what nothing but that check stops. */
const killers = new Map<string, readonly string[]>()
const kinds = new Set<string>()

beforeAll(async () => {
  for (const recipe of Object.values(controls))
    for (const { name } of (await verify(await quoteOf(recipe))).checks) kinds.add(kindOf(name))
  const quotes = new Map<string, Quoted>()
  for (const [name, [, recipe]] of Object.entries(hostileQuotes))
    quotes.set(name, await quoteOf(recipe))
  for (const kind of kinds) {
    blind.check = kind
    const passing: string[] = []
    for (const [name, quoted] of quotes)
      await verify(quoted).then(
        () => passing.push(name),
        () => undefined,
      )
    killers.set(kind, passing)
  }
  blind.check = undefined
})

describe('verify without one of its checks', () => {
  test('every check alone stops something', () => {
    const table = [...killers].map(
      ([kind, names]) =>
        `${kind.padEnd(22)}${String(names.length).padStart(3)}  ${names[0] ?? '-'}`,
    )
    process.stdout.write(
      `check without which hostile quotes pass, and the first of them\n${table.join('\n')}\n`,
    )
    expect([...killers].filter(([, names]) => names.length === 0).map(([kind]) => kind)).toEqual([])
  })

  test('what passes is what the case says its check stops', () => {
    for (const [kind, names] of killers)
      for (const name of names) expect(kindOf(hostileQuotes[name]?.[0] ?? ''), name).toBe(kind)
  })

  test('every case names a check there is', () => {
    const named = new Set(Object.values(hostileQuotes).map(([check]) => kindOf(check)))
    expect([...named].toSorted()).toEqual([...kinds].toSorted())
  })

  test('the numbers', () => {
    expect(Object.keys(hostileQuotes).length).toBeGreaterThanOrEqual(120)
    expect(Object.keys(controls).length).toBeGreaterThanOrEqual(20)
  })
})
