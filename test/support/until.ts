import { setTimeout as delay } from 'node:timers/promises'

/** Waits until it holds, without a limit of its own: the runner's ends what hangs. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  { everyMs = 10 }: { readonly everyMs?: number } = {},
): Promise<void> {
  while (!(await holds())) await delay(everyMs)
}
