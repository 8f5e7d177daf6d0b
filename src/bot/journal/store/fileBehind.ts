import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** As many links as Linux follows. */
const linksMax = 40

/** The file that a path leads to, over links, also where it is not there yet: its disk and its lock are the ones that count. */
export function fileBehind(path: string): string {
  let named = resolve(path)
  for (let links = 0; links < linksMax; links += 1) {
    const folder = orNone(() => realpathSync(dirname(named))) ?? dirname(named)
    const here = join(folder, basename(named))
    const to = orNone(() => readlinkSync(here))
    if (to === undefined) return here
    named = resolve(folder, to)
  }
  return named
}

/** Nothing is there, or it is no link, or it may not be read: whoever opens it then says so. */
function orNone(look: () => string): string | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
