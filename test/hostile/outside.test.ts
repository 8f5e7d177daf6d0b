import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { controls } from '../../src/drill/controls.ts'
import { httpLies } from '../../src/drill/httpLies.ts'
import { rpcLies } from '../../src/drill/rpcLies.ts'
import type { DrillVerdict } from '../../src/drill/runDrill.ts'
import { tokenLies } from '../../src/drill/tokenLies.ts'
import { openArena } from './openArena.ts'
import { titleOf } from './titleOf.ts'

const kinds = [
  { title: 'a hostile service', lies: httpLies, least: 25 },
  { title: 'a hostile node', lies: rpcLies, least: 40 },
  { title: 'a token that does not behave', lies: tokenLies, least: 10 },
] as const

let arena: Awaited<ReturnType<typeof openArena>>
let verdicts: ReadonlyMap<string, DrillVerdict>
beforeAll(async () => {
  arena = await openArena()
  const cases = [...controls, ...kinds.flatMap(({ lies }) => [...lies])]
  verdicts = await arena.drill(cases.map(({ name }) => name))
})
afterAll(() => arena.close())

for (const { title, lies, least } of kinds)
  describe(`${title}: nothing is signed, or the bot's account is the chain's`, () => {
    for (const { name, what } of lies)
      test(titleOf({ name, what }), () => {
        expect(verdicts.get(name)).toMatchObject({ ok: true })
      })
    test(`at least ${least} lies were told`, () => {
      expect(lies.filter(({ name }) => verdicts.has(name)).length).toBeGreaterThanOrEqual(least)
    })
  })

describe('honest variants: are accepted and settle', () => {
  for (const { name, what } of controls)
    test(`${name}: ${what}`, () => {
      expect(verdicts.get(name)).toMatchObject({ ok: true, by: 'SETTLED' })
    })
})
