import { homedir } from 'node:os'

/** An account without a home, as in a container, has the root: nobody but root can write there. */
export function homeFolder(): string {
  try {
    return homedir()
  } catch {
    // The account has no entry: the part that writes there names its folder, and a command that writes nothing goes on.
    return '/'
  }
}
