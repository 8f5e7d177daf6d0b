import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFigures } from '../../../src/app/reading/readFigures.ts'
import type { Config } from '../../../src/config/config.ts'
import { secret } from '../../../src/core/secret.ts'

const owner = {
  chain: { chainId: 1 },
  wallet: { address: `0x${'a'.repeat(40)}` },
} as Pick<Config, 'chain' | 'wallet'>

const countBooks = async () => ({
  swaps: new Map(),
  slots: new Map(),
  writtenOff: 0,
  gasPaidWei: 0n,
})

test('a journal in a file is as large as the file and its log, one on a server is the server’s matter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-figures-'))
  const path = join(folder, 'ballast.db')
  const bytes = async () =>
    (await readFigures({ countBooks }, { ...owner, database: { dialect: 'sqlite', path } }))
      .journalBytes
  writeFileSync(path, 'x'.repeat(100))
  expect(await bytes()).toBe(100)
  writeFileSync(`${path}-wal`, 'x'.repeat(20))
  expect(await bytes()).toBe(120)
  rmSync(folder, { recursive: true })

  const url = secret('postgres://nobody@localhost/none')
  const onServer = await readFigures(
    { countBooks },
    { ...owner, database: { dialect: 'postgres', url } },
  )
  expect(onServer).toMatchObject({ journalBytes: null, diskFreeBytes: null })
})
