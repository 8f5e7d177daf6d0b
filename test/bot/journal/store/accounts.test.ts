import { chmodSync, chownSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  type Account,
  asAccount,
  mayActAsOthers,
  runAsAccount,
} from '../../../support/asAccount.ts'

/** The account of the bot, and another one of the same group. */
const bot: Account = { uid: 65_531, gid: 65_531 }
const member: Account = { uid: 65_532, gid: 65_531 }

describe.skipIf(!mayActAsOthers)('accounts that share a folder', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ballast-accounts-'))
    path = join(folder, 'journal.db')
  })

  /** A folder of an account, for its group as well. */
  const share = (uid: number, mode: number) => {
    chownSync(folder, uid, bot.gid)
    chmodSync(folder, mode)
  }

  const locking = `
    import { lockJournal } from './src/bot/journal/holdJournal.ts'
    try { globalThis.held = lockJournal(${JSON.stringify('PATH')}); console.log('locked') }
    catch (error) { console.log(error.code, error.summary, error.facts.reason) }`
  const taking = () => locking.replace('PATH', path)

  test('a lock that this account may read and not write is refused, and holds nothing', () => {
    share(0, 0o2770)
    writeFileSync(`${path}.lock`, '')
    chmodSync(`${path}.lock`, 0o644)
    const said = `JOURNAL_UNUSABLE The lock of the journal cannot be written. ${path}.lock belongs to account 0, and this account may not write it`
    for (const account of [bot, member]) expect(asAccount(account, taking())).toBe(`${said}\n`)
  })

  test('a lock of a wallet that this account may read and not write is refused', () => {
    share(bot.uid, 0o700)
    const state = join(folder, 'state')
    mkdirSync(state)
    chownSync(state, 0, bot.gid)
    chmodSync(state, 0o2770)
    const wallet = `0x${'12'.repeat(20)}`
    const lock = join(state, `1-${wallet}.lock`)
    writeFileSync(lock, '')
    const holding = `
      import { holdJournal } from './src/bot/journal/holdJournal.ts'
      const database = { dialect: 'sqlite', path: ${JSON.stringify(path)} }
      await holdJournal({ database, chainId: 1, wallet: '${wallet}', stateFolder: ${JSON.stringify(state)} })
        .then(() => console.log('held'), (error) => console.log(error.code, error.summary, error.facts.reason))`
    expect(asAccount(bot, holding)).toBe(
      `STATE_FOLDER_UNUSABLE The lock of the wallet cannot be written. ${lock} belongs to account 0, and this account may not write it\n`,
    )
  })

  test.each([
    ['root', 0],
    ['one of them', bot.uid],
  ])(
    'a folder of %s that a group may write: each keeps the other out, whichever made the lock',
    async (_, owner) => {
      share(owner, 0o2770)
      for (const [first, second] of [
        [bot, member],
        [member, bot],
      ] as const) {
        await using held = await runAsAccount(first, taking())
        expect(held.printed).toBe('locked\n')
        expect(asAccount(second, taking())).toMatch(/^JOURNAL_LOCKED /)
      }
      const { mode, gid } = statSync(`${path}.lock`)
      expect([(mode & 0o777).toString(8), gid]).toEqual(['664', bot.gid])
    },
  )

  test('a folder that no group may write: the lock is for its account alone', () => {
    share(bot.uid, 0o750)
    expect(asAccount(bot, taking())).toBe('locked\n')
    expect((statSync(`${path}.lock`).mode & 0o777).toString(8)).toBe('644')
  })
})
