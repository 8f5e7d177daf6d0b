import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileStart } from './compile.ts'

/** The mark in the code of Node that says whether a program follows: it is the same in every Node, and stated by its manual. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** The Node that runs this, with the files of a release in it: one file that needs nothing else. */
export async function writeExecutable(
  release: string,
  { executable, work }: { executable: string; work: string },
): Promise<void> {
  const paths = globSync('**', { cwd: release })
    .filter((path) => statSync(join(release, path)).isFile())
    .sort()
  const hash = createHash('sha256')
  for (const path of paths) {
    const bytes = readFileSync(join(release, path))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  writeFileSync(join(work, 'start.cjs'), await compileStart(hash.digest('hex')))
  const config = {
    // As seen from the folder: the path is in the result, which is the same from any folder.
    ...{ main: 'start.cjs', output: 'blob' },
    disableExperimentalSEAWarning: true,
    // Node answers SIGUSR1 with its inspector: src/main.ts.
    execArgv: ['--disable-sigusr1'],
    assets: Object.fromEntries(paths.map((path) => [path, join(release, path)])),
  }
  writeFileSync(join(work, 'executable.json'), JSON.stringify(config))
  const run = (args: readonly string[]) =>
    execFileSync(process.execPath, args, { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] })
  run(['--experimental-sea-config', 'executable.json'])
  copyFileSync(process.execPath, executable)
  chmodSync(executable, 0o755)
  const postject = join(dirname(fileURLToPath(import.meta.resolve('postject'))), 'cli.js')
  run([postject, executable, 'NODE_SEA_BLOB', 'blob', '--sentinel-fuse', fuse])
}
