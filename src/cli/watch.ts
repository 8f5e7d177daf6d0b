import { compactJson } from '../core/json.ts'
import type { Invocation } from './invocation.ts'
import { instantText } from './whileWorking.ts'

/** Often enough to follow a swap, seldom enough to leave the journal to the bot. */
const everyMs = 2_000

/**
 * Looks again and again until the signal aborts, and shows what was found: in one place on a terminal; elsewhere each
 * change as a dated block, and a document that is no text as a line of JSON.
 */
export async function watch(
  { terminal, clock, signal }: Pick<Invocation, 'terminal' | 'clock' | 'signal'>,
  look: () => Promise<string | object>,
): Promise<void> {
  let last = ''
  while (!signal.aborted) {
    const found = await look()
    const text = typeof found === 'string' ? found : compactJson(found)
    const at = instantText(clock.now())
    const isDrawn = typeof found === 'string' && terminal.redraw(`${at}, Ctrl-C ends it\n${text}`)
    if (!isDrawn && text !== last)
      if (typeof found === 'string') terminal.out(`${at}\n${text}\n`)
      else terminal.jsonLine(found)
    last = text
    // Aborted: the loop ends.
    await clock.sleep(everyMs, signal).catch(() => {})
  }
}
