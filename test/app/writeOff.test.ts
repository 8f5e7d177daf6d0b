import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { whoRuns } from '../../src/app/whoRuns.ts'
import type { Drivetrain } from '../../src/bot/life/train.ts'
import { getCode } from '../../src/chain/calls/account.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { getReceipt } from '../../src/chain/calls/getReceipt.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import { balances } from '../support/balances.ts'
import { codeThatCalls, takes } from '../support/codeThatCalls.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { pruned, startLyingNode } from '../support/lyingNode.ts'
import { openOpaqueBot } from '../support/openOpaqueBot.ts'
import { until } from '../support/until.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
let bot: Awaited<ReturnType<typeof openOpaqueBot>>

beforeEach(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
  bot = await openOpaqueBot(fork, { rpcUrl: node.url })
})
afterEach(async () => {
  await bot.close()
  await node.close()
  await fork.close()
})

/** The router has no code while the swap is mined: its call succeeds and moves nothing. */
const hollow: Drivetrain['broadcast'] = async (bytes) => {
  if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
  const { router } = fork.ready
  const code = await fork.rpc.request(getCode(router))
  await fork.rpc.request(anvilCalls.setCode(router, '0x00'))
  const answer = await bot.train.broadcast(bytes)
  await until(async () => (await fork.rpc.request(getReceipt(bytes.hash))) !== undefined)
  await fork.rpc.request(anvilCalls.setCode(router, code))
  return answer
}

const wish = { sell: '1 WETH', buy: 'USDC', floor: '2950 USDC' }

const call = async (...args: string[]) => {
  const { stdout, stderr, code } = await callCli([...args, '--config', bot.where.ready.config], {
    cwd: fork.dataDir,
  })
  return { text: `${stdout}${stderr}`, code }
}

const writeOff = (id: string) =>
  call('resume', '--write-off', id, '--reason', 'the explorer shows no transfer')

test('a swap of an opaque router that moved nothing ends by the word of a person, and all books are true', async () => {
  const before = await balances(fork.rpc, fork.ready)
  const { record, failure } = await bot.swap(wish, { broadcast: hollow })
  expect(failure).toMatchObject({ code: 'SETTLEMENT_UNEXPLAINED' })
  expect(record).toMatchObject({ state: 'INCLUDED' })
  await bot.close()

  expect(await writeOff(record.id)).toEqual({
    code: 0,
    text: expect.stringMatching(
      /Wrote off swap .*: sold 0, received 0, gas paid\.\nReleased lock 1: halt .*SETTLEMENT_UNEXPLAINED/,
    ),
  })
  // Repeated, as where the release of the lock failed behind it, it changes nothing and goes on to the locks.
  expect(await writeOff(record.id)).toMatchObject({ code: 0 })
  const after = await balances(fork.rpc, fork.ready)
  expect({ ...after, ETH: 0n }).toEqual({ ...before, ETH: 0n })

  for (const check of [['reconcile'], ['audit', 'verify']])
    expect(await call(...check)).toMatchObject({ code: 0 })
  const journal = await bot.reopenJournal()
  const written = await journal.swaps.record(record.id)
  expect(written).toMatchObject({
    ...{ state: 'REVERTED', code: 'WRITTEN_OFF', reason: 'the explorer shows no transfer' },
    ...{ sold: null, received: null },
  })
  expect(BigInt(written?.gasPaidInAllWei ?? 0)).toBe((before.ETH ?? 0n) - (after.ETH ?? 0n))
  expect((await journal.log.ofSwap(record.id)).at(-1)).toMatchObject({
    type: 'REVERTED',
    facts: { code: 'WRITTEN_OFF', reason: 'the explorer shows no transfer', by: whoRuns() },
  })
  expect(await journal.swaps.open()).toEqual([])
  await journal.shut()

  // The wallet trades on, and the limits count one swap alone.
  bot = await openOpaqueBot(fork, { rpcUrl: node.url })
  expect((await bot.swap(wish)).record).toMatchObject({ state: 'SETTLED' })
  const { chainId } = bot.config.chain
  const scope = { chainId, wallet: bot.config.wallet.address, since: 0 }
  const taken = (await bot.journal.books.counted(scope)).taken.map(({ amountIn }) => amountIn)
  expect(taken).toEqual([10n ** 18n])
  expect(await call('reconcile')).toMatchObject({ code: 0 })
})

/** The router takes what is sold, and gives nothing. */
const taking: Drivetrain['broadcast'] = async (bytes) => {
  if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
  const { router, makers, tokens, wallets } = fork.ready
  const [from, to] = [wallets.treasury, Object.values(makers)[0]].map((one) => one?.address ?? '0x')
  const taken = takes(tokens.USDC?.address ?? '0x', from as Hex, {
    to: to as Hex,
    wei: 3_000_000_000n,
  })
  const code = await fork.rpc.request(getCode(router))
  await fork.rpc.request(anvilCalls.setCode(router, codeThatCalls([taken])))
  const answer = await bot.train.broadcast(bytes)
  await until(async () => (await fork.rpc.request(getReceipt(bytes.hash))) !== undefined)
  await fork.rpc.request(anvilCalls.setCode(router, code))
  return answer
}

