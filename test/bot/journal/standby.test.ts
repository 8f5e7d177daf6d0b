import { tmpdir } from 'node:os'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { secret } from '../../../src/core/secret.ts'
import { startPostgres } from '../../support/startPostgres.ts'
import { samplePlan, wallet } from './sampleSwap.ts'

test('[LOCAL-29] a server that is a standby for a while takes no entry, is waited for, and then written to', async () => {
  const server = await startPostgres(tmpdir())
  try {
    const database = { dialect: 'postgres', url: secret(server.url) } as const
    const journal = await openJournal({ database, clock: systemClock, haltFile: '/nonexistent' })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
    await server.demote()
    const reserve = () => journal.swaps.reserve(samplePlan(), () => {})
    // What was connected to the server before, and what was not.
    for (const _ of [1, 2, 3])
      await expect(reserve()).rejects.toMatchObject({
        ...{ code: 'JOURNAL_UNREACHABLE', remedy: 'retry' },
      })
    expect(await journal.swaps.open()).toEqual([])
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('SELECT pg_promote()')
    await client.end()
    await reserve()
    expect(await journal.swaps.open()).toHaveLength(1)
    await journal.shut()
  } finally {
    await server.close()
  }
})
