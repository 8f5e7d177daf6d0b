import { assert } from '../../core/assert.ts'

/** The lower triangle whose product with its own transpose is the matrix: makes independent numbers correlated ones. */
export function cholesky(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const lower: number[][] = []
  for (const [row, entries] of matrix.entries()) {
    const line: number[] = []
    for (let column = 0; column <= row; column += 1) {
      const other = column === row ? line : (lower[column] ?? [])
      let rest = entries[column] ?? 0
      for (let k = 0; k < column; k += 1) rest -= (line[k] ?? 0) * (other[k] ?? 0)
      if (column === row) assert(rest > 0, 'a correlation matrix is positive definite')
      line.push(column === row ? Math.sqrt(rest) : rest / (other[column] ?? 1))
    }
    lower.push(line)
  }
  return lower
}
