import type { Lock } from '../../bot/lock.ts'

/** A dry run looks past locks, since they say nothing of the market; whoever reads it must know that a live one would not. */
export function noteLocks(locks: readonly Lock[], note: (line: string) => void): void {
  for (const { kind, scope, code, reason } of locks)
    note(
      `Locked (${kind}, ${scope}, ${code}): ${reason}. A live run would not begin this until 'ballast resume'.`,
    )
}
