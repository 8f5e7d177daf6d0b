import { ballastError } from '../core/errors.ts'

/** Reads an option that counts something. */
export function wholeNumber({ name, min, max }: { name: string; min: number; max: number }) {
  return (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw ballastError(
      'USAGE',
      `${name} takes a whole number from ${min} to ${max}, not '${text.slice(0, 32)}'.`,
    )
  }
}