test('a swap that took what was sold and gave nothing is booked as that by the word of a person', async () => {
  const { record, failure } = await bot.swap(
    { sell: '3000 USDC', buy: 'ETH', floor: '0.97 ETH' },
    { broadcast: taking },
  )
  expect(failure).toMatchObject({ code: 'SETTLEMENT_UNEXPLAINED' })
  await bot.close()
  expect(await writeOff(record.id)).toMatchObject({
    code: 0,
    text: expect.stringMatching(/Wrote off swap .*: sold 3000 USDC, received 0, gas paid\./),
  })
  expect(await writeOff(record.id)).toMatchObject({ code: 0 })
  const journal = await bot.reopenJournal()
  expect(await journal.swaps.record(record.id)).toMatchObject({
    ...{ state: 'SETTLED', code: 'WRITTEN_OFF', reason: 'the explorer shows no transfer' },
    ...{ sold: { text: '3000' }, received: { wei: '0' } },
  })
  await journal.shut()

  // Nothing that reads the books stumbles over a swap without a price.
  for (const read of [
    ...[['reconcile'], ['audit', 'verify'], ['history'], ['history', record.id]],
    ...[['report'], ['explain', record.id], ['status'], ['export', '--what', 'swaps']],
    ['export', '--what', 'ledger'],
    ['report', '--month', new Date().toISOString().slice(0, 7)],
  ])
    expect([read, await call(...read)]).toMatchObject([read, { code: 0 }])
  expect((await call('explain', record.id)).text).toMatch(
    /written off +\S+ +WRITTEN_OFF: the\s+explorer\s+shows\s+no\s+transfer\.\s+By\s/,
  )
  expect((await call('export', '--what', 'journal')).text).toMatch(
    /,Expenses:Losses,USDC,[^\n]*\n[^\n]*,Assets:Wallet,USDC/,
  )

  // It trades on; the limits count what was taken, and no breaker asks the person again.
  bot = await openOpaqueBot(fork, { rpcUrl: node.url })
  expect(await bot.journal.locks.live()).toEqual([])
  expect((await bot.swap(wish)).record).toMatchObject({ state: 'SETTLED' })
})

test('never where the chain shows that something moved, or for a swap that is no such one', async () => {
  node.lie(pruned)
  const { record } = await bot.swap({ sell: '3000 USDC', buy: 'ETH', floor: '0.97 ETH' })
  expect(record).toMatchObject({ state: 'INCLUDED' })
  await bot.close()
  expect(await writeOff(record.id)).toEqual({
    code: 3,
    text: expect.stringMatching(/\(NOT_WRITTEN_OFF\)[\s\S]*moved: a transfer of the token 0x/),
  })
  expect(await writeOff('nothing')).toMatchObject({
    code: 2,
    text: expect.stringContaining('UNKNOWN_SWAP'),
  })
  const journal = await bot.reopenJournal()
  expect(await journal.swaps.record(record.id)).toMatchObject({ state: 'INCLUDED' })
  expect(await journal.locks.live()).toMatchObject([{ code: 'SETTLEMENT_UNMEASURED' }])
  await journal.shut()
})

test('one that no node can measure is written off; the value that a call carried is a move', async () => {
  node.lie(pruned)
  const { record, failure } = await bot.swap(
    { sell: '3000 USDC', buy: 'ETH', floor: '0.97 ETH' },
    { broadcast: hollow },
  )
  expect(failure).toMatchObject({ code: 'SETTLEMENT_UNMEASURED' })
  await bot.close()
  expect(await writeOff(record.id)).toMatchObject({ code: 0 })
  expect(await call('reconcile')).toMatchObject({ code: 0 })

  bot = await openOpaqueBot(fork, { rpcUrl: node.url })
  const paid = await bot.swap(
    { sell: '1 ETH', buy: 'USDC', floor: '2950 USDC' },
    { broadcast: hollow },
  )
  expect(paid.failure).toMatchObject({ code: 'SETTLEMENT_UNMEASURED' })
  await bot.close()
  expect(await writeOff(paid.record.id)).toEqual({
    code: 3,
    text: expect.stringContaining('1 ETH left with the call'),
  })
})

test('a swap that is on record as written off, and moved something, is a break', async () => {
  const { record } = await bot.swap(wish)
  expect(record).toMatchObject({ state: 'SETTLED' })
  await bot.close()
  const { database } = bot.config
  const db = new DatabaseSync(database.dialect === 'sqlite' ? database.path : '')
  db.exec(`UPDATE swap SET state = 'REVERTED', code = 'WRITTEN_OFF', sold = NULL, received = NULL`)
  db.close()
  const { text } = await call('reconcile')
  expect(text).toMatch(/I5 LEDGER_DIFFERS\n {2}swapId: .*\n {2}what: sold\n {2}booked: 0/)
})
