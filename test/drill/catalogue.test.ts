import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { usualWish } from '../../src/app/drill/drillConfig.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { systemClock } from '../../src/core/clock.ts'
import { controls } from '../../src/drill/controls.ts'
import type { NodeCall, NodeScene } from '../../src/drill/lie.ts'
import { rpcLies } from '../../src/drill/rpcLies.ts'
import { catalogue } from '../../src/drill/runDrill.ts'
import { goodYaml } from '../config/goodYaml.ts'

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

const variants = controls.filter((control) => control.kind === 'http')

test.each(variants)(
  'the honest variant $name says 200, and what the service said',
  async (variant) => {
    const quote = { success: true, amount: '1', target: `0x${'aB'.repeat(20)}` }
    const honest = async () => ({ status: 200, headers: {}, text: JSON.stringify(quote) })
    const server = createServer(async (request, response) => {
      const scene = { request, response, honest, earlier: 1, trap: '', clock: systemClock }
      await variant.answer(scene)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const answer = await fetch(`http://127.0.0.1:${port}/`)
      // One of them sends a list of one.
      const said = JSON.stringify([await answer.json()].flat()).toLowerCase()
      const sent = JSON.stringify([quote]).toLowerCase()
      expect([answer.status, JSON.parse(said)]).toEqual([200, JSON.parse(sent)])
    } finally {
      server.close()
    }
  },
)

const takers = rpcLies.filter(({ what }) => / took (?:it|the transaction)\.|mines it\.$/.test(what))

test.each(takers.filter(({ instead }) => instead !== undefined))(
  'the node of $name has taken what it refuses',
  async ({ instead }) => {
    const call = { method: 'eth_sendRawTransaction', params: ['0x02'] }
    const asked: NodeCall[] = []
    const ask = async (method: string, params: readonly unknown[]) =>
      void asked.push({ method, params })
    const answer = await instead?.(call, { ask } as NodeScene)
    expect(answer).toMatchObject({ error: {} })
    expect(asked).toEqual([call])
  },
)

test.each([
  ['answers-swapped', ['1 is b', '2 is c', '3 is a']],
  ['answer-missing', ['2 is b', '3 is c']],
  ['answer-doubled', ['2 is b', '3 is c', '3 is c']],
])('of three answers the node of %s gives %j', (wanted, given) => {
  const answers = ['a', 'b', 'c'].map((result, index) => ({ id: index + 1, result }))
  const lie = rpcLies.find(({ name }) => name === wanted)
  const said: typeof answers = JSON.parse(lie?.reply?.(answers, [], {} as NodeScene) ?? '[]')
  expect(said.map(({ id, result }) => `${id} is ${result}`)).toEqual(given)
})

test('a policy that lets nothing be swapped leaves nothing to drill', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-drill-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
  const config = loadConfig({ file: 'ballast.yaml', environment: {}, cwd, needs: 'market' })
  rmSync(cwd, { recursive: true })
  const { policy } = config
  expect(usualWish(config).wish).toMatchObject({ sell: 'WETH', buy: 'USDC' })
  const nothing: readonly Partial<typeof policy>[] = [
    { pairs: [] },
    { perSwap: [] },
    { perDay: [] },
  ]
  for (const change of nothing)
    expect(() => usualWish({ ...config, policy: { ...policy, ...change } })).toThrow(
      expect.objectContaining({ code: 'NOTHING_TO_DRILL' }),
    )
})
