import { isAbsolute, join } from 'node:path'
import { homeFolder } from './homeFolder.ts'

/** The place of what this account can have made again, by the XDG Base Directory Specification, which ignores a relative one. */
export function cacheFolder({ XDG_CACHE_HOME: named = '' } = process.env): string {
  return join(isAbsolute(named) ? named : join(homeFolder(), '.cache'), 'ballast')
}
