import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const { packageManager, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  packageManager: string
  scripts: Readonly<Record<string, string>>
}

/** What the script says where `npm` is of this version. */
function under(version: string) {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-npm-'))
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/pinnedNpm.ts'], {
    encoding: 'utf8',
    env: { PATH: `${folder}:/bin:/usr/bin`, npm_lifecycle_event: 'lock', NODE_NO_WARNINGS: '1' },
  })
  return { status, stdout, stderr }
}

test('the pinned npm goes on in silence', () => {
  const version = packageManager.replace('npm@', '')
  expect(under(version)).toEqual({ status: 0, stdout: '', stderr: '' })
})

test.each(['10.9.4', '11.19.0', '11.19.10', '12.0.0'])('npm %s ends with a sentence', (version) => {
  expect(under(version)).toEqual({
    status: 1,
    stdout: '',
    stderr: `This is npm@${version}, and package.json pins ${packageManager}: run npx ${packageManager} run lock.\n`,
  })
})

test('the lock and the release begin with it, an installation does not', () => {
  const first = 'node scripts/pinnedNpm.ts && '
  const held = Object.keys(scripts).filter((name) => scripts[name]?.startsWith(first))
  expect(held.sort()).toEqual(['build', 'lock', 'release'])
})
