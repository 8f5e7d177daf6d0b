import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import otherSystems from './otherSystems.json' with { type: 'json' }
import runtimePackages from './runtimePackages.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')
type Locked = {
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly hasInstallScript?: boolean
  readonly integrity?: string
  /** It lies in the archive of the package above it, whose hash covers it. */
  readonly inBundle?: boolean
}
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>
}
const locked = Object.entries(lock.packages)
  .filter(([path]) => path !== '')
  .map(([path, facts]) => ({ name: path.replace(/.*node_modules\//, ''), ...facts }))

describe('what runs beside the key', () => {
  test('every direct dependency has its reason in docs/BESIDE-THE-KEY.md, and nothing else has', () => {
    const table = readFileSync(join(root, 'docs/BESIDE-THE-KEY.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .filter((line) => line.split('|').length === 6)
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
      .map(([, name]) => name)
    const direct = [
      ...Object.keys(packageJson.dependencies),
      ...Object.keys(packageJson.peerDependencies),
    ]
    expect(table.sort()).toEqual(direct.sort())
  })

  test('a package that nobody wrote down does not come in', () => {
    const names = new Set(locked.filter(({ dev }) => dev !== true).map(({ name }) => name))
    expect([...names].sort()).toEqual(runtimePackages)
  })

  test('no install script runs but the one that brings Node', () => {
    const scripted = locked.filter(({ hasInstallScript }) => hasInstallScript === true)
    const allowed: Readonly<Record<string, boolean>> = packageJson.allowScripts
    expect(scripted.filter(({ name }) => allowed[name] === undefined)).toEqual([])
    expect(Object.keys(allowed).filter((name) => allowed[name])).toEqual(['node'])
  })

  test('every package has the hash of its bytes, but those of other systems that are written down', () => {
    const hash = /^sha512-[A-Za-z0-9+/]{86}==$/
    const unhashed = locked.filter(
      ({ integrity = '', inBundle }) => inBundle !== true && !hash.test(integrity),
    )
    expect(unhashed.map(({ name }) => name).sort()).toEqual(otherSystems)
    // None of them is installed where the bot runs.
    expect(unhashed.filter(({ dev, optional }) => dev !== true || optional !== true)).toEqual([])
  })

  test('npm is the one the lock was made with', () => {
    expect(packageJson.packageManager).toMatch(/^npm@11\.\d+\.\d+$/)
    expect(packageJson.engines.npm).toBe('11')
  })

  test('every version is exact', () => {
    const { dependencies, devDependencies, peerDependencies } = packageJson
    const ranges = Object.entries({ ...dependencies, ...devDependencies, ...peerDependencies })
    expect(
      ranges.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(version)),
    ).toEqual([])
  })
})
