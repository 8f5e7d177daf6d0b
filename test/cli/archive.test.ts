import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import {
  begin,
  createTrader,
  createVirtualClock,
  tradeYear,
  yearMs,
} from '../bot/journal/archive/tradeThrough.ts'
import { wallet } from '../bot/journal/sampleSwap.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'
import { masked } from './masked.ts'

let cwd: string
let swapId: string
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-archive-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
  const clock = createVirtualClock()
  const database = { dialect: 'sqlite', path: join(cwd, 'ballast.db') } as const
  const journal = await openJournal({ database, clock, haltFile: join(cwd, 'HALT') })
  await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  // In the past by every clock that runs this.
  const trader = createTrader(journal, clock)
  for (const year of [-6, -5]) await tradeYear(trader, { year, swaps: 4 })
  const [first] = await journal.swaps.page({ limit: 1 })
  swapId = first?.id ?? ''
  await journal.shut()
})
afterEach(() => rmSync(cwd, { recursive: true }))

const ballast = (...args: string[]) => callCli(args, { cwd })
const archivesIn = (folder: string) =>
  readdirSync(join(cwd, folder)).filter((file) => file.endsWith('.db'))
const day = (year: number) => new Date(begin + year * yearMs).toISOString().slice(0, 10)

test('archive: says where bodies went; explain and audit read them, or name the file they need', async () => {
  const told = await ballast('explain', swapId)
  const listed = await ballast('history')
  const report = await ballast('report')
  const exported = await ballast('export', '--what', 'decisions')
  const archived = await ballast('archive', '--before', day(-5))
  expect(archived).toMatchObject({ code: 0, stderr: '' })
  const [file = ''] = archivesIn('archives')
  expect(archived.stdout).toContain(`file    ${file}\n`)
  expect(archived.stdout).toContain('signed  no:')
  expect(archived.stdout).toMatch(/dropped \d+ KiB/)
  const lines = archived.stdout.split('\n').filter((line) => !line.includes(cwd))
  expect(lines.filter((line) => line.length > 80)).toEqual([])

  expect(await ballast('explain', swapId)).toEqual(told)
  expect(await ballast('history')).toEqual(listed)
  expect(await ballast('report')).toEqual(report)
  expect(await ballast('export', '--what', 'decisions')).toEqual(exported)
  const verified = await ballast('audit', 'verify')
  expect(verified).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`archive ${file} has`),
  })
  await expectGolden('archive-nothing', masked(await ballast('archive', '--before', day(-5))), {
    folder: cwd,
  })

  renameSync(join(cwd, 'archives'), join(cwd, 'away'))
  const unchecked = await ballast('audit', 'verify')
  expect([unchecked.code, unchecked.stdout]).toEqual([
    4,
    expect.stringContaining(`NOT CHECKED: archive ${file}: it is not in`),
  ])
  for (const args of [
    ['explain', swapId],
    ['export', '--what', 'decisions'],
  ])
    expect(await ballast(...args)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`archive ${file}`),
    })
  // Figures stay in the journal.
  expect(await ballast('history')).toEqual(listed)
  expect(await ballast('report')).toEqual(report)
})

test('archive: a backup of a thinned journal is verified, and restored', async () => {
  await ballast('archive', '--before', day(-5))
  expect(await ballast('backup', join(cwd, 'copy.db'))).toMatchObject({ code: 0 })
  expect(await ballast('restore', join(cwd, 'copy.db'))).toMatchObject({ code: 0 })
  expect((await ballast('audit', 'verify')).code).toBe(0)
  expect((await ballast('explain', swapId)).code).toBe(0)
})

test('archive: its checkpoint is signed by the key of the wallet, and by no other', async () => {
  const key = '11'.repeat(32)
  const { address } = privateKeyToAccount(`0x${key}`)
  const own = goodYaml.replace(/(wallet: .*address: )"0x\w+"/, `$1"${address}"`)
  writeFileSync(join(cwd, 'ballast.yaml'), own)
  const other = { WALLET_KEY: '22'.repeat(32) }
  expect(
    await callCli(['archive', '--before', day(-5)], { cwd, environment: other }),
  ).toMatchObject({
    stderr: expect.stringContaining('a signature of another key'),
  })
  const environment = { WALLET_KEY: key }
  const signed = await callCli(['archive', '--before', day(-5)], { cwd, environment })
  expect(signed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`signed  by ${address}`),
  })
  // Who verifies needs no key.
  expect(await ballast('audit', 'verify')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('signed by the wallet'),
  })
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
  const verified = await ballast('audit', 'verify')
  // A part of its checksum is in the name of an archive.
  const stdout = verified.stdout.replaceAll(/(?<=archive ballast-\d+-)\w+/g, '00000000')
  await expectGolden('audit-verify-unsigned', masked({ ...verified, stdout }), { folder: cwd })
  // A wrong signature is one without its file too; an archive that is elsewhere is only not checked.
  rmSync(join(cwd, 'archives'), { recursive: true })
  expect(await ballast('audit', 'verify')).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('BROKEN: archive'),
  })
  writeFileSync(join(cwd, 'ballast.yaml'), own)
  expect(await ballast('audit', 'verify')).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('NOT CHECKED: archive'),
  })
})

test('archive: needs to know what is old, and leaves the last day', async () => {
  await expectGolden('archive-no-age', await ballast('archive'), { folder: cwd })
  const now = new Date().toISOString()
  expect((await ballast('archive', '--before', now)).code).toBe(2)
  writeFileSync(
    join(cwd, 'ballast.yaml'),
    `${goodYaml}\njournal: { retention: 30d, archives: old }\n`,
  )
  expect((await ballast('archive')).code).toBe(0)
  expect(archivesIn('old')).toHaveLength(1)
})
