import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { callCli } from './callCli.ts'

const scriptOf = async (shell: string) => {
  const { code, stdout, stderr } = await callCli(['completion', shell], {
    cwd: tmpdir(),
    columns: 80,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

/** What bash offers for the last of the words, by bash itself. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const typed = words.map((word) => `'${word}'`).join(' ')
  const call = `COMP_WORDS=(ballast ${typed}); COMP_CWORD=${words.length}; _ballast; echo "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', `${await scriptOf('bash')}\n${call}`], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout.trim().split(' ')
}

test('bash: every command, and what comes below one', async () => {
  const names = commands.map(({ name }) => name)
  expect(await offered('')).toEqual(expect.arrayContaining(names))
  expect(await offered('hist')).toEqual(['history'])
  expect(await offered('config', '')).toEqual(expect.arrayContaining(['check', 'show', 'init']))
  expect(await offered('--config', 'other.yaml', 'config', 'sh')).toEqual(['show'])
})

test('bash: every option of every command', async () => {
  for (const { name, load } of commands) {
    const { command } = await load()
    for (const leaf of 'commands' in command ? command.commands : [command]) {
      const words = 'commands' in command ? [name, leaf.name] : [name]
      const flags = Object.values(leaf.options).map(({ flags }) => /--[a-z0-9-]+/.exec(flags)?.[0])
      expect(await offered(...words, '--'), words.join(' ')).toEqual(
        expect.arrayContaining([...flags, '--json', '--config']),
      )
    }
  }
})

test('bash: the fixed words of an option or an argument, and none where any will do', async () => {
  expect(await offered('replay', '--approvals', '')).toEqual(['each', 'none'])
  expect(await offered('export', '--what', 'sw')).toEqual(['swaps'])
  expect(await offered('completion', 'z')).toEqual(['zsh'])
  expect(await offered('history', '--limit', '')).toEqual([''])
})

test.for(['zsh', 'fish'])(
  '%s: the script names every command, and the shell can read it',
  async (shell) => {
    const script = await scriptOf(shell)
    for (const { name } of commands) expect(script).toMatch(new RegExp(`\\b${name}\\b`))
    if (!has(shell)) return
    expect(spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({
      status: 0,
    })
  },
)

test('a shell that is not known is named, with those that are', async () => {
  const { code, stderr } = await callCli(['completion', 'fsh'], { cwd: tmpdir() })
  expect(code).toBe(2)
  expect(stderr).toContain('bash, fish, zsh')
})

test.each(commands)('$name: the list of commands says what its own help says', async (entry) => {
  const { command } = await entry.load()
  expect(entry.summary).toBe(command.summary)
})
