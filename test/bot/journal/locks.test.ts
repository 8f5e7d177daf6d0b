import { spawn, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { keccak256 } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdJournal } from '../../../src/bot/journal/holdJournal.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { beginWriting } from '../../../src/bot/journal/store/postgres/takeLease.ts'
import type { Act, LockKind, NewLock } from '../../../src/bot/lock.ts'
import type { Planned, Signed } from '../../../src/bot/stages.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { nativeAddress } from '../../../src/core/token.ts'
import { type Place, places } from '../../support/journals.ts'
import {
  sampleBytes,
  samplePlan,
  sampleQuote,
  sampleRevocation,
  wallet,
  weth,
} from './sampleSwap.ts'

describe.each(places)('$dialect', ({ make }) => {
  const minute = 60_000
  let now = 0
  const clock = { now: () => now, sleep: async () => {} }
  let place: Place
  let journal: Journal

  beforeEach(async () => {
    now = 1_000_000
    place = await make()
    journal = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const lock = (changes: Partial<NewLock> = {}): NewLock => ({
    kind: 'halt',
    scope: 'all',
    code: 'TEST',
    reason: 'a test',
    expiresAt: undefined,
    ...changes,
  })
  const subject = { wallet, strategy: 'dca', pair: { sell: 'WETH', buy: 'USDC' } }
  const acts: readonly Act[] = ['plan', 'sign', 'cancel', 'send']

  /** Which acts the locks of the journal forbid. */
  const forbidden = async (whose = subject): Promise<Act[]> => {
    const found: Act[] = []
    for (const act of acts)
      await journal.locks.guard(act, whose).catch((error: { code: string }) => {
        expect(error.code).toBe('LOCKED')
        found.push(act)
      })
    return found
  }

  test('when the last lock ended: of a strategy, by those that were over it', async () => {
    const ends = () =>
      Promise.all(
        ['a', 'b'].map((strategy) => journal.locks.lastEnd({ strategy, since: now - 10 * minute })),
      )
    const breaker = lock({ kind: 'breaker', scope: 'strategy a', expiresAt: now + minute })
    expect(await ends()).toEqual([undefined, undefined])
    await journal.locks.open(breaker)
    now += 2 * minute
    const over = now - minute
    expect(await ends()).toEqual([over, undefined])
    await journal.locks.open(lock({ kind: 'breaker', expiresAt: now + minute }))
    now += 2 * minute
    expect(await ends()).toEqual([now - minute, now - minute])
    await journal.locks.open(lock({ scope: `wallet ${wallet}`, expiresAt: now + minute }))
    await journal.locks.open(lock({ scope: 'pair WETH/USDC', expiresAt: now + minute / 2 }))
    now += 2 * minute
    expect(await ends()).toEqual([now - minute, now - minute])
  })

  test('who opened a lock and who let go of it is on record, in the table and in the log', async () => {
    const { lock: own } = await journal.locks.open(lock({ code: 'FAILURES', kind: 'breaker' }))
    const { lock: held } = await journal.locks.open(lock({ by: 'alice at the command line' }))
    now += minute
    await journal.locks.release({ id: held.id, reason: 'seen', by: 'bob' })
    expect(await journal.locks.history({ limit: 9 })).toEqual([
      {
        ...{ ...held, openedBy: 'alice at the command line', releasedBy: 'bob' },
        ...{ releasedAt: now, releasedReason: 'seen' },
      },
      {
        ...{ ...own, openedBy: undefined, releasedBy: undefined },
        ...{ releasedAt: undefined, releasedReason: undefined },
      },
    ])
    expect(await journal.locks.history({ limit: 9, before: held.id })).toHaveLength(1)
    const logged = await journal.log.ofSwap(`lock ${held.id}`)
    expect(logged.map(({ type, facts }) => [type, facts.by])).toEqual([
      ['LOCK_OPENED', 'alice at the command line'],
      ['LOCK_RELEASED', 'bob'],
    ])
    // The table is what the log says it is.
    await journal.locks.assertUnchanged()
  })

  describe('guard', () => {
    test.each<[LockKind, Act[]]>([
      ['pause', ['plan', 'sign']],
      ['breaker', ['plan', 'sign']],
      ['drain', ['plan']],
      ['halt', ['plan', 'sign', 'cancel', 'send']],
    ])('%s forbids %j', async (kind, expected) => {
      expect(await forbidden()).toEqual([])
      await journal.locks.open(lock({ kind }))
      expect(await forbidden()).toEqual(expected)
    })

    test.each<[string, boolean]>([
      ['all', true],
      [`wallet ${wallet}`, true],
      [`wallet ${wallet.toUpperCase()}`, true],
      ['wallet 0x00000000000000000000000000000000000000bb', false],
      ['strategy dca', true],
      ['strategy dca-2', false],
      ['pair WETH/USDC', true],
      ['pair USDC/WETH', true],
      ['pair WETH/DAI', false],
      ['something newer', true],
    ])('a lock of %s holds: %j', async (scope, holds) => {
      await journal.locks.open(lock({ scope }))
      expect(await forbidden()).toEqual(holds ? acts : [])
    })

    test.each<[string, string, boolean]>([
      ['pair WETH/USDC', 'ETH', true],
      ['pair USDC/WETH', 'ETH', true],
      ['pair ETH/USDC', 'WETH', true],
      ['pair WETH/DAI', 'ETH', false],
      ['pair ETH/USDC', 'WBTC', false],
    ])('the coin has two names: a lock of %s holds for %s/USDC: %j', async (scope, sell, holds) => {
      await journal.shut()
      const native = { ...weth, address: nativeAddress, symbol: 'ETH' }
      journal = await openJournal({ ...place, clock, coin: { native, wrapped: weth } })
      await journal.locks.open(lock({ scope }))
      const whose = { ...subject, pair: { sell, buy: 'USDC' } }
      expect(await forbidden(whose)).toEqual(holds ? acts : [])
    })

    test('says everything a person needs, and the strictest of several', async () => {
      await journal.locks.open(lock({ kind: 'pause', code: 'MILD', expiresAt: now + minute }))
      await journal.locks.open(lock({ kind: 'drain', code: 'STRICTER', reason: 'why\u001b[31m' }))
      await expect(journal.locks.guard('plan', subject)).rejects.toMatchObject({
        code: 'LOCKED',
        fault: 'locked',
        remedy: 'skip',
        facts: {
          scope: 'all',
          code: 'STRICTER',
          reason: 'why\u{FFFD}[31m',
          since: '1970-01-01T00:16:40.000Z',
          expires: 'never by itself',
          next: 'find out why, then: ballast resume --reason "…" 2',
        },
      })
      await journal.locks.open(lock())
      await expect(journal.locks.guard('plan', subject)).rejects.toMatchObject({ remedy: 'halt' })
    })

    test('an expired lock lets go, at its instant and not before', async () => {
      await journal.locks.open(lock({ kind: 'breaker', expiresAt: now + minute }))
      now += minute - 1
      expect(await forbidden()).toEqual(['plan', 'sign'])
      now += 1
      expect(await forbidden()).toEqual([])
      expect(await journal.locks.live()).toEqual([])
    })

    test('the same lock twice is one; an expired one is opened anew', async () => {
      const breaker = lock({ kind: 'breaker', expiresAt: now + minute })
      const first = await journal.locks.open(breaker)
      expect(await journal.locks.open(breaker)).toEqual({ lock: first.lock, fresh: false })
      now += minute
      expect((await journal.locks.open({ ...breaker, expiresAt: now + minute })).fresh).toBe(true)
    })
  })

  describe('locks', () => {
    test('survive a restart until a person releases them, one or all', async () => {
      const { lock: one } = await journal.locks.open(lock())
      await journal.locks.open(lock({ kind: 'pause', scope: 'strategy dca' }))
      await journal.shut()
      journal = await openJournal({ ...place, clock })
      expect(await journal.locks.live()).toHaveLength(2)
      await expect(journal.locks.release({ id: 99, reason: 'x' })).rejects.toMatchObject({
        code: 'UNKNOWN_LOCK',
      })
      expect(await journal.locks.release({ id: one.id, reason: 'x' })).toEqual([one])
      expect(await forbidden()).toEqual(['plan', 'sign'])
      await journal.locks.release({ id: undefined, reason: 'x' })
      expect(await forbidden()).toEqual([])
    })

    test('the file halts, and removing it does not let go', async () => {
      writeFileSync(place.haltFile, '')
      expect(await forbidden()).toEqual(acts)
      rmSync(place.haltFile)
      expect(await forbidden()).toEqual(acts)
      expect(await journal.locks.live()).toMatchObject([
        { kind: 'halt', scope: 'all', code: 'BY_FILE' },
      ])
      await expect(journal.locks.guard('sign', subject)).rejects.toMatchObject({
        facts: { next: expect.stringMatching(/remove the file if .*, then: ballast resume/) },
      })
    })

    test('a file that cannot be looked at lets nothing be signed', async () => {
      const blocked = await openJournal({
        ...place,
        clock,
        haltFile: join(place.folder, 'x'.repeat(300)),
      })
      await expect(blocked.locks.guard('sign', subject)).rejects.toThrow('ENAMETOOLONG')
      await blocked.shut()
    })
  })

  describe('commit', () => {
    const reserved = async (changes: Partial<Planned> = {}) => {
      const planned = samplePlan(changes)
      await journal.swaps.reserve(planned, () => {})
      return planned
    }
    const attemptsOf = async ({ swapId }: Planned) => (await journal.swaps.load(swapId)).attempts

    test.each<[LockKind, string]>([
      ['halt', 'all'],
      ['pause', 'strategy test'],
      ['breaker', 'pair USDC/WETH'],
      ['breaker', `wallet ${wallet}`],
    ])('a %s of %s that came before the bytes wins', async (kind, scope) => {
      const planned = await reserved()
      await journal.locks.open(lock({ kind, scope }))
      await expect(
        journal.attempts.commitSwap(sampleBytes(planned, 0), sampleQuote(planned)),
      ).rejects.toMatchObject({
        code: 'LOCKED',
      })
      await expect(
        journal.attempts.commitApproval(sampleBytes(planned, 0, 'APPROVE')),
      ).rejects.toMatchObject({
        code: 'LOCKED',
      })
      expect(await attemptsOf(planned)).toEqual([])
      expect(await journal.wallet.state({ chainId: 31_337, wallet })).toEqual({ nextNonce: 0 })
    })

    test('the file wins as well, though it appears after every other look', async () => {
      const planned = await reserved()
      const signed: Signed = sampleBytes(planned, 0)
      writeFileSync(place.haltFile, '')
      await expect(journal.attempts.commitSwap(signed, sampleQuote(planned))).rejects.toMatchObject(
        {
          code: 'LOCKED',
        },
      )
      expect(await attemptsOf(planned)).toEqual([])
    })

    test('what takes an allowance back passes a pause and a breaker, and no halt', async () => {
      const planned = await reserved()
      const revocation = sampleRevocation(planned, 0)
      const halt = await journal.locks.open(lock())
      await expect(journal.locks.guard('revoke', subject)).rejects.toMatchObject({ code: 'LOCKED' })
      await expect(journal.attempts.commitApproval(revocation)).rejects.toMatchObject({
        code: 'LOCKED',
      })
      await journal.locks.release({ id: halt.lock.id, reason: 'x' })
      await journal.locks.open(lock({ kind: 'pause' }))
      await journal.locks.open(lock({ kind: 'breaker' }))
      await journal.locks.guard('revoke', subject)
      const { hash } = await journal.attempts.commitApproval(revocation)
      // As is its dearer bid.
      const { transaction } = revocation
      const dearer = { ...transaction, maxFeePerGas: 2n * transaction.maxFeePerGas }
      const other = { raw: '0x02ff', hash: keccak256('0x02ff') } as const
      await journal.attempts.commitBump({ ...revocation, ...other, transaction: dearer }, hash)
      expect(await attemptsOf(planned)).toHaveLength(2)
      await expect(
        journal.attempts.commitApproval(sampleBytes(planned, 1, 'APPROVE')),
      ).rejects.toMatchObject({ code: 'LOCKED' })
    })

    test('a cancellation passes a pause and a drain, and no halt', async () => {
      const planned = await reserved()
      const swapBytes = sampleBytes(planned, 0)
      await journal.attempts.commitSwap(swapBytes, sampleQuote(planned))
      await journal.locks.open(lock())
      const cancel = sampleBytes(planned, 0, 'CANCEL')
      await expect(journal.attempts.commitCancel(cancel, swapBytes.hash)).rejects.toMatchObject({
        code: 'LOCKED',
      })
      await journal.locks.release({ id: undefined, reason: 'x' })
      await journal.locks.open(lock({ kind: 'pause' }))
      await journal.locks.open(lock({ kind: 'drain' }))
      await journal.attempts.commitCancel(cancel, swapBytes.hash)
      expect((await journal.swaps.load(planned.swapId)).state).toBe('CANCELLING')
    })

    test('what a drain finds begun may be signed', async () => {
      const planned = await reserved()
      await journal.locks.open(lock({ kind: 'drain' }))
      await journal.attempts.commitSwap(sampleBytes(planned, 0), sampleQuote(planned))
      expect(await attemptsOf(planned)).toHaveLength(1)
    })
  })

  describe('another process', () => {
    const script = (body: string) => `
    import { openJournal } from './src/bot/journal/openJournal.ts'
    import { systemClock } from './src/core/clock.ts'
    const journal = await openJournal({ database: ${place.source}, haltFile: 'none', clock: systemClock })
    ${body}
    await journal.shut()`
    const halt = `await journal.locks.open({ kind: 'halt', scope: 'all', code: 'OTHER', reason: 'x' })`
    const run = (body: string) =>
      spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script(body)], {
        encoding: 'utf8',
      })

    test('halts and reads while this one spends from the journal', async () => {
      const spending = await holdJournal({
        ...{ ...place, chainId: 31_337, wallet, stateFolder: place.folder },
        clock: systemClock,
      })
      try {
        expect(run(halt)).toMatchObject({ status: 0, stderr: '' })
        await expect(journal.locks.guard('sign', subject)).rejects.toMatchObject({ code: 'LOCKED' })
        const read = run(`process.stdout.write(String((await journal.locks.live()).length))`)
        expect(read).toMatchObject({ status: 0, stdout: '1' })
      } finally {
        await spending.release()
      }
    })

    test('waits for a transaction of this one, and the other way round', async () => {
      const letGo = await writing(place)
      const child = spawn(
        process.execPath,
        ['--input-type=module-typescript', '-e', script(halt)],
        {
          stdio: 'ignore',
        },
      )
      const ended = new Promise((resolve) => child.on('exit', resolve))
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      expect(child.exitCode).toBeNull()
      await letGo()
      expect(await ended).toBe(0)
      expect(await journal.locks.live()).toHaveLength(1)
    })

    test('reads then writes without losing to a writer in between', async () => {
      const writers = Array.from({ length: 4 }, (_, index) => {
        const body = `for (let i = 0; i < 25; i++)
        await journal.locks.open({ kind: 'pause', scope: 'strategy s${index}-' + i, code: 'X', reason: 'x' })`
        const child = spawn(process.execPath, [
          '--input-type=module-typescript',
          '-e',
          script(body),
        ])
        return new Promise((resolve) => child.on('exit', resolve))
      })
      expect(await Promise.all(writers)).toEqual([0, 0, 0, 0])
      expect(await journal.locks.live()).toHaveLength(100)
    })
  })
})

/** Begins to write as another process would; what is returned ends that. */
async function writing({ database }: Place): Promise<() => Promise<void>> {
  if (database.dialect === 'sqlite') {
    const file = new DatabaseSync(database.path)
    file.exec('BEGIN IMMEDIATE')
    return async () => {
      file.exec('COMMIT')
      file.close()
    }
  }
  const client = new pg.Client({ connectionString: database.url.reveal() })
  await client.connect()
  await client.query(beginWriting({}))
  return async () => {
    await client.query('COMMIT')
    await client.end()
  }
}
