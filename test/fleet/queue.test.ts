import { randomUUID } from 'node:crypto'
import { afterEach, expect, inject, test } from 'vitest'
import { joinFleet } from '../../src/app/fleet/members.ts'
import { openQueue, type Queue } from '../../src/app/fleet/openQueue.ts'
import { secret } from '../../src/core/secret.ts'
import { silent } from '../support/silent.ts'
import { askServer } from './judgeFleet.ts'

let undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(undo.map((each) => each()))
  undo = []
})

const place = async () => {
  const { url } = inject('postgres')
  const name = `queue_${randomUUID().replaceAll('-', '')}`
  await askServer(url, `CREATE DATABASE ${name}`)
  return url.replace(/[^/]*$/, name)
}
const open = async (url: string, watches = false): Promise<Queue> => {
  const database = { dialect: 'postgres', url: secret(url) } as const
  const queue = await openQueue({ database, watches, log: silent })
  undo.push(queue.close)
  return queue
}

test('processes that start together in an empty database all come up', async () => {
  for (let round = 0; round < 4; round += 1) {
    const url = await place()
    const members = await Promise.all(
      [0, 1, 2, 3].map(async (nth) => {
        const member = await joinFleet(await open(url), { role: 'worker', nonce: String(nth) })
        await member.beat([`wallet-${nth}`])
        return member
      }),
    )
    const [first] = members
    expect(await first?.present()).toMatchObject(
      [0, 1, 2, 3].map((nth) => ({ role: 'worker', wallets: [`wallet-${nth}`] })),
    )
    await members[1]?.leave()
    expect(await first?.present()).toHaveLength(3)
  }
})

test('a wallet is one process’s at a time, however often it is offered', async () => {
  const url = await place()
  const [a, b] = [await open(url), await open(url)]
  await Promise.all([a, b, a, b].map((queue) => queue.offer(['one', 'two'])))
  const taken = await Promise.all([a, b, a, b].map((queue) => queue.take()))
  expect(taken.flatMap((one) => one?.wallet ?? []).sort()).toEqual(['one', 'two'])
  await a.offer(['one', 'two'])
  expect(await b.take()).toBeUndefined()
  const one = taken.find((each) => each?.wallet === 'one')
  expect(await one?.keep()).toBe(true)
  await one?.release()
  expect(await one?.keep()).toBe(false)
  await a.offer(['one', 'two'])
  expect(await b.take()).toMatchObject({ wallet: 'one' })
})

test('one that failed comes back after a while, and one whose process is gone too', async () => {
  const url = await place()
  const [watching, other] = [await open(url, true), await open(url)]
  await watching.offer(['one'])
  const first = await other.take()
  await first?.postpone()
  await expect.poll(() => watching.take()).toMatchObject({ wallet: 'one' })
  // Whoever took it says nothing any more, and the same attempt says nothing of the next one.
  const next = await expect
    .poll(async () => ((await other.take()) === undefined ? 'nobody' : 'taken'))
    .toBe('taken')
    .then(() => first?.keep())
  expect(next).toBe(false)
})

test('a server that is away is worth another try', async () => {
  await expect(open('postgres://ballast@127.0.0.1:1/nothing')).rejects.toMatchObject({
    code: 'JOURNAL_UNREACHABLE',
    remedy: 'retry',
  })
})
