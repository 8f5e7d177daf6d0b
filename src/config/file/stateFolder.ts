import { isAbsolute, join } from 'node:path'
import { homeFolder } from './homeFolder.ts'
import type { Environment } from './variables.ts'

/** The place of this account's state on this machine, by the XDG Base Directory Specification, which ignores a relative one. */
export function defaultStateFolder({ XDG_STATE_HOME: named = '' }: Environment): string {
  return join(isAbsolute(named) ? named : join(homeFolder(), '.local', 'state'), 'ballast')
}
