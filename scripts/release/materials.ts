import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { root } from './compile.ts'

/**
 * The bill of materials: every package whose code may be in the release, with its hash and licence. npm's own
 * `--omit=dev` also leaves out what a development package needs as well, zod among it.
 */
export function materials(): string {
  const listing = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const listed = JSON.parse(execFileSync('npm', listing, { cwd: root, encoding: 'utf8' })) as {
    metadata: { timestamp?: string; component: { name: string } }
    serialNumber?: string
    components: { 'bom-ref': string; properties?: { name: string }[] }[]
    dependencies: { ref: string }[]
  }
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { name?: string; version?: string; dev?: boolean }>
  }
  const needed = new Set(
    Object.entries(locked.packages)
      .filter(([, { dev }]) => dev !== true)
      .map(
        ([path, { name, version }]) => `${name ?? path.replace(/.*node_modules\//, '')}@${version}`,
      ),
  )
  // npm lists a package once: where a development package brings the same version along, by that place, which is left out.
  const components = listed.components
    .filter((one) => needed.has(one['bom-ref']))
    .map(({ properties = [], ...one }) =>
      properties.some(({ name }) => name.endsWith(':development')) ? one : { ...one, properties },
    )
  const refs = new Set(components.map((one) => one['bom-ref']))
  const dependencies = listed.dependencies.filter(({ ref }) => refs.has(ref))
  // The same bytes from the same lockfile, at any time and in a clone of any name.
  delete listed.serialNumber
  delete listed.metadata.timestamp
  listed.metadata.component.name = packageJson.name
  return `${JSON.stringify({ ...listed, components, dependencies }, undefined, 2)}\n`
}

/** The same with the Node that an executable carries: the one that runs this. */
export function materialsWithNode(listed: string): string {
  const version = process.versions.node
  const content = createHash('sha256').update(readFileSync(process.execPath)).digest('hex')
  const { components, ...rest } = JSON.parse(listed) as { components: readonly object[] }
  const license = `https://github.com/nodejs/node/blob/v${version}/LICENSE`
  const node = {
    ...{ type: 'platform', 'bom-ref': `node@${version}`, name: 'node', version },
    purl: `pkg:generic/node@${version}`,
    hashes: [{ alg: 'SHA-256', content }],
    licenses: [{ license: { id: 'MIT', url: license } }],
  }
  return `${JSON.stringify({ ...rest, components: [...components, node] }, undefined, 2)}\n`
}
