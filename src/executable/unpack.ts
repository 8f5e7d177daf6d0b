import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { BallastError, ballastError } from '../core/errors.ts'

/** Files by their path in the release. */
type Files = ReadonlyMap<string, Uint8Array>

/**
 * Makes `name` in the cache a folder of these files and nothing else, and returns its path. What lies there is compared
 * to the byte at each start: a file that differs is replaced, one that does not belong there is removed.
 *
 * Each file comes into its place whole, by a rename. So starts may overlap, and a bot that runs from the folder keeps
 * finding its files. Throws UNPACK_FAILED where another account could change them.
 */
export function unpack(files: Files, { cache, name }: { cache: string; name: string }): string {
  const folder = join(cache, name)
  try {
    for (const one of [cache, folder]) own(one)
    removeForeign(files, folder)
    replaceDiffering(files, { cache, folder })
  } catch (cause) {
    if (cause instanceof BallastError) throw cause
    const { code, message } = cause as NodeJS.ErrnoException
    throw refused(
      `The executable cannot unpack its files into ${folder} (${code ?? message})`,
      cause,
    )
  }
  return folder
}

/** What runs with this account's key is read from there: no other account may write in it. */
function own(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const status = lstatSync(folder)
  const uid = process.getuid?.() ?? status.uid
  // A link has every bit of its mode set.
  if (status.uid !== uid || (status.mode & 0o022) !== 0)
    throw refused(
      `The executable runs from ${folder}, which must be a folder of this account, and writable for no other`,
    )
}

/** Leaves the folders of the release, and in them nothing that is not a file or folder of it. */
function removeForeign(files: Files, folder: string): void {
  const folders = new Set([...files.keys()].flatMap(above))
  // A folder after those above it: what stands in its place is gone by then.
  for (const known of [...folders].sort((a, b) => a.length - b.length)) {
    mkdirSync(join(folder, known), { recursive: true, mode: 0o700 })
    for (const entry of readdirSync(join(folder, known), { withFileTypes: true })) {
      const path = join(known, entry.name)
      // A link is neither, wherever it leads.
      const belongs = entry.isFile() ? files.has(path) : entry.isDirectory() && folders.has(path)
      if (!belongs) rmSync(join(folder, path), { recursive: true, force: true })
    }
  }
}

/** The folders of `lib/static/logo.svg`: `lib/static`, `lib` and `.`. */
function above(path: string): readonly string[] {
  const parent = dirname(path)
  return parent === '.' ? [parent] : [parent, ...above(parent)]
}

function replaceDiffering(
  files: Files,
  { cache, folder }: { cache: string; folder: string },
): void {
  const differing = [...files].filter(([path, bytes]) => !isThere(join(folder, path), bytes))
  if (differing.length === 0) return
  // Beside the folder, so that a rename reaches it and no other start takes it for foreign.
  const work = mkdtempSync(join(cache, 'unpacking-'))
  try {
    for (const [path, bytes] of differing) {
      writeFileSync(join(work, 'file'), bytes, { mode: 0o600 })
      renameSync(join(work, 'file'), join(folder, path))
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function isThere(file: string, bytes: Uint8Array): boolean {
  try {
    return readFileSync(file).equals(bytes)
  } catch {
    // Missing, or closed to its owner: it is written anew, and a failure of that is told.
    return false
  }
}

const refused = (fact: string, cause?: unknown) =>
  ballastError(
    'UNPACK_FAILED',
    `${fact}: set XDG_CACHE_HOME to a folder that this account alone can write.`,
    {},
    cause,
  )
