import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/bot/journal/schema/openDatabase.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-stop-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
})

const stops = ['halt', 'pause', 'drain'] as const

describe('a key or an address that is wrong', () => {
  const environment = {
    WALLET_KEY: 'no key at all',
    WALLET_PASSWORD_FILE: '/none',
    RPC_URL: 'nonsense',
    QUOTE_API_URL: 'nonsense',
    QUOTE_API_KEY: 'with a space',
    LOG_LEVEL: 'loud',
  }

  test.each([...stops, 'status'])('%s does without it', async (command) => {
    await callCli(['pause'], { cwd })
    const { code, stderr } = await callCli([command], { cwd, environment })
    const note = /^(?:.* has no trace of this wallet: .*\n)?$/
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(note) })
  })

  test('resume releases without it', async () => {
    await callCli(['pause'], { cwd })
    const { code, stdout } = await callCli(['resume', '--reason', 'seen'], { cwd, environment })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'Released lock 1: pause all (BY_OPERATOR).\nNext: ballast status, whether it runs and what still holds\n',
    })
  })

  test('what trades does not', async () => {
    expect((await callCli(['config', 'check'], { cwd, environment })).code).toBe(2)
  })

  test('an address that only the environment of the bot has is not missed', async () => {
    const yaml = goodYaml.replace('  rpcUrl: http://127.0.0.1:8545\n', '')
    writeFileSync(join(cwd, 'ballast.yaml'), yaml)
    expect((await callCli(['halt'], { cwd })).code).toBe(0)
  })
})

test.each(stops)('%s says that no bot has used the journal, each time', async (command) => {
  for (const _ of [1, 2]) {
    const { code, stderr } = await callCli([command], { cwd })
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /ballast\.db has no trace of this wallet: no bot has used it\. One that runs has another/,
    )
  }
  const db = await openDatabase({ dialect: 'sqlite', path: join(cwd, 'ballast.db') })
  const address = '0x5fbdb2315678afecb367f032d93f642f64180aa9'
  await db.insertInto('wallet').values({ chain_id: 31_337, address, next_nonce: 0 }).execute()
  await db.destroy()
  expect((await callCli([command], { cwd })).stderr).toBe('')
})

test.each(stops)('%s stops also where nothing else of the journal can be read', async (command) => {
  await callCli([command], { cwd })
  const file = new DatabaseSync(join(cwd, 'ballast.db'))
  file.exec("DROP TABLE wallet; UPDATE lock SET released_at = 1, released_reason = 'x'")
  expect((await callCli([command, '--reason', 'again'], { cwd })).code).toBe(0)
  const [row] = file.prepare('SELECT reason FROM lock ORDER BY id DESC').all()
  expect(row?.reason).toBe('again')
  file.close()
})

test('the hint repeats the configuration file that was named', async () => {
  writeFileSync(join(cwd, 'desk.yaml'), goodYaml)
  const { stdout } = await callCli(['pause', '--config', 'desk.yaml'], { cwd })
  expect(stdout).toContain(`ballast resume --config 'desk.yaml' --reason "…" 1\n`)
  expect((await callCli(['pause'], { cwd })).stdout).toContain(
    'until: ballast resume --reason "…" 1',
  )
})

test('a second stop says that the reason of the first one stays', async () => {
  const halt = async (reason: string) =>
    (await callCli(['halt', '--reason', reason], { cwd })).stdout.split('\n')[0]
  expect(await halt('first')).toBe('Opened lock 1: halt all (first).')
  expect(await halt('second')).toBe(
    'There is already lock 1: halt all (first). Its reason stays; the one given now was not kept.',
  )
})

describe.each(stops)('%s that fails says that nothing was halted', (command) => {
  const lastLine = async () => {
    const { code, stdout, stderr } = await callCli([command], { cwd })
    expect(stdout).toBe('')
    return { code, line: stderr.trimEnd().split('\n').at(-1) }
  }

  test('without a configuration that can be read', async () => {
    writeFileSync(join(cwd, 'ballast.yaml'), goodYaml.replace('50 bps', '50'))
    expect(await lastLine()).toEqual({
      code: 2,
      line: '  next: nothing was halted; create a file HALT beside the database, or beside ballast.yaml where that is a server, or POST /api/halt',
    })
  })

  test('without a journal that can be used', async () => {
    mkdirSync(join(cwd, 'ballast.db'))
    expect(await lastLine()).toEqual({
      code: 5,
      line: `  next: nothing was halted; create the file ${join(cwd, 'HALT')} or POST /api/halt`,
    })
  })

  test('without a folder for it', async () => {
    writeFileSync(join(cwd, 'taken'), '')
    writeFileSync(
      join(cwd, 'ballast.yaml'),
      goodYaml.replace('sqlite:./ballast.db', 'sqlite:./taken/ballast.db'),
    )
    expect(await lastLine()).toEqual({
      code: 5,
      line: `  next: nothing was halted; create the file ${join(cwd, 'taken', 'HALT')} or POST /api/halt`,
    })
  })
})

test('a stop names how to undo it and what to look at next, of the same file', async () => {
  const { stdout } = await callCli(['halt', '--paper', '--reason', 'a look'], { cwd })
  expect(stdout).toMatch(/^It holds until: ballast resume --reason "…" 1 --paper$/m)
  expect(stdout).toMatch(/^Next: ballast status --paper, what is under way$/m)
})
