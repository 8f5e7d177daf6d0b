import { countOf } from '../core/countOf.ts'
import { display, foreignMax } from '../core/display.ts'
import { toSecond } from '../core/isoText.ts'
import { paragraph } from '../core/textLayout.ts'
import type { DecisionStory, Recheck } from './explainDecisions.ts'
import type { SwapStory } from './explainSwap.ts'
import { briefAmount, differenceText } from './figures.ts'

/** The same as sentences. */
export function formatDecision(story: DecisionStory): readonly string[] {
  const { number, strategy, slot, at, decided, reason, seen, comparisons, intents } = story
  const lines = [
    `Decision #${number} of ${strategy}: ${decided}, ${toSecond(at)} for the slot ${toSecond(slot)}`,
    paragraph('its reason', reason),
  ]
  const say = (label: string, text: string) => lines.push(paragraph(label, text))

  if (story.looks !== null)
    say(
      'the same',
      `${countOf(story.looks.count, 'look')} until ${toSecond(story.looks.lastAt)}, the last: ${story.looks.lastReason}`,
    )
  for (const { sell, brings, price, route, levels, reference } of seen.markets)
    say(
      'market',
      `${briefAmount(sell)} brings ${briefAmount(brings)} (${price}${route.length === 0 ? '' : `, by ${route.join(' > ')}`})${
        levels === 0 ? '' : `; the book has ${levels} levels`
      }${reference === null ? '' : `; independent sources say ${reference}`}`,
    )
  if (seen.unpriced > 0)
    say('market', `the service had no price for ${seen.unpriced} of what it watches`)
  say('wallet', seen.balances.map(briefAmount).join(', ') || 'no balance was read')
  for (const { account, held } of seen.accounts)
    say('account', `${account} holds ${briefAmount(held)}`)
  for (const { swapId, sell, buy } of seen.inflight)
    say('in flight', `${briefAmount(sell)} for ${buy} (swap ${swapId.slice(0, 8)})`)
  if (seen.lastFill !== null)
    say('last fill', `${seen.lastFill.price}, ${toSecond(seen.lastFill.at)}`)
  for (const { sold, received, swaps, recovered } of seen.totals)
    say(
      'so far',
      `${briefAmount(sold)} for ${briefAmount(received)} in ${countOf(swaps, 'swap')}${recovered ? ', booked from the chain: may be of another strategy' : ''}`,
    )
  if (seen.swapCost !== null) say('gas', `a swap costs about ${briefAmount(seen.swapCost)}`)
  if (seen.memory !== null)
    say(
      'memory',
      Object.entries(seen.memory)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    )
  for (const { market, bound, at: level, apart } of comparisons)
    say('compared', `market pays ${market}, ${bound} ${level}: ${differenceText(apart)}`)
  for (const { sell, floor, recipient, held, left, missing } of intents) {
    const holding = held === null ? '' : `; the wallet holds ${briefAmount(held)}`
    const rest =
      missing !== null
        ? `, short by ${briefAmount(missing)}`
        : left === null
          ? ''
          : `, ${briefAmount(left)} stay`
    const whose = recipient === null ? '' : ` to ${recipient}`
    say(
      'wants',
      `to sell ${briefAmount(sell)} for at least ${briefAmount(floor)}${whose}${holding}${rest}`,
    )
  }
  for (const { code, reason } of story.refused)
    say('refused', `before it was planned: ${reason} (${code})`)
  say('recheck', recheckText(story.recheck))
  return lines
}

function recheckText(recheck: Recheck): string {
  if (recheck.verdict === 'not-asked')
    return `no: ${recheck.why}, so its code of today cannot be called`
  const changed = recheck.paramsChanged
    ? ' Its parameters in the configuration have changed since; it was called with the old ones.'
    : ''
  if (recheck.verdict === 'same') return `the same context decides the same today.${changed}`
  const { kind, reason } = recheck.today
  return `the same context decides otherwise today, so the strategy's code has changed: ${kind}: ${reason}${changed}`
}

/** The same as sentences. */
export function formatSwap(story: SwapStory): readonly string[] {
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
    say('compared', `${what}, ${other}: ${differenceText(apart)}`)
  for (const { name, allowed, used } of limits) say('limit', `${name}: ${allowed}; was ${used}`)
  for (const { id: lock, kind, scope, reason, openedAt } of story.locks)
    say(
      'lock',
      `${lock} (${kind}, ${scope}) held since ${toSecond(openedAt)}: ${display(reason, foreignMax)}`,
    )
  return lines
}
