import { asWritten } from '../core/display.ts'
import { usageError } from '../core/errors.ts'

/** One parameter of one strategy, and what is tried for it. */
type Dimension = {
  readonly strategy: string
  readonly key: string
  readonly values: readonly string[]
}

/** A row of the grid: what is set for it, by `strategy.parameter`. */
export type Combination = readonly {
  readonly strategy: string
  readonly key: string
  readonly value: string
}[]

/** More would look for luck, and take an afternoon. */
const combinationsMax = 200

/** Reads `sell-strength.price=2900 USDC,2950 USDC; sell-strength.every=1m,5m`: every value of each with every other. */
export function parameterGrid(text: string): readonly Combination[] {
  const dimensions = text.split(';').map(dimensionOf)
  const names = dimensions.map(({ strategy, key }) => `${strategy}.${key}`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw usageError(`--grid lists ${twice} twice.`)
  const count = dimensions.reduce((product, { values }) => product * values.length, 1)
  if (count > combinationsMax)
    throw usageError(`--grid makes ${count} combinations; at most ${combinationsMax} are run.`)
  return dimensions.reduce<readonly Combination[]>(
    (rows, { strategy, key, values }) =>
      rows.flatMap((row) => values.map((value) => [...row, { strategy, key, value }])),
    [[]],
  )
}

function dimensionOf(part: string): Dimension {
  const match = /^\s*([^\s.=]+)\.([A-Za-z]\w*)\s*=(.*)$/.exec(part)
  const values = (match?.[3] ?? '').split(',').map((value) => value.trim())
  const [strategy, key] = [match?.[1], match?.[2]]
  if (strategy === undefined || key === undefined || values.includes(''))
    throw usageError(
      `${asWritten(part.trim())} is no row of a grid: write 'sell-strength.price=2900 USDC,2950 USDC'.`,
    )
  return { strategy, key, values }
}
