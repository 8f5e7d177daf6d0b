import { expect, test } from 'vitest'
import { defineCommand, type Need } from '../../src/cli/command.ts'
import type { Invocation } from '../../src/cli/invocation.ts'
import { firstFailure, reportFailure } from '../../src/cli/reportFailure.ts'
import type { Config } from '../../src/config/config.ts'
import { ballastError } from '../../src/core/errors.ts'

/** Calls a command as the frame would, and keeps what happened in its order. */
function called({ json }: { json: boolean }) {
  const events: string[] = []
  const terminal = {
    out: (text: string) => events.push(`out ${text}`),
    json: (value: unknown) => events.push(`json ${JSON.stringify(value)}`),
  }
  const load = async (scope: string) => {
    events.push(`config ${scope}`)
    return {} as Config
  }
  const invocation = { json, terminal, load, options: {}, args: [] } as unknown as Invocation
  const need =
    (name: string): Need<string> =>
    async (_call, opened) => {
      events.push(`opens ${name}`)
      opened.defer(() => void events.push(`closes ${name}`))
      return name
    }
  return { events, invocation, need }
}

const described = { name: 'sums', summary: 'sums', example: 'ballast sums' }

test.each([
  [false, 'out 3 of first and second'],
  [true, 'json {"sum":3}'],
])(
  'a command gets its needs open, in order, and they close after its result (json: %s)',
  async (json, printed) => {
    const { events, invocation, need } = called({ json })
    const command = defineCommand({
      ...described,
      config: 'journal',
      needs: { first: need('first'), second: need('second') },
      run: async ({ first, second }) => ({ sum: 3, from: `${first} and ${second}` }),
      text: ({ sum, from }) => `${sum} of ${from}`,
      document: ({ sum }) => ({ sum }),
      exitCode: ({ sum }) => sum,
    })
    expect(await command.run(invocation)).toBe(3)
    expect(events).toEqual([
      ...['config journal', 'opens first', 'opens second', printed],
      ...['closes second', 'closes first'],
    ])
  },
)

test('a command that fails prints nothing, and what it needed is closed', async () => {
  const { events, invocation, need } = called({ json: true })
  const failure = ballastError('NO_JOURNAL', 'There is none.')
  const command = defineCommand({
    ...described,
    config: 'everything',
    needs: { only: need('only') },
    run: async () => {
      throw failure
    },
  })
  await expect(command.run(invocation)).rejects.toBe(failure)
  expect(events).toEqual(['config everything', 'opens only', 'closes only'])
})

test('without what it needs open, the work does not begin', async () => {
  const { events, invocation, need } = called({ json: false })
  const away: Need<never> = async () => {
    throw ballastError('UNREACHABLE', 'It is away.')
  }
  const command = defineCommand({
    ...described,
    config: 'everything',
    needs: { first: need('first'), away },
    run: async () => {
      events.push('runs')
    },
  })
  await expect(command.run(invocation)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(events).toEqual(['config everything', 'opens first', 'closes first'])
})

test('the failure of the work is reported, not the one of closing after it', () => {
  const work = ballastError('LOCKED', 'The wallet is locked.')
  const thrown = new SuppressedError(new Error('closing'), new SuppressedError(new Error(), work))
  expect(firstFailure(thrown)).toBe(work)
  const notes: string[] = []
  const terminal = { note: (text: string) => notes.push(text) } as never
  expect(reportFailure(thrown, { terminal, json: false, debug: false })).toBe(5)
  expect(notes).toEqual(['ballast: The wallet is locked. (LOCKED)'])
})
