import { describe, expect, test } from 'vitest'
import { onPaper } from '../../../src/app/onPaper.ts'
import type { Config } from '../../../src/config/config.ts'
import { secret } from '../../../src/core/secret.ts'

const beside = (database: Config['database']) => {
  const on = onPaper({ database } as Config).database
  return on.dialect === 'sqlite' ? on.path : on.url.reveal()
}

describe('onPaper: a journal of its own beside the live one', () => {
  test.each([
    ['/data/ballast.db', '/data/ballast.paper.db'],
    ['/data/my.journal.sqlite', '/data/my.journal.paper.sqlite'],
    ['/data/journal', '/data/journal.paper'],
  ])('%s', (path, expected) => {
    expect(beside({ dialect: 'sqlite', path })).toBe(expected)
  })

  test('a server: another database, with the same user, password and options', () => {
    const url = secret('postgres://ballast:p%40ss@db.example:5432/ballast?sslmode=require')
    expect(beside({ dialect: 'postgres', url })).toBe(
      'postgres://ballast:p%40ss@db.example:5432/ballast_paper?sslmode=require',
    )
  })
})
