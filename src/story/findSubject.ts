import type { Dossier } from '../bot/dossier.ts'
import type { WrittenDecision } from '../bot/journal/decisions/decisions.ts'
import type { JournalReader } from '../bot/journal/readJournal.ts'
import { idPrefixMin } from '../bot/journal/swaps/history.ts'
import { display } from '../core/display.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import { isDay } from '../core/isDay.ts'
import { didYouMean } from '../core/nearest.ts'

type Known = {
  readonly journal: JournalReader
  /** Strategies of the file, called already or not. */
  readonly configured: readonly string[]
}

/** The subject an id names. */
type Subject =
  | { readonly kind: 'swap'; readonly swap: Dossier }
  | { readonly kind: 'decisions'; readonly decisions: readonly WrittenDecision[] }

/** Finds what is meant by an id; throws a sentence with what comes near where nothing is. */
export async function findSubject(id: string, known: Known): Promise<Subject> {
  const { journal } = known
  const number = /^#?(\d{1,15})$/.exec(id)?.[1]
  if (number !== undefined) {
    const decisions = await journal.decisions.find({ id: Number(number) })
    if (decisions.length > 0) return { kind: 'decisions', decisions }
    // Digits alone may also begin the id of a swap.
    if (id.startsWith('#')) throw unknownSubject(`There is no decision ${display(id, 32)}.`)
  }
  const at = /^(.+)@([^@]+)$/.exec(id)
  if (at !== null) return slotOf(at[1] ?? '', at[2] ?? '', known)
  const latest = await journal.decisions.find({ strategy: id })
  if (latest.length > 0) return { kind: 'decisions', decisions: latest }
  if (id === '') throw unknownSubject('The id is empty: ballast history lists swaps.')
  const { beginning, beside } = await journal.swaps.idsLike(id)
  const [only, another] = beginning
  if (only === id || (only !== undefined && another === undefined && id.length >= idPrefixMin)) {
    const [swap] = await journal.swaps.dossiers([only])
    if (swap !== undefined) return { kind: 'swap', swap }
  }
  throw await unknown(id, { beginning, beside }, known)
}

/** Of an id that no swap has, or of too little of one. */
export const unknownSwap = (id: string): BallastError =>
  ballastError(
    'UNKNOWN_SWAP',
    `There is no swap '${display(id, 64)}': an id, or its first ${idPrefixMin} characters.`,
  )

async function slotOf(strategy: string, instant: string, known: Known): Promise<Subject> {
  const { journal } = known
  // Without its zone it would be an instant of this machine.
  const isInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}\S*(?:Z|[+-]\d{2}:\d{2})$/.test(instant)
  const slot = isInstant && isDay(instant.slice(0, 10)) ? Date.parse(instant) : Number.NaN
  if (Number.isNaN(slot))
    throw unknownSubject(
      `'${display(instant, 40)}' is not an instant: write the slot as ${display(strategy, 64)}@2026-11-20T09:00:00Z.`,
    )
  const decisions = await journal.decisions.find({ strategy, slot })
  if (decisions.length > 0) return { kind: 'decisions', decisions }
  const [closed] = await journal.slots.page({ strategy, since: slot, until: slot + 1, limit: 1 })
  if (closed !== undefined && closed.slots > 0)
    throw unknownSubject(
      `${display(strategy, 64)} decided nothing for the slot ${new Date(slot).toISOString()}: it ${closed.state === 'missed' ? 'was missed' : closed.state}, ${display(closed.reason, 1_000)}.`,
    )
  const [latest] = await journal.decisions.find({ strategy })
  if (latest === undefined) throw await unknown(strategy, { beginning: [], beside: [] }, known)
  throw unknownSubject(
    `${display(strategy, 64)} has no decision for the slot ${new Date(slot).toISOString()}; its latest is for ${new Date(latest.slot).toISOString()}: ballast explain ${display(strategy, 64)}`,
  )
}

async function unknown(
  id: string,
  near: { readonly beginning: readonly string[]; readonly beside: readonly string[] },
  { journal, configured }: Known,
) {
  const shown = display(id, 64)
  if (configured.includes(id))
    return unknownSubject(`${shown} has not decided yet. When it will: ballast plan ${shown}`)
  if (near.beginning.length > 0)
    return unknownSubject(
      `'${shown}' is not enough to tell a swap by: ${near.beginning.join(', ')} begin like it.`,
    )
  const names = (await journal.decisions.latest()).map(({ strategy }) => strategy)
  const known =
    names.length === 0
      ? ''
      : ` Strategies with decisions: ${names
          .slice(0, 10)
          .map((name) => display(name, 64))
          .join(', ')}.`
  return unknownSubject(
    `There is no swap, no strategy and no decision '${shown}'.${didYouMean(id, [...names, ...configured, ...near.beside])}${known} ballast history lists swaps.`,
  )
}

/** The requested subject is not in the journal. */
export function unknownSubject(summary: string): BallastError {
  return ballastError('UNKNOWN_ID', summary)
}
