import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { pass, type Signed } from '../../../src/bot/stages.ts'
import { secret } from '../../../src/core/secret.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from './sampleSwap.ts'

const tables = ['swap', 'quote', 'attempt', 'wallet', 'decision', 'event', 'lock', 'baseline']

/** Every value of every table that contains the text, as table.column. */
async function placesOf({ rows }: Place, text: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const table of tables)
    for (const row of await rows(`SELECT * FROM "${table}"`))
      for (const [column, value] of Object.entries(row))
        if (String(value).includes(text)) found.push(`${table}.${column}`)
  return found
}

test.each(places)(
  '$dialect: the journal keeps no secret, wherever a foreign text brings one, and its bytes stay exact',
  async ({ make }) => {
    const key = 'k3y-of-the-n0de'
    secret(key)
    // Digits that are a secret elsewhere are an amount here, and bytes are bytes.
    secret('3000000000')
    secret('0xfeedfeedfeed')
    const place = await make()
    const journal = await openJournal({ ...place, clock: { now: () => 1, sleep: async () => {} } })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
    const words = `refused: ${key}`

    const sample = samplePlan()
    const planned = { ...sample, intent: { ...sample.intent, reason: words } }
    await journal.decisions.record({
      strategy: 'test',
      slot: 0,
      at: 1,
      context: { words } as never,
      decision: { kind: 'swap', intents: [planned.intent] },
    })
    await journal.decisions.record({
      strategy: 'test',
      slot: 1,
      at: 1,
      context: { words } as never,
      decision: { kind: 'wait', reason: words },
    })
    await journal.swaps.reserve(planned, () => {})
    const body = JSON.stringify({ words })
    const simulated = {
      ...sampleQuote(planned),
      body,
      amountOut: { ...planned.intent.floor, wei: 3_000_000_000n },
      checks: [{ name: 'verify.a', ok: true, expected: words, actual: words }],
    }
    const signed = pass<Signed>({ ...sampleBytes(planned, 0), raw: '0x02feedfeedfeed' })
    await journal.attempts.commitSwap(signed, simulated)
    const { swapId } = planned
    await journal.attempts.noteSent({
      hash: signed.hash,
      swapId,
      block: 1,
      verdict: 'ambiguous',
      taken: false,
      words,
    })
    await journal.attempts.close({ swapId, as: 'DISPLACED', code: 'X', reason: words })
    await journal.locks.open({
      kind: 'halt',
      scope: 'all',
      code: 'X',
      reason: words,
      expiresAt: undefined,
    })
    await journal.locks.release({ id: undefined, reason: words })

    expect((await journal.swaps.load(swapId)).attempts[0]?.bytes).toEqual(signed)
    expect(await journal.log.verify(undefined)).toMatchObject({ broken: undefined })
    await journal.shut()
    expect(await placesOf(place, key)).toEqual([])
    const masks = new Set(await placesOf(place, 'refused: [secret]'))
    expect([...masks].sort()).toEqual([
      'attempt.answer',
      'decision.context',
      'decision.decision',
      'decision.reason',
      'event.facts',
      'lock.reason',
      'lock.released_reason',
      'quote.body',
      'swap.plan',
      'swap.reason',
    ])
    expect(await placesOf(place, '3000000000')).toEqual(['quote.amount_out', 'event.facts'])
    // The log has the hash of what came, not of what may be kept of it.
    expect(await placesOf(place, createHash('sha256').update(body).digest('hex'))).toEqual([
      'event.facts',
    ])
    await place.remove()
  },
)
