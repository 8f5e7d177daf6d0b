import { describe, expect, test } from 'vitest'
import { controls } from '../../src/drill/controls.ts'
import { catalogue } from '../../src/drill/runDrill.ts'

const all = [...controls, ...catalogue]
const count = (kind: string) => catalogue.filter((lie) => lie.kind === kind).length

describe('the catalogue', () => {
  test('has a name of its own for every case', () => {
    const names = all.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))).toEqual([])
  })

  test('says of every case in one sentence what happens', () => {
    expect(all.filter(({ what }) => !/^[A-Z].*\.$/.test(what)).map(({ name }) => name)).toEqual([])
  })

  test('covers every party that may lie', () => {
    expect(count('quote')).toBeGreaterThanOrEqual(60)
    expect(count('http')).toBeGreaterThanOrEqual(25)
    expect(count('rpc')).toBeGreaterThanOrEqual(40)
    expect(count('token')).toBeGreaterThanOrEqual(10)
    expect(controls.length).toBeGreaterThanOrEqual(20)
  })

  test('lets nothing be signed for a quote that lies', () => {
    const lenient = catalogue.filter(({ kind, signs }) => kind === 'quote' && signs === 'may')
    expect(lenient.map(({ name }) => name)).toEqual([])
  })
})
