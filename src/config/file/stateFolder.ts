import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Environment } from './variables.ts'

/** The place of this account's state on this machine, by the XDG Base Directory Specification, which ignores a relative one. */
export function defaultStateFolder({ XDG_STATE_HOME: named = '' }: Environment): string {
  return join(isAbsolute(named) ? named : join(home(), '.local', 'state'), 'ballast')
}

/** An account without a home, as in a container, has the root: nobody but root can write there. */
function home(): string {
  try {
    return homedir()
  } catch {
    // The account has no entry: the lock says that its folder cannot be written, and a command that takes none goes on.
    return '/'
  }
}
