import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeFunctionData } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { getBlock } from '../../src/chain/calls/node.ts'
import { sendRawTransaction } from '../../src/chain/calls/sendRawTransaction.ts'
import type { Address } from '../../src/core/token.ts'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { swappedEvents } from '../support/swappedEvents.ts'
import { transact } from '../support/transact.ts'

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

const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
const oneEth = { sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' }
const call = (method: string, ...params: unknown[]) =>
  fork.rpc.request({ method, params, parse: (answer) => answer })

/**
 * Swaps, and takes the chain back to before the swap's bytes as soon as they are seen in a block; then the other branch
 * grows. Snapshot and revert, since anvil's own reorganisation does not take back the storage of a fork: the transaction
 * is gone from the chain and from the pool, as in a real one whose pool lost it.
 */
async function reorganise(wish: typeof oneWeth, otherBranch: (raw: Hex) => Promise<unknown>) {
  let snapshot: unknown
  let raw: Hex = '0x'
  let before: { number: number; hash: Hex } | undefined
  const sent: Hex[] = []
  const broadcast: typeof bot.train.broadcast = async (bytes) => {
    if (bytes.kind === 'SWAP') {
      snapshot ??= await call('evm_snapshot')
      raw = bytes.raw
      sent.push(bytes.raw)
    }
    return bot.train.broadcast(bytes)
  }
  const observe: typeof bot.train.observe = async (watched) => {
    const seen = await bot.train.observe(watched)
    const [mined] = seen.receipts
    if (before === undefined && watched.consumes !== undefined && mined !== undefined) {
      before = { number: mined.receipt.blockNumber, hash: mined.receipt.blockHash }
      expect(await call('evm_revert', snapshot)).toBe(true)
      await otherBranch(raw)
    }
    return seen
  }
  const { record, swapId } = await bot.swap(wish, { broadcast, observe })
  return { record, swapId, before, sent, types: typesOf(swapId) }
}

function typesOf(swapId: string): string[] {
  const db = new DatabaseSync(journalPath())
  const rows = db.prepare('SELECT type FROM event WHERE swap_id = ? ORDER BY seq').all(swapId)
  db.close()
  return rows.map(({ type }) => String(type)).filter((type) => type !== 'OFFERED')
}

function blockHashOf(swapId: string): string {
  const db = new DatabaseSync(journalPath())
  const row = db.prepare('SELECT included_block_hash AS hash FROM swap WHERE id = ?').get(swapId)
  db.close()
  return String(row?.hash)
}

const reconcile = async () => {
  const { code, stdout } = await callCli(['reconcile', '--json', '--config', bot.config.file], {
    cwd: fork.dataDir,
  })
  const { checks, locks } = JSON.parse(stdout)
  return {
    code,
    not: checks.flatMap(({ id, verdict }: { id: string; verdict: string }) =>
      verdict === 'holds' ? [] : [`${id} ${verdict}`],
    ),
    locks: locks.map((lock: { code: string }) => lock.code),
  }
}
const clean = { code: 0, not: [], locks: [] }

describe('reorganisations', () => {
  test('[CHAIN-01] dropped: the same bytes are sent again, and settle once', async () => {
    const { record, sent, types } = await reorganise(oneWeth, async () => {})
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
    expect(new Set(sent).size).toBe(1)
    expect(sent.length).toBeGreaterThan(1)
    expect(types.slice(-5)).toEqual(['SENT', 'INCLUDED', 'SENT', 'INCLUDED', 'SETTLED'])
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
    expect(await reconcile()).toEqual(clean)
  })

  test('[CHAIN-01] dropped, and the deadline passes on the other branch: cancelled, never sent again', async () => {
    const { record, sent, types } = await reorganise(oneWeth, () => call('evm_increaseTime', 120))
    expect(record).toMatchObject({ state: 'EXPIRED_DEAD', received: null })
    expect(sent).toHaveLength(1)
    expect(types.slice(-4)).toEqual(['SENT', 'CANCELLING', 'INCLUDED', 'EXPIRED_DEAD'])
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
    expect(await reconcile()).toEqual(clean)
  })

  test('[CHAIN-02] re-included before the deadline: the new block is what depth counts from', async () => {
    const { record, swapId, before } = await reorganise(oneWeth, async (raw) => {
      await call('evm_mine')
      await fork.rpc.request(sendRawTransaction(raw))
    })
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
    const block = await fork.rpc.request(getBlock(record.block ?? 0))
    expect(blockHashOf(swapId)).toBe(block?.hash)
    expect(block?.hash).not.toBe(before?.hash)
    const head = await fork.rpc.request(getBlock('latest'))
    expect(head?.number).toBeGreaterThanOrEqual(
      (record.block ?? 0) + Number(bot.config.chain.confirmations),
    )
    expect(await reconcile()).toEqual(clean)
  })

  test('[CHAIN-03] re-included after the deadline: the router refuses it there, and nothing settles', async () => {
    const { record, types } = await reorganise(oneWeth, async (raw) => {
      await call('evm_increaseTime', 120)
      await fork.rpc.request(sendRawTransaction(raw))
    })
    expect(record).toMatchObject({ state: 'REVERTED', sold: null, received: null })
    expect(types).not.toContain('SETTLED')
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
    expect(await reconcile()).toEqual(clean)
  })

  test('[CHAIN-04] [CHAIN-18] a success becomes a revert on the other branch: that is what is booked', async () => {
    const maker = Object.values(fork.ready.makers)[0] as { privateKey: Hex }
    const { record, types } = await reorganise(oneWeth, async (raw) => {
      await transact(fork.rpc, {
        privateKey: maker.privateKey,
        to: fork.ready.tokens.USDC?.address as Address,
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: 'approve',
          args: [fork.ready.router, 0n],
        }),
      })
      await fork.rpc.request(sendRawTransaction(raw))
    })
    expect(record).toMatchObject({ state: 'REVERTED', code: 'REVERTED', received: null })
    expect(BigInt(record.gasPaidWei ?? 0)).toBeGreaterThan(0n)
    expect(types).not.toContain('SETTLED')
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
    expect(await reconcile()).toEqual(clean)
  })

  test('[CHAIN-05] deeper than the depth: what settled is gone, the wallet is halted, and the row is not edited', async () => {
    let snapshot: unknown
    const broadcast: typeof bot.train.broadcast = async (bytes) => {
      snapshot ??= await call('evm_snapshot')
      return bot.train.broadcast(bytes)
    }
    const { record, swapId } = await bot.swap(oneEth, { broadcast })
    expect(record.state).toBe('SETTLED')
    expect(await reconcile()).toEqual(clean)
    const booked = blockHashOf(swapId)

    await call('evm_revert', snapshot)
    for (let block = 0; block < 8; block += 1) await call('evm_mine')
    expect(await reconcile()).toEqual({
      code: 1,
      not: ['I1 broken', 'I11 broken'],
      locks: ['REORG_BEYOND_DEPTH', 'LEDGER_BROKEN'],
    })
    expect((await bot.journal.swaps.record(swapId))?.state).toBe('SETTLED')
    expect(blockHashOf(swapId)).toBe(booked)
    expect(typesOf(swapId).at(-1)).toBe('REORGED')
    // Looking again notes nothing again.
    await reconcile()
    expect(typesOf(swapId).filter((type) => type === 'REORGED')).toHaveLength(1)

    await bot.close()
    await expect(openBot(fork)).rejects.toMatchObject({ code: 'LOCKED' })
    const ballast = (...args: string[]) =>
      callCli([...args, '--config', bot.config.file], { cwd: fork.dataDir })
    expect((await ballast('resume', '--reason', 'the chain was rolled back, we know')).code).toBe(0)
    expect(await reconcile()).toEqual(clean)
    // What it took of the limits stays taken: nothing gives it back by itself.
    const { checks } = JSON.parse((await ballast('reconcile', '--json')).stdout)
    expect(checks[5].evidence).toMatch(/^1 swaps count/)
    bot = await openBot(fork)
    const next = await bot.swap(oneEth)
    expect([next.record.state, next.failure]).toEqual(['SETTLED', undefined])
  })

  test('[CHAIN-05] the same found by a start: it ends locked, with the code', async () => {
    const snapshot = await call('evm_snapshot')
    expect((await bot.swap(oneEth)).record.state).toBe('SETTLED')
    await bot.close()
    await call('evm_revert', snapshot)
    for (let block = 0; block < 8; block += 1) await call('evm_mine')
    await expect(openBot(fork)).rejects.toMatchObject({
      code: 'LOCKED',
      facts: { code: 'REORG_BEYOND_DEPTH', next: expect.stringContaining('ballast resume') },
    })
  })
})
