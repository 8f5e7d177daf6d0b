import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { interfaceVersion } from '../../src/bot/strategy/interfaceVersion.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'

let cwd: string
beforeEach(() => {
  // No name for a strategy, whatever is drawn.
  cwd = mkdtempSync(join(tmpdir(), 'ballast-New-'))
})

const create = (folder: string, ...more: readonly string[]) =>
  callCli(['new', 'strategy', folder, ...more], { cwd })
const read = (file: string) => readFileSync(join(cwd, file), 'utf8')

const all = [
  ...['.gitignore', 'README.md', 'node_modules', 'package.json', 'strategy.test.ts'],
  ...['strategy.ts', 'tsconfig.json'],
]

describe('ballast new strategy', () => {
  test('writes a folder with all that a strategy takes, by its name', async () => {
    expect(await create('buy-low')).toEqual({
      code: 0,
      stderr: '',
      stdout: `Wrote strategy.ts, strategy.test.ts, README.md, package.json, tsconfig.json, .gitignore into buy-low.
In ballast.yaml it is 'use: ./buy-low/strategy.ts'; README.md has the whole entry.
Next: cd buy-low && node --test strategy.test.ts
`,
    })
    expect(readdirSync(join(cwd, 'buy-low')).sort()).toEqual(all)
    expect(read('buy-low/strategy.ts')).toContain("name: 'buy-low'")
    expect(read('buy-low/README.md')).toContain('use: ./buy-low/strategy.ts')
    expect(read('buy-low/README.md').split(/\s+/).length).toBeLessThan(350)
    expect(JSON.parse(read('buy-low/package.json'))).toMatchObject({ name: 'buy-low' })
    expect(realpathSync(join(cwd, 'buy-low/node_modules/ballast'))).toBe(realpathSync('.'))
  })

  test('the configuration takes its entry as the page of the folder writes it', async () => {
    await create('buy-low')
    const [, entry = ''] =
      /```yaml\nstrategies:.*\n([\s\S]*?)```/.exec(read('buy-low/README.md')) ?? []
    writeFileSync(
      join(cwd, 'ballast.yaml'),
      goodYaml.replace('strategies:\n', `strategies:\n${entry}`),
    )
    const { code, stdout } = await callCli(['config', 'check', '--json'], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).strategies).toContainEqual({ name: 'buy-low', use: 'buy-low' })
  })

  test('is written for the version that the bot has', async () => {
    await create('buy-low')
    expect(read('buy-low/strategy.ts')).toContain(`writtenFor: '${interfaceVersion}'`)
  })

  test('never writes over a file, and makes the link again', async () => {
    mkdirSync(join(cwd, 'buy-low'))
    writeFileSync(join(cwd, 'buy-low/strategy.ts'), 'mine')
    expect((await create('buy-low')).stdout).toContain('Wrote strategy.test.ts, README.md')
    expect(read('buy-low/strategy.ts')).toBe('mine')
    expect((await create('buy-low')).stdout).toContain('Every file is there')
    expect(lstatSync(join(cwd, 'buy-low/node_modules/ballast')).isSymbolicLink()).toBe(true)
  })

  test('names the path as the configuration that was named needs it', async () => {
    const { stdout } = await create('buy-low', '--config', 'desk/ballast.yaml', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ use: '../buy-low/strategy.ts' })
  })

  test.each(['Buy', '.', 'a_b', '../Sell Low'])('%s is no name for a strategy', async (folder) => {
    const { code, stderr } = await create(folder)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('is no name for a strategy: write lower-case words'),
    })
  })

  test('a folder that cannot be written is named', async () => {
    writeFileSync(join(cwd, 'taken'), '')
    const { code, stderr } = await create('taken/buy-low')
    expect(code).toBe(2)
    expect(stderr).toContain('FILE_NOT_WRITTEN')
  })
})
