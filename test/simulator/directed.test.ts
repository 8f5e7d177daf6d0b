import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { createStage } from './createStage.ts'
import { type Machine, openMachine } from './openMachine.ts'
import { startProcess } from './startProcess.ts'
import type { Wish } from './wish.ts'
import { journalOptions, native } from './world.ts'

vi.mock('node:sqlite', () => import('./simulatedSqlite.ts'))

/** `npm run test:mutants` dies at each of them. */
const statementsApart = Number(process.env.STATEMENTS_APART ?? 3)

const wish = (id: string): Wish => ({ id, sell: { token: native, wei: 10n ** 18n } })

let machine: Machine
let stage: ReturnType<typeof createStage>
beforeAll(async () => {
  machine = await openMachine()
})
beforeEach(() => {
  stage = createStage(machine)
})

const states = () =>
  stage.disk
    .rows<{ state: string }>('SELECT state FROM swap ORDER BY created_at')
    .map(({ state }) => state)

describe('simulator, directed', () => {
  test('default: a wish is executed once, at the first go', async () => {
    const life = stage.begin()
    expect(
      await stage.until(startProcess([wish('a')], { ...stage, life, plansMax: 1 }), { blocks: 20 }),
    ).toBe('done')
    expect(states()).toEqual(['SETTLED'])
  })

  test('[CHAIN-12] a nonce is missing below ours: nothing is invented to fill it, and nothing is signed behind it', async () => {
    const life = stage.begin()
    await stage.until(startProcess([wish('a')], { ...stage, life, plansMax: 1 }), { blocks: 20 })
    const { nonce } = stage.network.head().state
    // Deeper than was promised: what was final is gone, and nobody has its bytes any more.
    stage.network.reorganise(12, 'dropped', { lateMs: 0 })
    expect(stage.network.head().state.nonce).toBe(nonce - 1)
    expect(
      await stage.until(startProcess([wish('a'), wish('b')], { ...stage, life, plansMax: 1 }), {
        blocks: 50,
      }),
    ).toMatchObject({
      failed: { code: 'NONCE_LOST', remedy: 'halt' },
    })
    expect(stage.network.head().state.nonce).toBe(nonce - 1)
    expect(states()).toEqual(['SETTLED'])
  })

  test('[CHAIN-19] success without the event of its authorisation: undecided, and the wallet is halted', async () => {
    const life = stage.begin()
    stage.network.mute(true)
    expect(
      await stage.until(startProcess([wish('a'), wish('b')], { ...stage, life, plansMax: 1 }), {
        blocks: 20,
      }),
    ).toMatchObject({
      failed: { code: 'SETTLEMENT_UNEXPLAINED', remedy: 'halt' },
    })
    expect(states()).toEqual(['INCLUDED'])
    expect(
      await stage.until(startProcess([wish('b')], { ...stage, life, plansMax: 1 }), { blocks: 20 }),
    ).toMatchObject({
      failed: { code: 'LOCKED' },
    })
    expect(stage.network.head().state.nonce).toBe(1)
  })

  test('[LOCAL-13] killed at statements of a migration: the next start finds all of it or none', async () => {
    const clock = { now: () => 0, sleep: async () => {} }
    const schema = () =>
      stage.disk.rows(
        "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
      )
    stage.disk.replace()
    await openJournal({ ...journalOptions, clock })
    const whole = schema()
    let kills = 0
    for (let at = 0; ; at += statementsApart) {
      stage.disk.replace()
      let left = at
      stage.disk.expose(() => {
        if (left-- === 0) stage.disk.crash(undefined)
      })
      const end = await openJournal({ ...journalOptions, clock }).then(
        () => 'opened',
        () => 'killed',
      )
      stage.disk.expose(undefined)
      if (end === 'opened') break
      kills += 1
      const after = schema()
      await openJournal({ ...journalOptions, clock })
      expect(schema(), `killed at statement ${at}, which left ${after.length} parts`).toEqual(whole)
    }
    expect(kills).toBeGreaterThan(30 / statementsApart)
    machine = await openMachine()
  })

  test('[LOCAL-40] a journal that a newer version has written is not opened, and what it holds stays as it is', async () => {
    const life = stage.begin()
    stage.network.refuse(() => 'internal error')
    expect(
      await stage.until(startProcess([wish('a')], { ...stage, life, plansMax: 1 }), { blocks: 2 }),
    ).toBe('pending')
    life.kill('to be upgraded, and put back')
    const newer = '9999-states-of-tomorrow'
    stage.disk.rows('INSERT INTO kysely_migration VALUES (?, ?)', newer, '2030-01-01')
    expect(
      await stage.until(startProcess([wish('a')], { ...stage, life: stage.begin(), plansMax: 1 }), {
        blocks: 20,
      }),
    ).toMatchObject({ failed: { code: 'JOURNAL_NEWER' } })
    expect(states()).toEqual(['SIGNED'])
    expect(stage.network.head().state.nonce).toBe(0)
    stage.disk.rows('DELETE FROM kysely_migration WHERE name = ?', newer)
  })
})
