import { userInfo } from 'node:os'

/** Who runs this command, as the journal keeps it: the account of the machine. */
export function whoRuns(): string {
  try {
    return `${userInfo().username} at the command line`
  } catch {
    // A container may have no account of that number.
    return `account ${process.getuid?.() ?? 'unknown'} at the command line`
  }
}
