import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The file that a path leads to, over links, also where it is not there yet: its disk and its lock are the ones that count. */
export function fileBehind(path: string): string {
  const named = resolve(path)
  return (
    orNone(() => realpathSync(named)) ??
    orNone(() => resolve(dirname(named), readlinkSync(named))) ??
    orNone(() => join(realpathSync(dirname(named)), basename(named))) ??
    named
  )
}

/** Nothing is there, or it is no link, or it may not be read: whoever opens it then says so. */
function orNone(look: () => string): string | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
