/**
 * Completes package-lock.json after an `npm install`: `npm run lock`.
 *
 * It adds the optional packages of other systems that the registry in use does not carry: without them `npm ci` refuses
 * the lock on every machine ("Missing: … from lock file"). And it adds the integrity hashes that npm leaves out where a
 * package came from its cache: an altered package then ends `npm ci`. Packages that stay without a hash are of other
 * systems and for development alone: test/security.test.ts holds that.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

type Entry = {
  version?: string | undefined
  integrity?: string
  dev?: boolean
  optionalDependencies?: Record<string, string>
  [field: string]: unknown
}

const systems = [
  ['darwin', 'darwin'],
  ['win32', 'win32'],
  ['windows', 'win32'],
  ['android', 'android'],
  ['freebsd', 'freebsd'],
  ['openbsd', 'openbsd'],
  ['netbsd', 'netbsd'],
  ['sunos', 'sunos'],
  ['aix', 'aix'],
  ['openharmony', 'openharmony'],
  ['linux', 'linux'],
] as const
const processors = [
  ['arm64', 'arm64'],
  ['aarch64', 'arm64'],
  ['x64', 'x64'],
  ['amd64', 'x64'],
  ['ia32', 'ia32'],
  ['ppc64', 'ppc64'],
  ['s390x', 's390x'],
  ['riscv64', 'riscv64'],
  ['loong64', 'loong64'],
  ['mips64el', 'mips64el'],
  ['wasm32', 'wasm32'],
  ['arm', 'arm'],
] as const

const named = (table: readonly (readonly [string, string])[], name: string) =>
  table.find(([word]) => name.includes(word))?.[1]

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Entry>
}

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (lock.packages[`node_modules/${name}`] ?? lock.packages[`${path}/node_modules/${name}`])
      continue
    const tail = name.split('/').at(-1) ?? name
    const cpu = named(processors, tail)
    const os = named(systems, tail)
    lock.packages[`node_modules/${name}`] = {
      version: version.replace(/^[\^~]/, ''),
      ...(cpu === undefined ? {} : { cpu: [cpu] }),
      ...(entry.dev === true ? { dev: true } : {}),
      optional: true,
      ...(os === undefined ? {} : { os: [os] }),
      ...(tail.includes('musl') ? { libc: ['musl'] } : {}),
    }
  }
}

const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()

/** The published hash of a version; undefined where the registry does not carry it. */
async function publishedHash(path: string, { version }: Entry): Promise<string | undefined> {
  const name = path.replace(/.*node_modules\//, '').replace('/', '%2f')
  const answer = await fetch(`${registry.replace(/\/$/, '')}/${name}/${version}`)
  if (answer.status === 404) return undefined
  if (!answer.ok) throw new Error(`${name}@${version}: the registry answered ${answer.status}`)
  const { dist } = (await answer.json()) as { dist?: { integrity?: string } }
  return dist?.integrity
}

for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.integrity !== undefined) continue
  const integrity = await publishedHash(path, entry)
  const { version, ...rest } = entry
  if (integrity !== undefined) lock.packages[path] = { version, integrity, ...rest }
}

// In npm's own order: the next install then changes nothing but what it installs.
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
)
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
