import { ballastError } from '../../core/errors.ts'

/** Reads `1%` or `0.5 %` as 0.01 or 0.005. */
export function readShare(name: string) {
  return (text: string): number => {
    const match = /^(\d{1,3}(?:\.\d{1,4})?) ?%$/.exec(text)
    const percent = match === null ? Number.NaN : Number(match[1])
    if (percent <= 100) return percent / 100
    throw ballastError(
      'USAGE',
      `${name} takes a share from 0% to 100%, such as 1%, not '${text.slice(0, 32)}'.`,
    )
  }
}
