import { sql } from 'kysely'
import { openStates } from '../state.ts'

/**
 * Whether a swap is not decided yet, in the very words of the index over those: written as parameters they would be a
 * question that SQLite answers by reading every swap there ever was.
 */
export const isOpen = sql<boolean>`swap.state IN (${sql.raw(openStates.map((state) => `'${state}'`).join(', '))})`
