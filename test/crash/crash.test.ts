import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allFaults } from './allFaults.ts'
import { openLanes } from './openLanes.ts'
import { type Case, runCase } from './runCase.ts'

// A spread of what `npm run test:crash` does in full.
const size = 6
/** Steps that every process comes to: from the plan on, from the commit of the signed bytes on, and up to its halt. */
const steps = { plan: [1, 20], sign: [20, 44], halt: [20, 27] } as const

/** A permit is durable, and its swap is not signed yet. */
const permitted: Case = {
  fault: { id: 'none', what: 'nothing but the death itself', from: 'plan' },
  ...{ sells: 'USDC', dialect: 'sqlite', recoveryAt: 0 },
  at: 'after commit of permit, event',
}

const spread: readonly Case[] = Array.from({ length: size }, (_, index) => {
  const fault = allFaults[Math.floor((index * allFaults.length) / size)]
  if (fault === undefined) throw new Error('the index is below the length')
  const [first, last] = steps[fault.halts ? 'halt' : (fault.from ?? 'sign')]
  return {
    fault,
    sells: 'ETH' as const,
    dialect: 'sqlite' as const,
    at: first + ((index * 7) % (last - first + 1)),
    recoveryAt: index % 4 === 3 ? 1 + ((index * 11) % 30) : 0,
  }
})

/** The same deaths where the journal is on a server, of every fourth fault. */
const onServer = [permitted, ...spread.filter((_, index) => index % 4 === 2)].map(
  (one): Case => ({ ...one, dialect: 'postgres' }),
)

const sample = [permitted, ...spread.slice(1), ...onServer]

const lanes = 4
let field: Awaited<ReturnType<typeof openLanes>>
beforeAll(async () => {
  field = await openLanes(lanes)
})
afterAll(() => field.close())

describe.concurrent('crash: one process dies, another goes on, and the journal is what the chain is', () => {
  test.each(sample.map((one) => [titleOf(one), one] as const))(
    '%s',
    { timeout: 600_000 },
    async (_, one) => {
      const { breaks, doubles, lost, phantoms, struck } = await field.use((each) =>
        runCase(each, one),
      )
      expect({ breaks, doubles, lost, phantoms }).toEqual({
        breaks: [],
        doubles: 0,
        lost: 0,
        phantoms: 0,
      })
      expect(struck[0]).toMatch(
        new RegExp(typeof one.at === 'number' ? `^${one.at} ` : ` ${one.at}$`),
      )
    },
  )
})

function titleOf({ fault, dialect, at, recoveryAt }: Case): string {
  const id = fault.id === 'none' ? 'LOCAL-02' : fault.id
  return `[${id}] ${fault.what}${dialect === 'sqlite' ? '' : ', on a server'}: SIGKILL at step ${at}${recoveryAt > 0 ? `, and at ${recoveryAt} of the recovery` : ''}`
}
