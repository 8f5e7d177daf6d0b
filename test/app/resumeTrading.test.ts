import { expect, test } from 'vitest'
import { resumeTrading } from '../../src/app/resumeTrading.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import type { NewLock } from '../../src/bot/lock.ts'
import { systemClock } from '../../src/core/clock.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'

test('resume releases what held when it was called, and no halt that came while it waited for the chain', async () => {
  const fork = await forkOrigin()
  const { config, close } = await openBot(fork)
  await close()
  const journal = await openJournal({ ...config, clock: systemClock })
  try {
    const halt = (code: string, scope: string): NewLock => ({
      ...{ kind: 'halt', scope, code, reason: 'a test', expiresAt: undefined },
    })
    await journal.locks.open(halt('NONCE_TAKEN', `wallet ${config.wallet.address.toLowerCase()}`))
    const { released, nextNonce } = await resumeTrading(config, {
      ...{ id: undefined, reason: 'it was seen', writeOff: undefined, clock: systemClock },
      ...{ signal: new AbortController().signal, note: () => {} },
      // The chain is read from here on, for as long as a block takes to be final.
      async withChain() {
        await journal.locks.open(halt('BY_OPERATOR', 'all'))
        return config
      },
    })
    expect([released.map(({ code }) => code), nextNonce]).toEqual([['NONCE_TAKEN'], 0])
    expect((await journal.locks.live()).map(({ code }) => code)).toEqual(['BY_OPERATOR'])
  } finally {
    await journal.shut()
    await fork.close()
  }
})

test('one reason for all wallets releases what it explains, by the locks that it reads itself', async () => {
  const fork = await forkOrigin()
  const { config, close } = await openBot(fork)
  await close()
  const journal = await openJournal({ ...config, clock: systemClock })
  const asked: string[] = []
  const resume = () =>
    resumeTrading(config, {
      ...{ id: undefined, reason: 'all over', writeOff: undefined, clock: systemClock },
      ...{ codes: new Set(['BY_OPERATOR']), signal: new AbortController().signal },
      note: () => {},
      async withChain() {
        asked.push('the chain')
        return config
      },
    })
  try {
    const lock = { kind: 'breaker', reason: 'a test', expiresAt: undefined } as const
    await journal.locks.open({ ...lock, kind: 'halt', scope: 'all', code: 'BY_OPERATOR' })
    await journal.locks.open({ ...lock, scope: 'all', code: 'SHORTFALL' })
    await expect(resume()).rejects.toMatchObject({ code: 'LOCK_OF_ONE_WALLET' })
    expect(await journal.locks.live()).toHaveLength(2)
    const [, shortfall] = await journal.locks.live()
    await journal.locks.release({ id: shortfall?.id ?? 0, reason: 'seen' })
    expect((await resume()).released.map(({ code }) => code)).toEqual(['BY_OPERATOR'])
    // Where nothing is locked no nonce is looked at.
    expect(await resume()).toEqual({ nextNonce: undefined, released: [] })
    expect(asked).toEqual([])
  } finally {
    await journal.shut()
    await fork.close()
  }
})
