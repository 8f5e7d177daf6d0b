import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeAbiParameters, encodeFunctionData, keccak256 } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reconcileWallet } from '../../../src/app/reconcileWallet.ts'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { type Funded, pass } from '../../../src/bot/stages.ts'
import { requote } from '../../../src/bot/swap.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { getTransactionCount } from '../../../src/chain/calls/account.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { traceReads } from '../../../src/chain/calls/traces.ts'
import { createRpc } from '../../../src/chain/rpc/createRpc.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { findLayout, slotOf } from '../../../src/chain/storage/layout.ts'
import { parseAmount } from '../../../src/core/amount.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { Address } from '../../../src/core/token.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { callCli } from '../../cli/callCli.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { startLyingNode } from '../../support/lyingNode.ts'
import { openBot } from '../../support/openBot.ts'
import { planned } from '../../support/planned.ts'
import { transact } from '../../support/transact.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
const journalPath = () => join(fork.dataDir, 'ballast.db')

beforeEach(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterEach(async () => {
  await bot.close()
  await fork.close()
})

type Broadcast = typeof bot.train.broadcast

const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
const oneEth = { sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' }
const treasury = () => fork.ready.wallets.treasury as { address: Address; privateKey: Hex }
const call = (method: string, ...params: unknown[]) =>
  fork.rpc.request({ method, params, parse: (answer) => answer })
const mine = async (blocks: number) => {
  for (let block = 0; block < blocks; block += 1) await call('evm_mine')
}
const compare = (since = 0) =>
  reconcileWallet(
    { config: bot.config, rpc: fork.rpc, journal: bot.journal, clock: systemClock },
    { since, logDefects: bot.journal.books.logDefects },
  )

/** Which checks did not hold, and how. */
async function verdicts(since = 0) {
  const { checks, locks } = await compare(since)
  return {
    not: checks.flatMap(({ id, verdict }) => (verdict === 'holds' ? [] : [`${id} ${verdict}`])),
    codes: checks.flatMap(({ breaks }) => breaks.map(({ code }) => code)),
    locks: locks.map(({ code }) => code),
  }
}

const broken = (id: string, code: string, lock: string | undefined = 'LEDGER_BROKEN') => ({
  not: [`${id} broken`],
  codes: [code],
  locks: lock === undefined ? [] : [lock],
})

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

function edit(...statements: readonly string[]): void {
  const db = new DatabaseSync(journalPath())
  for (const statement of statements) db.exec(statement)
  db.close()
}

/** The journal is gone, as after `rm`. */
function forget(): void {
  const path = journalPath()
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
}

const dropSwaps: Broadcast = async (bytes) => {
  if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
  await call('evm_increaseTime', 60)
  return { verdict: 'ambiguous', words: 'lost' }
}

/** A maker takes its money back in the last moment, and puts it there again. */
const allowOfMaker = async (wei: bigint) => {
  const maker = Object.values(fork.ready.makers)[0] as { privateKey: Hex }
  await transact(fork.rpc, {
    privateKey: maker.privateKey,
    to: fork.ready.tokens.USDC?.address as Address,
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [fork.ready.router, wei],
    }),
  })
}

const revertSwaps: Broadcast = async (bytes) => {
  if (bytes.kind === 'SWAP') await allowOfMaker(0n)
  return bot.train.broadcast(bytes)
}

/** Swaps of every end that a chain can give, an approval that was left behind among them. */
async function liveThrough() {
  const records = [
    await bot.swap(oneWeth),
    await bot.swap(oneEth),
    await bot.swap(oneWeth, { broadcast: revertSwaps }),
  ]
  await allowOfMaker(2n ** 255n)
  records.push(await bot.swap(oneWeth, { broadcast: dropSwaps }))
  expect(records.map(({ record }) => record.state)).toEqual([
    'SETTLED',
    'SETTLED',
    'REVERTED',
    'EXPIRED_DEAD',
  ])
}

