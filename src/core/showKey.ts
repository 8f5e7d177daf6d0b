import type { Path } from './problem.ts'

/** `strategies[0].params.sell` */
export function showKey(path: Path): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('')
}
