import { display, foreignMax } from '../core/display.ts'
import { paragraph } from '../core/textLayout.ts'
import { apartText } from './apartText.ts'
import type { SwapStory } from './swapStory.ts'

/** The same as sentences. */
export function saySwap(story: SwapStory): readonly string[] {
  const { id, strategy, state, code, decision, intent, compared, checks, limits, steps } = story
  const from = decision === null ? 'by hand' : `from decision #${decision}`
  const lines = [
    `Swap ${id} of ${display(strategy)}, ${from}`,
    paragraph('state', code === null ? state : `${state} ${code}`),
    paragraph('its reason', intent.reason),
  ]
  const say = (label: string, text: string) => lines.push(paragraph(label, text))
  let day = ''
  for (const { at, step, text } of steps) {
    if (at.slice(0, 10) !== day) {
      day = at.slice(0, 10)
      say('on', `${day} (UTC)`)
    }
    say(step, `${at.slice(11, 23)}  ${text}`)
  }
  if (checks !== null) {
    say('checks', `${checks.passed} of ${checks.total} passed`)
    for (const { name, expected, actual } of checks.failed)
      say('FAILED', `${name}: expected ${expected}, was ${actual}`)
  }
  for (const { what, with: other, apart } of compared)
    say('compared', `${what}, ${other}: ${apartText(apart)}`)
  for (const { name, allowed, used } of limits) say('limit', `${name}: ${allowed}; was ${used}`)
  for (const { id: lock, kind, scope, reason, openedAt } of story.locks)
    say(
      'lock',
      `${lock} (${kind}, ${scope}) held since ${openedAt.slice(0, 19)}Z: ${display(reason, foreignMax)}`,
    )
  return lines
}