describe('reconcile', () => {
  test('a history of every end is clean, its evidence counts it, and it is marked', async () => {
    await liveThrough()
    const { checks, locks } = await compare()
    expect(checks.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
    expect(locks).toEqual([])
    expect(checks.map(({ id }) => id)).toEqual(
      Array.from({ length: 13 }, (_, index) => `I${index + 1}`),
    )
    const evidence = Object.fromEntries(checks.map((one) => [one.id, one.evidence]))
    expect(evidence).toMatchObject({
      I1: expect.stringMatching(/^6 nonces from 0 on: 6 of one attempt each$/),
      I2: expect.stringMatching(/^2 dead swaps/),
      I3: '4 swaps, 7 signed transactions',
      I4: expect.stringMatching(/^4 quotes/),
      I5: '2 settled swaps as their events say, 2 of them by balances too; 6 gas bills',
      I7: '0 swaps are open',
      I8: expect.stringMatching(/^1 allowance was ever given; on record: 1 WETH left by /),
      I9: '7 signed transactions, 0 of them without a swap of the log',
      I11: '2 settled swaps',
    })
    const mark = await bot.journal.reconciliation.mark({
      chainId: 31_337,
      wallet: treasury().address,
      since: 0,
    })
    expect(mark?.seq).toBeGreaterThan(20)
  })

  test('a start over such a history is clean too, and goes on from the mark', async () => {
    await liveThrough()
    await bot.close()
    bot = await openBot(fork)
    expect(bot.warnings).toEqual([])
    // The mark is old, so only what came after it, and the last day's, is looked at.
    const past = systemClock.now() - 365 * 24 * 60 * 60 * 1_000
    edit(`UPDATE swap SET updated_at = ${past}, gas_paid = '1'`)
    await bot.close()
    bot = await openBot(fork)
    expect((await verdicts()).not).toEqual(['I5 broken'])
  })

  test('beside a running bot: what happens between two looks never is a break', async () => {
    let busy = true
    const swaps = (async () => {
      for (const wish of [oneWeth, oneEth]) await bot.swap(wish)
    })().finally(() => {
      busy = false
    })
    let looks = 0
    while (busy) {
      const { checks, locks } = await compare()
      expect([locks, checks.filter(({ verdict }) => verdict === 'broken')]).toEqual([[], []])
      looks += 1
    }
    await swaps
    expect(looks).toBeGreaterThan(10)
    expect(await verdicts()).toEqual({ not: [], codes: [], locks: [] })
  })

  test('a receipt of a block that is not canonical proves nothing', async () => {
    await bot.swap(oneEth)
    const node = await startLyingNode(fork.ready.rpcUrl, {
      bend: ({ method }, answer) =>
        method === 'eth_getTransactionReceipt'
          ? { ...answer, result: { ...answer.result, blockHash: keccak256('0x07') } }
          : answer,
    })
    const rpc = createRpc({ url: node.url })
    try {
      const { checks, locks } = await reconcileWallet(
        { config: bot.config, rpc, journal: bot.journal, clock: systemClock },
        { since: 0, logDefects: bot.journal.books.logDefects },
      )
      expect(locks).toEqual([])
      expect(
        checks.flatMap(({ id, verdict }) => (verdict === 'holds' ? [] : [`${id} ${verdict}`])),
      ).toEqual(['I1 unknown', 'I11 unknown'])
    } finally {
      await rpc.close()
      await node.close()
    }
  })

  test('[CHAIN-11] I1: a transaction of the same key that is not ours', async () => {
    await bot.swap(oneEth)
    const { privateKey, address } = treasury()
    await transact(fork.rpc, { privateKey, to: address, data: '0x', value: 1n })
    await mine(Number(bot.config.chain.confirmations))
    expect(await verdicts()).toEqual(broken('I1', 'NONCE_FOREIGN'))
  })

  test('[CHAIN-12] I1: nonces that the books gave out and the chain does not know', async () => {
    await bot.swap(oneEth)
    edit('UPDATE wallet SET next_nonce = next_nonce + 2')
    const { checks } = await compare()
    expect(checks[0]?.breaks).toMatchObject([
      {
        code: 'NONCE_LOST',
        facts: { nonceOfChain: 1, nonceOfJournal: 3 },
        next: expect.stringContaining('ballast resume'),
      },
    ])
    expect((await verdicts()).not).toEqual(['I1 broken'])
  })

  test('[CHAIN-11] a displaced swap is a break until a person has released the wallet', async () => {
    let isTaken = false
    const foreign: Broadcast = async (bytes) => {
      if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
      const { address, privateKey } = treasury()
      // Offered again where the machine is slow: only the first time takes its nonce.
      if (!isTaken) await transact(fork.rpc, { privateKey, to: address, data: '0x', value: 1n })
      isTaken = true
      return { verdict: 'ambiguous', words: 'lost' }
    }
    const { record } = await bot.swap({ ...oneEth, expirySeconds: 10 }, { broadcast: foreign })
    expect(record.state).toBe('DISPLACED')
    expect(await verdicts()).toEqual(broken('I1', 'NONCE_TAKEN'))
    const ballast = (...args: string[]) =>
      callCli([...args, '--config', bot.config.file], { cwd: fork.dataDir })
    await bot.close()
    // So that the release of the nonce explains it, and not the release of this break.
    edit(`DELETE FROM event WHERE type = 'BROKEN'`)
    expect((await ballast('resume', '--reason', 'it was us, by hand')).code).toBe(0)
    const { checks } = JSON.parse((await ballast('reconcile', '--json')).stdout)
    expect(checks[0]).toMatchObject({
      verdict: 'holds',
      evidence: expect.stringContaining('1 released by a person'),
    })
  })

  test('[CHAIN-19] I5: a receipt whose event says other amounts, or that has none', async () => {
    await bot.swap(oneEth)
    const node = await startLyingNode(fork.ready.rpcUrl)
    const rpc = createRpc({ url: node.url })
    const told = async () => {
      const { checks } = await reconcileWallet(
        { config: bot.config, rpc, journal: bot.journal, clock: systemClock },
        { since: 0, logDefects: bot.journal.books.logDefects },
      )
      return checks.flatMap(({ id, breaks }) => breaks.map(({ facts }) => [id, facts.what]))
    }
    try {
      expect(await told()).toEqual([])
      node.lie({
        bend: ({ method }, answer) =>
          method === 'eth_getTransactionReceipt'
            ? { ...answer, result: { ...answer.result, logs: [] } }
            : answer,
      })
      expect(await told()).toEqual([
        ['I5', 'sold'],
        ['I5', 'received'],
        ['I5', 'balances agree'],
      ])
    } finally {
      await rpc.close()
      await node.close()
    }
  })

  test('[LOCAL-24] [CHAIN-13] an old backup is named, the start refused, no release adopts a swap, and recover books it', async () => {
    await bot.swap(oneEth)
    await bot.close()
    const path = journalPath()
    const backup = new DatabaseSync(path)
    backup.exec(`VACUUM INTO '${path}.old'`)
    backup.close()
    bot = await openBot(fork)
    await bot.swap(oneEth)
    await bot.close()
    forget()
    copyFileSync(`${path}.old`, path)
    await expect(openBot(fork)).rejects.toMatchObject({
      code: 'NONCE_FOREIGN',
      facts: { next: expect.stringContaining('ballast recover') },
    })
    const ballast = (...args: string[]) =>
      callCli([...args, '--config', bot.config.file], { cwd: fork.dataDir })
    const named = await ballast('reconcile')
    expect([named.code, named.stdout]).toEqual([1, expect.stringContaining('I1 NONCE_FOREIGN')])
    const refused = await ballast('resume', '--reason', 'an old backup, nothing is pending')
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('(BOOKS_BEHIND)')])
    const recovered = await ballast('recover', '--reason', 'an old backup')
    expect([recovered.code, recovered.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Booked from the chain: swaps 1, approvals 0\..*\nThe books agree with the chain\.$/ms,
      ),
    ])
    expect((await ballast('resume', '--reason', 'the books are whole')).code).toBe(0)
    const whole = JSON.parse((await ballast('reconcile', '--json')).stdout)
    expect(whole).toMatchObject({ ok: true, locks: [] })
    bot = await openBot(fork)
    expect((await bot.swap(oneEth)).record.state).toBe('SETTLED')
  })

  test('a total that somebody changed is noticed, at a start and over everything', async () => {
    await bot.swap(oneEth)
    expect(await verdicts()).toEqual({ not: [], codes: [], locks: [] })
    await bot.swap(oneEth)
    const since = systemClock.now()
    expect(await verdicts(since)).toEqual({ not: [], codes: [], locks: [] })
    edit(`UPDATE strategy_total SET sold = '0'`)
    expect(await verdicts(since)).toEqual(broken('I13', 'TOTAL_DIFFERS'))
    expect(await verdicts()).toEqual(broken('I13', 'TOTAL_DIFFERS'))
    edit(`DELETE FROM strategy_total`)
    expect(await verdicts()).toMatchObject(broken('I13', 'TOTAL_DIFFERS'))
  })

  test('a swap under a nonce that a person released is named; a transfer there is none', async () => {
    await bot.swap(oneEth)
    await bot.close()
    const path = journalPath()
    const backup = new DatabaseSync(path)
    backup.exec(`VACUUM INTO '${path}.old'`)
    backup.close()
    bot = await openBot(fork)
    await bot.swap(oneEth)
    await bot.close()
    const { address, privateKey } = treasury()
    await transact(fork.rpc, { privateKey, to: address, data: '0x' })
    await mine(5)
    forget()
    copyFileSync(`${path}.old`, path)
    // As a journal of before was adopted: by its nonces alone.
    const old = await openJournal({ ...bot.config, clock: systemClock })
    const scope = { chainId: bot.config.chain.chainId, wallet: address }
    const nonceOfChain = await fork.rpc.request(getTransactionCount(address))
    await old.wallet.release({ ...scope, nonceOfChain, reason: 'as before' })
    await old.shut()
    const { config } = bot
    const journal = await openJournal({ ...config, clock: systemClock })
    const { checks, locks } = await reconcileWallet(
      { config, rpc: fork.rpc, journal, clock: systemClock },
      { since: 0, logDefects: journal.books.logDefects },
    )
    await journal.shut()
    const breaks = checks.flatMap((one) => one.breaks)
    expect({
      not: checks.flatMap(({ id, verdict }) => (verdict === 'holds' ? [] : [`${id} ${verdict}`])),
      codes: breaks.map(({ code }) => code),
      locks: locks.map(({ code }) => code),
    }).toEqual(broken('I12', 'SWAP_UNBOOKED'))
    expect(breaks[0]?.facts.nonce).toBe(nonceOfChain - 2)
  })

  test('[LOCAL-25] a new journal over a wallet that swapped here halts it; a person begins anew', async () => {
    await bot.swap(oneEth)
    await bot.close()
    forget()
    const asked = await callCli(['doctor', '--json', '--config', bot.config.file], {
      cwd: fork.dataDir,
    })
    expect(JSON.parse(asked.stdout).findings).toContainEqual({
      name: 'journal',
      state: 'fail',
      actual: expect.stringContaining('none, but a router settled 1 swaps of it'),
      expected: expect.stringContaining('the old journal put back'),
    })
    await expect(openBot(fork)).rejects.toMatchObject({
      code: 'LOCKED',
      facts: {
        code: 'JOURNAL_MISSING',
        reason: expect.stringContaining('settled 1 swaps of it'),
        next: expect.stringContaining('ballast resume'),
      },
    })
    const resumed = await callCli(
      ['resume', '--reason', 'the old one is lost', '--config', bot.config.file],
      { cwd: fork.dataDir },
    )
    expect(resumed.code).toBe(0)
    bot = await openBot(fork)
    expect((await verdicts()).not).toEqual([])
  })

  test('[LOCAL-25] a wallet that was used for something else is a first installation', async () => {
    await bot.close()
    forget()
    const { privateKey, address } = treasury()
    await transact(fork.rpc, { privateKey, to: address, data: '0x', value: 1n })
    await transact(fork.rpc, { privateKey, to: address, data: '0x', value: 1n })
    await mine(Number(bot.config.chain.confirmations))
    bot = await openBot(fork)
    await bot.swap(oneEth)
    const { checks } = await compare()
    expect(checks[0]).toMatchObject({
      verdict: 'holds',
      evidence: '1 nonces from 2 on: 1 of one attempt each',
    })
  })

  test('[CHAIN-05] I2: a swap that ended dead and settled after all', async () => {
    // One endpoint alone, and it lies for as long as the swap is followed.
    const observe: typeof bot.train.observe = async (watched) => {
      const seen = await bot.train.observe(watched)
      if (watched.consumes === undefined) return seen
      const receipts = seen.receipts.map((one) => ({
        ...one,
        receipt: { ...one.receipt, success: false },
      }))
      return { ...seen, consumed: false, receipts }
    }
    const { record } = await bot.swap(oneEth, { observe })
    expect(record.state).toBe('REVERTED')
    expect(await verdicts()).toEqual(broken('I2', 'SETTLED_AFTER_ALL', 'REORG_BEYOND_DEPTH'))
    await bot.close()
    await expect(openBot(fork)).rejects.toMatchObject({
      code: 'LOCKED',
      facts: { code: 'REORG_BEYOND_DEPTH' },
    })
  })

  test('I6: what is signed under limits that a reload raises meanwhile is no break', async () => {
    const perDay = [parseAmount('1.5 ETH', bot.config.tokens.bySymbol)]
    const config = { ...bot.config, policy: { ...bot.config.policy, perDay } }
    const at = { config, journal: bot.journal, clock: systemClock }
    const extent = { since: 0, logDefects: bot.journal.books.logDefects }
    await reconcileWallet({ ...at, rpc: fork.rpc }, extent)
    const reload = once(async () => {
      const { chainId } = config.chain
      await bot.journal.reconciliation.forgetLimits({ chainId, wallet: config.wallet.address })
      await bot.swap(oneEth)
      await bot.swap(oneEth)
    })
    const rpc: Rpc = {
      ...fork.rpc,
      async request(request) {
        await reload()
        return await fork.rpc.request(request)
      },
    }
    const found = await reconcileWallet({ ...at, rpc }, extent)
    expect(found.locks).toEqual([])
    expect(found.checks[5]).toMatchObject({ id: 'I6', verdict: 'unknown', breaks: [] })
    // The limits that are in force are compared from then on.
    expect(await verdicts()).toEqual({ not: [], codes: [], locks: [] })
  })

  test('I3: bytes of one swap for two nonces', async () => {
    await bot.swap(oneEth)
    edit(`UPDATE swap SET nonce = nonce + 7`)
    expect(await verdicts()).toEqual(broken('I3', 'NONCES_DIFFER'))
  })

  test('I4: a quote that was taken while signed bytes could still be mined', async () => {
    const stop = new AbortController()
    const lost: Broadcast = async () => {
      stop.abort()
      return { verdict: 'ambiguous', words: 'lost' }
    }
    await bot.swap(oneEth, { broadcast: lost }, stop.signal)
    expect((await verdicts()).not).toEqual([])
    const second = await planned(bot, { ...oneEth, sell: '2 ETH', floor: '5900 USDC' })
    await bot.journal.swaps.reserve(second, () => {})
    const simulated = await requote(pass<Funded>({ ...second, approvals: [] }), bot.train.reading)
    await bot.journal.attempts.commitQuote(simulated)
    expect(await verdicts()).toEqual(broken('I4', 'QUOTED_WHILE_LIVE'))
  })

  test.each([
    ['what was paid for gas', `UPDATE swap SET gas_paid = '1'`],
    ['whether the balances agree', 'UPDATE swap SET agrees = 0'],
  ])('I5: %s', async (_, statement) => {
    await bot.swap(oneEth)
    edit(statement)
    expect(await verdicts()).toEqual(broken('I5', 'LEDGER_DIFFERS'))
  })

  test('I5 and I10: an amount that was edited differs from the event and from the log', async () => {
    await bot.swap(oneEth)
    edit(`UPDATE swap SET received = '1'`)
    expect(await verdicts()).toMatchObject({
      not: ['I5 broken', 'I10 broken'],
      codes: ['LEDGER_DIFFERS', 'LOG_BROKEN'],
    })
  })

  test('I6: more is taken than the limits allow; after a change of the limits that is unknown', async () => {
    await bot.swap(oneEth)
    expect((await verdicts()).not).toEqual([])
    edit(`UPDATE swap SET notional = '9' || notional || '0000'`)
    expect(await verdicts()).toMatchObject({ not: ['I6 broken'], locks: ['LEDGER_BROKEN'] })
    edit(`UPDATE reconciled SET limits = 'others'`)
    const unknown = { not: ['I6 unknown'], codes: [], locks: [] }
    expect([await verdicts(), await verdicts()]).toEqual([unknown, unknown])
  })

  test('I7: a swap whose deadline is long deep is named, and not halted: it must be followed', async () => {
    const stop = new AbortController()
    const lost: Broadcast = async () => {
      stop.abort()
      return { verdict: 'ambiguous', words: 'lost' }
    }
    await bot.swap(oneEth, { broadcast: lost }, stop.signal)
    await call('evm_increaseTime', 3_600)
    await mine(Number(bot.config.chain.confirmations) + 1)
    expect(await verdicts()).toEqual({ not: ['I7 broken'], codes: ['SWAP_UNDECIDED'], locks: [] })
  })

  test('[TOKEN-06] I8: an allowance that was raised by hand', async () => {
    await bot.swap(oneWeth)
    await setAllowance(7n)
    expect(await verdicts()).toEqual(broken('I8', 'ALLOWANCE_DIFFERS'))
  })

  test('[TOKEN-07] I8: what a dead swap left is on record, and its revocation by hand is not', async () => {
    await bot.swap(oneWeth, { broadcast: dropSwaps })
    const { checks } = await compare()
    expect(checks[7]).toMatchObject({
      id: 'I8',
      verdict: 'holds',
      evidence: expect.stringContaining('1 WETH left by'),
    })
    await setAllowance(0n)
    expect(await verdicts()).toEqual(broken('I8', 'ALLOWANCE_DIFFERS'))
  })

  test('I8: of a token that is gone nothing is told, for good: the mark moves', async () => {
    await bot.swap(oneWeth, { broadcast: dropSwaps })
    const { address = '0x' } = fork.ready.tokens.WETH ?? {}
    await fork.rpc.request(anvilCalls.setCode(address, '0x'))
    const { checks } = await compare()
    expect(checks.find(({ id }) => id === 'I8')).toMatchObject({
      ...{ verdict: 'unknown', isLasting: true, breaks: [] },
      unknown: [expect.stringMatching(/^WETH tells no allowance/)],
    })
  })
  test('I8: what a router was left with that is no longer configured is named', async () => {
    await bot.swap(oneWeth, { broadcast: dropSwaps })
    const former = bot.config.service.router
    const config = { ...bot.config, service: { ...bot.config.service, router: treasury().address } }
    const at = { rpc: fork.rpc, journal: bot.journal, clock: systemClock }
    const extent = { since: 0, logDefects: bot.journal.books.logDefects }
    const { checks } = await reconcileWallet({ config, ...at }, extent)
    expect(checks[7]).toMatchObject({ breaks: [{ code: 'ALLOWANCE_ABOVE_BOUND' }] })
    await setAllowance(0n)
    const { checks: broken } = await reconcileWallet({ config, ...at }, extent)
    expect(broken[7]?.breaks).toMatchObject([{ facts: { spender: former.toLowerCase() } }])
  })

  test('I9: bytes that the log knows nothing of', async () => {
    const { swapId } = await bot.swap(oneEth)
    edit(
      `INSERT INTO attempt (hash, swap_id, kind, chain_id, wallet, nonce, raw, "transaction", created_at, closed_at_block)
       VALUES ('${keccak256('0x02')}', '${swapId}', 'APPROVE', 31337, '${treasury().address.toLowerCase()}', 99, '0x02',
       '{"data":"0x"}', 1, 0)`,
    )
    expect(await verdicts()).toEqual(broken('I9', 'SIGNED_WITHOUT_ENTRY'))
  })

  test('I10: an entry of the log that was changed', async () => {
    await bot.swap(oneEth)
    edit(`UPDATE event SET at = at + 1 WHERE type = 'PLANNED'`)
    expect(await verdicts()).toEqual(broken('I10', 'LOG_BROKEN'))
  })

  test('I11: a settled swap whose block is not on the chain', async () => {
    const { swapId } = await bot.swap(oneEth)
    edit(`UPDATE swap SET included_block_hash = '${keccak256('0x01')}'`)
    expect(await verdicts()).toEqual(broken('I11', 'REORG_BEYOND_DEPTH', 'REORG_BEYOND_DEPTH'))
    const log = readLog()
    expect(log.filter(({ type }) => type === 'REORGED')).toMatchObject([{ swap_id: swapId }])
  })

  test('what a person released is named and breaks nothing any more; another break does', async () => {
    await bot.swap(oneEth)
    await bot.swap(oneEth)
    edit(`UPDATE swap SET gas_paid = '1' WHERE id = (SELECT min(id) FROM swap)`)
    expect(await verdicts()).toEqual(broken('I5', 'LEDGER_DIFFERS'))
    await bot.journal.locks.release({ id: undefined, reason: 'the figure was typed wrong' })
    const { checks } = await compare()
    expect(checks[4]).toMatchObject({
      verdict: 'holds',
      accepted: [{ reason: 'the figure was typed wrong' }],
    })
    edit(`UPDATE swap SET gas_paid = '1'`)
    expect(await verdicts()).toEqual(broken('I5', 'LEDGER_DIFFERS'))
  })
})

function readLog(): { type: string; swap_id: string }[] {
  const db = new DatabaseSync(journalPath())
  const rows = db.prepare('SELECT type, swap_id FROM event ORDER BY seq').all()
  db.close()
  return rows as { type: string; swap_id: string }[]
}

/** Writes the allowance of WETH straight into its storage: no transaction of the wallet is needed for it. */
async function setAllowance(wei: bigint) {
  const token = fork.ready.tokens.WETH?.address as Address
  const owners = [treasury().address, fork.ready.router] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: owners })
  const reads = await fork.rpc.request(
    traceReads({ from: owners[0], to: token, data, gas: 1_000_000n }),
  )
  const layout = findLayout(reads.get(token.toLowerCase()) ?? new Set(), [...owners])
  if (layout === undefined) throw new Error('WETH keeps its allowances in a mapping')
  const word = encodeAbiParameters([{ type: 'uint256' }], [wei])
  await call('anvil_setStorageAt', token, slotOf(layout, [...owners]), word)
  await mine(1)
}
