import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { backUp, restore } from '../../../../src/bot/journal/copies.ts'
import { openJournal } from '../../../../src/bot/journal/openJournal.ts'
import { systemClock } from '../../../../src/core/clock.ts'
import { goodYaml } from '../../../config/goodYaml.ts'
import {
  type Account,
  asAccount,
  mayActAsOthers,
  type Runner,
  runAsAccount,
  startRunner,
} from '../../../support/asAccount.ts'
import { wallet } from '../sampleSwap.ts'

/** The account of the bot, and another one of the same group. */
const bot: Account = { uid: 65_531, gid: 65_531 }
const member: Account = { uid: 65_532, gid: 65_531 }

describe.skipIf(!mayActAsOthers)('accounts that share a folder', () => {
  let runners: ReadonlyMap<Account, Runner>
  beforeAll(() => {
    runners = new Map([bot, member].map((account) => [account, startRunner(account)]))
  })
  afterAll(async () => {
    for (const runner of runners.values()) await runner[Symbol.asyncDispose]()
  })
  /** What a module prints that leaves nothing open. */
  const run = (account: Account, script: string) => runners.get(account)?.run(script)

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

  test('a lock that this account may read and not write is refused, and holds nothing', async () => {
    share(0, 0o2770)
    writeFileSync(`${path}.lock`, '')
    chmodSync(`${path}.lock`, 0o644)
    const said = `JOURNAL_UNUSABLE The lock of the journal cannot be written. ${path}.lock belongs to account 0, and this account may not write it`
    for (const account of [bot, member]) expect(await run(account, taking())).toBe(`${said}\n`)
  })

  test('a lock of a wallet that this account may read and not write is refused', async () => {
    share(bot.uid, 0o700)
    const state = join(folder, 'state')
    mkdirSync(state)
    chownSync(state, 0, bot.gid)
    chmodSync(state, 0o2770)
    const lock = join(state, `1-${wallet.toLowerCase()}.lock`)
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

  test('a lock of signatures that this account may read and not write is refused', async () => {
    share(bot.uid, 0o700)
    const count = join(folder, 'signatures')
    writeFileSync(`${count}.lock`, '')
    chmodSync(`${count}.lock`, 0o644)
    const counting = `
      import { openDayCount } from './src/bot/sign/process/openDayCount.ts'
      try { openDayCount({ file: ${JSON.stringify(count)}, clock: { now: Date.now } }); console.log('counts') }
      catch (error) { console.log(error.code) }`
    expect(await run(bot, counting)).toBe('SIGNER_RUNNING\n')
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
        expect(await run(second, taking())).toMatch(/^JOURNAL_LOCKED /)
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

  const make = `
    import { openJournal } from './src/bot/journal/openJournal.ts'
    import { systemClock as clock } from './src/core/clock.ts'
    const make = () => openJournal({ database: { dialect: 'sqlite', path: 'PATH' }, haltFile: 'none', clock })`
  const look = `
    import { readJournal } from './src/bot/journal/readJournal.ts'
    import { systemClock as clock } from './src/core/clock.ts'
    const look = () => readJournal({ database: { dialect: 'sqlite', path: 'PATH' }, haltFile: 'none', clock })
    const say = (error) => console.log(error.code, error.summary, error.facts?.reason)`
  const moduleOf = (script: readonly string[]) => script.join('\n').replaceAll('PATH', path)
  const as = async (account: Account, ...script: readonly string[]) =>
    run(account, moduleOf(script))
  /** In a process of its own, whose end matters. */
  const alone = (account: Account, ...script: readonly string[]) =>
    asAccount(account, moduleOf(script))
  const files = () => readdirSync(folder).filter((file) => /db(-wal|-shm|-journal)?$/.test(file))

  /** A journal of the bot that is not in use, for its group to read. */
  const stopped = async () => {
    share(bot.uid, 0o2770)
    expect(await as(bot, make, `await (await make()).shut()`)).toBe('')
    chmodSync(path, 0o640)
  }

  test('a look of another account at a stopped bot leaves nothing beside the journal', async () => {
    await stopped()
    const looking = `const journal = await look(); console.log((await journal.locks.live()).length); await journal.shut()`
    expect(await as(member, look, looking)).toBe('0\n')
    const killed =
      'const journal = await look(); await journal.locks.live(); process.kill(process.pid, 9)'
    expect(alone(member, look, killed)).toBe('')
    const copying = `
      import { backUp } from './src/bot/journal/copies.ts'
      import { systemClock as clock } from './src/core/clock.ts'
      const { count } = await backUp({ database: { dialect: 'sqlite', path: 'PATH' }, clock }, 'PATH-copy')
      console.log(count)`
    expect(await as(member, copying)).toBe('0\n')
    expect(files()).toEqual(['journal.db'])
    expect(await as(bot, make, `await (await make()).shut(); console.log('open')`)).toBe('open\n')
  })

  test('a bot that begins while another account looks: that one looks again', async () => {
    await stopped()
    const looking = `
      import { writeFileSync } from 'node:fs'
      const journal = await look()
      await journal.locks.live()
      writeFileSync('PATH-wal', '')
      await journal.locks.live().catch(say)`
    expect(alone(member, look, looking)).toMatch(/^JOURNAL_BUSY /)
  })

  test('a look of another account at a running bot sees what it wrote last', async () => {
    await stopped()
    const running = `
      const journal = await make()
      const open = { kind: 'halt', scope: 'all', code: 'BY_OPERATOR', reason: 'a fire', expiresAt: undefined }
      await journal.locks.open(open)
      console.log('open')`
    await using _ = await runAsAccount(bot, `${make}${running}`.replaceAll('PATH', path))
    const looking = 'console.log((await (await look()).locks.live()).length)'
    expect(alone(member, look, looking)).toBe('1\n')
  })

  test('a log that a killed bot left without its index is for the account of the bot', async () => {
    await stopped()
    writeFileSync(`${path}-wal`, '')
    expect(await as(member, look, 'await look().catch(say)')).toMatch(
      /^JOURNAL_UNUSABLE The journal cannot be used\. its process was killed/,
    )
    expect(files()).toEqual(['journal.db', 'journal.db-wal'])
  })

  test('a journal whose bot was killed is read with its log, and left to the bot', async () => {
    await stopped()
    const killed = `
      const journal = await make()
      const open = { kind: 'halt', scope: 'all', code: 'BY_OPERATOR', reason: 'a fire', expiresAt: undefined }
      await journal.locks.open(open)
      process.kill(process.pid, 9)`
    alone(bot, make, killed)
    expect(files()).toEqual(['journal.db', 'journal.db-shm', 'journal.db-wal'])
    const looking = `const journal = await look(); console.log((await journal.locks.live()).length); await journal.shut()`
    expect(await as(member, look, looking)).toBe('1\n')
    const owners = files().map((file) => statSync(join(folder, file)).uid)
    expect(owners).toEqual(owners.map(() => bot.uid))
    expect(await as(bot, make, looking.replace('look()', 'make()'))).toBe('1\n')
  })

  test('a journal that this account may only read is not opened to be written: nothing is left beside it', async () => {
    await stopped()
    const opening = `await make().catch((error) => console.log(error.code, error.facts.reason))`
    expect(await as(member, make, opening)).toBe(
      `JOURNAL_UNUSABLE ${path} belongs to account ${bot.uid}, and this account may not write it\n`,
    )
    expect(files()).toEqual(['journal.db'])
  })

  test.each(['-wal', '-shm'])('a %s of another account is named with its owner', async (end) => {
    await stopped()
    const file = `${path}${end}`
    writeFileSync(file, '')
    chownSync(file, member.uid, member.gid)
    chmodSync(file, 0o640)
    const checking = `
      import { checkIntegrity } from './src/bot/journal/store/checkIntegrity.ts'
      try { checkIntegrity({ dialect: 'sqlite', path: 'PATH' }) }
      catch (error) { console.log(error.code, error.facts.reason) }
      await make().catch((error) => console.log(error.code, error.facts.reason))`
    const said = `JOURNAL_UNUSABLE ${file} belongs to account ${member.uid}, and this account may not write it\n`
    expect(await as(bot, make, checking)).toBe(said + said)
  })

  const ownerOf = (file: string) => {
    const { uid, gid, mode } = statSync(file)
    return [uid, gid, (mode & 0o777).toString(8)]
  }
  const database = () => ({ dialect: 'sqlite', path }) as const
  const openHere = () => openJournal({ database: database(), haltFile: 'none', clock: systemClock })
  const to = { clock: systemClock, wallet }

  test('a restore of root is for the account of the journal it replaces, or of the folder, not of the copy', async () => {
    await stopped()
    const copy = join(folder, 'copy.db')
    await backUp({ database: database(), clock: systemClock }, copy)
    chownSync(copy, member.uid, member.uid)
    writeFileSync(`${copy}-wal`, '')
    chownSync(`${copy}-wal`, member.uid, member.uid)
    await restore({ database: database(), ...to }, copy)
    expect(ownerOf(path)).toEqual([bot.uid, bot.gid, '640'])
    rmSync(path)
    await restore({ database: database(), ...to }, copy)
    expect(ownerOf(path)).toEqual([bot.uid, bot.gid, '600'])
    expect(await as(bot, make, `await (await make()).shut(); console.log('open')`)).toBe('open\n')
  })

  test('a restore of a copy that this account may not read names it; so does one of a folder', async () => {
    await stopped()
    const copy = join(folder, 'copy.db')
    const restoring = `
      import { restore } from './src/bot/journal/copies.ts'
      import { systemClock as clock } from './src/core/clock.ts'
      const database = { dialect: 'sqlite', path: 'PATH' }
      for (const file of ['${copy}', '${copy}-none', '${folder}'])
        await restore({ database, clock, wallet: '${wallet}' }, file)
          .catch((error) => console.log(error.code, error.summary))`
    writeFileSync(copy, '', { mode: 0o600 })
    const closed =
      'FILE_UNREADABLE The file cannot be read: let this account read it. The journal in its place is as it was.\n'
    expect(await as(bot, restoring)).toBe(
      `${closed}FILE_UNREADABLE There is no such file.\n${closed}`,
    )
    expect(files()).toContain('journal.db')
  })

  test('a restore by an account that may not write the journal leaves it in its place', async () => {
    await stopped()
    const restoring = `
      import { restore } from './src/bot/journal/copies.ts'
      import { systemClock as clock } from './src/core/clock.ts'
      await restore({ database: { dialect: 'sqlite', path: 'PATH' }, clock, wallet: '${wallet}' }, 'PATH')
        .catch((error) => console.log(error.code, error.facts.reason))`
    expect(await as(member, restoring)).toMatch(/^JOURNAL_UNUSABLE .* may not write it\n$/)
    expect(ownerOf(path)).toEqual([bot.uid, bot.gid, '640'])
    expect(files()).toEqual(['journal.db'])
  })

  test('a restore moves a log of another account aside with the journal', async () => {
    await stopped()
    const copy = join(folder, 'copy.db')
    await backUp({ database: database(), clock: systemClock }, copy)
    writeFileSync(`${path}-wal`, '', { mode: 0o600 })
    const restoring = `
      import { restore } from './src/bot/journal/copies.ts'
      import { systemClock as clock } from './src/core/clock.ts'
      await restore({ database: { dialect: 'sqlite', path: 'PATH' }, clock, wallet: '${wallet}' }, '${copy}')
      await (await make()).shut()
      console.log('open')`
    expect(await as(bot, make.replace(/import .*systemClock.*/, ''), restoring)).toBe('open\n')
    expect(files()).toContain('journal.db')
  })

  test('a first journal that root makes in its own folder is for the group that may write there', async () => {
    share(0, 0o2770)
    await (await openHere()).shut()
    expect(ownerOf(path)).toEqual([0, bot.gid, '660'])
    for (const account of [bot, member])
      expect(await as(account, make, `await (await make()).shut(); console.log('open')`)).toBe(
        'open\n',
      )
  })

  test.each([
    ['of root, for root alone', 0, 0o700],
    ['of root, open to all', 0, 0o777],
    ['of the bot, for its group', bot.uid, 0o2770],
  ])(
    'a first journal that root makes in a folder %s is for its owner alone',
    async (_, uid, mode) => {
      share(uid, mode)
      await (await openHere()).shut()
      expect(ownerOf(path)).toEqual([uid, bot.gid, '600'])
    },
  )

  const archiving = `
    import { archiveJournal } from './src/bot/journal/archiveJournal.ts'
    import { copyProgress } from './src/bot/journal/copyProgress.ts'
    const journal = await make()
    const archive = { journal, database: { dialect: 'sqlite', path: 'PATH' }, folder: 'PATH-archives/deep', clock }
    await archiveJournal(archive, clock.now())
      .then(() => console.log('archived'), (error) => console.log(error.code))
    console.log(copyProgress(archive.database, 'PATH-archives/deep/journal.partial'))
    await journal.shut()`

  test.each([
    ['the bot', bot.uid, 0o700, [bot.uid, '700']],
    ['root, for a group', 0, 0o2770, [0, '770']],
  ] as const)(
    'the folder of archives that root makes in one of %s is for the account of that',
    async (_, uid, mode, [owner, mask]) => {
      share(uid, mode)
      expect(alone({ uid: 0, gid: 0 }, make, archiving)).toMatch(/^archived\n/)
      for (const made of [`${path}-archives`, `${path}-archives/deep`])
        expect(ownerOf(made)).toEqual([owner, bot.gid, mask])
      expect(await as(bot, make, archiving)).toMatch(/^archived\n/)
    },
  )

  test('a folder of archives that is closed to this account: the archive fails in a sentence', async () => {
    share(bot.uid, 0o700)
    mkdirSync(`${path}-archives`, { mode: 0o700 })
    expect(await as(bot, make, archiving)).toMatch(/^ARCHIVE_FAILED\nCopying the journal: 0\.0 of/)
    mkdirSync(`${path}-archives/deep`)
    const asking = `
      import { hindranceOf, assertAtHand } from './src/bot/journal/archive/createArchives.ts'
      console.log(hindranceOf('a.db', 'PATH-archives/deep'), hindranceOf('a.db', 'PATH-none'))
      try { assertAtHand('a.db', 'PATH-archives/deep') } catch (error) { console.log(error.code, error.summary) }`
    expect(await as(bot, asking)).toBe(
      `closed missing\nARCHIVE_MISSING This is in the archive a.db of ${path}-archives/deep, which this account may not read: let it read the file and the folder.\n`,
    )
  })

  const holding = `
    import { lockHolder } from './src/bot/journal/holdJournal.ts'
    console.log(JSON.stringify(lockHolder('PATH')))`

  test('a process of another account, or whose number is not to be seen or read, is the holder while it has the lock', async () => {
    share(bot.uid, 0o750)
    const held = await runAsAccount(bot, taking())
    try {
      expect(await as(member, holding)).toBe(`{"pid":${held.pid},"holds":""}\n`)
      // As another container sees it.
      writeFileSync(`${path}.pid`, `${2 ** 30}\n`)
      expect(await as(member, holding)).toBe(`{"pid":${2 ** 30},"holds":""}\n`)
      chmodSync(`${path}.pid`, 0o600)
      expect(await as(member, holding)).toBe('{}\n')
      // Where the lock itself is closed too, nothing can be told of the process.
      chmodSync(`${path}.lock`, 0o600)
      expect(await as(member, holding)).toBe('"unknown"\n')
      chmodSync(`${path}.pid`, 0o644)
      expect(await as(member, holding)).toBe('"unknown"\n')
      writeFileSync(`${path}.pid`, `${held.pid}\n`)
      expect(await as(member, holding)).toBe(`{"pid":${held.pid},"holds":""}\n`)
    } finally {
      await held[Symbol.asyncDispose]()
    }
    chmodSync(`${path}.lock`, 0o644)
    expect(await as(member, holding)).toBe('undefined\n')
    chmodSync(`${path}.pid`, 0o600)
    expect(await as(member, holding)).toBe('undefined\n')
  })

  test('a folder that this account may not enter tells nothing of the process', async () => {
    share(bot.uid, 0o700)
    expect(await as(member, holding)).toBe('"unknown"\n')
  })

  test('status of another account: RUNNING while the lock is held, UNKNOWN where that is closed to it', async () => {
    path = join(folder, 'ballast.db')
    await stopped()
    writeFileSync(join(folder, 'ballast.yaml'), goodYaml)
    const status = `
      import { callCli } from './test/cli/callCli.ts'
      const { code, stdout } = await callCli(['status', '--check'], { cwd: '${folder}' })
      console.log(code, stdout.split(':')[0])`
    expect(await as(member, status)).toBe('14 NEVER\n')
    await using _ = await runAsAccount(bot, taking())
    expect(await as(member, status)).toBe('0 RUNNING\n')
    for (const end of ['.pid', '.lock']) chmodSync(`${path}${end}`, 0o600)
    expect(await as(member, status)).toBe('15 UNKNOWN\n')
  })
})
