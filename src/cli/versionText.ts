import { execFileSync } from 'node:child_process'
import packageJson from '../../package.json' with { type: 'json' }

/** Put in by the build of a release; empty where it had no history to read. */
declare const BALLAST_COMMIT: string | undefined

/** `0.1.0 (commit 3f0c…)`, with `-dirty` where files differ from the commit. */
export function versionText(): string {
  const commit = typeof BALLAST_COMMIT === 'string' ? BALLAST_COMMIT : commitHere()
  return `${packageJson.version} (${commit === '' ? 'commit unknown' : `commit ${commit}`})`
}

function commitHere(): string {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', import.meta.dirname, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  try {
    // Copied into another repository, its history says nothing of this code.
    if (git('rev-parse', '--show-prefix') !== 'src/cli/') return ''
    return git('describe', '--always', '--dirty', '--abbrev=12', '--exclude=*')
  } catch {
    // No git, or no repository: the commit is not known, and the text says so.
    return ''
  }
}
