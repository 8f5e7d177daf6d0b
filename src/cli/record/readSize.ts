import { ballastError } from '../../core/errors.ts'

const bytesPer = { MB: 1024 ** 2, GB: 1024 ** 3 } as const

/** Reads `500MB` or `5 GB` as bytes. */
export function readSize(text: string): number {
  const match = /^([1-9]\d{0,5}) ?(MB|GB)$/.exec(text)
  if (match !== null) return Number(match[1]) * bytesPer[match[2] as keyof typeof bytesPer]
  throw ballastError(
    'USAGE',
    `'${text.slice(0, 32)}' is not a size: write a whole number and its unit, such as 500MB or 5GB.`,
  )
}
