import { addressField } from '../../api/fields.ts'
import { ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'

/** Reads an option that is an address; one with letters of both cases must carry a correct checksum. */
export const readAddress =
  (name: string) =>
  (text: string): Address => {
    const parsed = addressField.safeParse(text)
    if (parsed.success) return parsed.data
    throw ballastError(
      'NOT_AN_ADDRESS',
      `${name}: '${text.slice(0, 64)}' ${parsed.error.issues[0]?.message ?? 'is not an address'}.`,
    )
  }
