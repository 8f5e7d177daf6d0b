import { type ReferenceReading, sourceOf } from './readReferences.ts'

/** A source that gave no price at its last readings. Instants are milliseconds since the epoch. */
export type Silence = {
  readonly source: string
  /** Of the last reading. */
  readonly reason: string
  /** The first reading without a price since the last with one. */
  readonly since: number
  /** The last reading. */
  readonly until: number
}

/** Remembers which sources give no price: one that answers again is forgotten. */
export function createSilence() {
  const known = new Map<string, Silence>()
  return {
    note(readings: readonly ReferenceReading[], at: number): void {
      for (const { reference, told } of readings) {
        const source = sourceOf(reference)
        if ('price' in told) known.delete(source)
        else {
          const { since = at } = known.get(source) ?? {}
          known.set(source, { source, reason: told.reason, since, until: at })
        }
      }
    },
    silent: (): readonly Silence[] => [...known.values()],
  }
}
