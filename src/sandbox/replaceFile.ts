import { renameSync, rmSync, writeFileSync } from 'node:fs'

/** Writes a file whole or not at all: who is killed meanwhile leaves the one of before. */
export function replaceFile(file: string, text: string, mode?: number): void {
  const part = `${file}.part`
  // A mode counts only for a new file.
  rmSync(part, { force: true })
  writeFileSync(part, text, { mode })
  renameSync(part, file)
}
