import type { Schedule } from '../strategy/index.ts'
import { jitterOf } from './jitterOf.ts'

/**
 * When a slot is asked for: the slot and its jitter, which ends before the slot that follows, however long it may be.
 * So no jitter changes the order of slots. Milliseconds since the epoch.
 */
export function dueAt(
  { name, schedule }: { readonly name: string; readonly schedule: Schedule },
  { slot, following }: { readonly slot: number; readonly following: number },
): number {
  const { jitter = 0 } = schedule
  return slot + jitterOf(name, slot, Math.min(jitter, (following - slot - 1) / 1_000))
}
