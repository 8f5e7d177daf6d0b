import { invalidConfig } from '../../core/invalidConfig.ts'
import type { Path } from '../../core/problem.ts'
import { showKey } from '../../core/showKey.ts'
import {
  type ConfiguredStrategies,
  checkStrategies,
  type LoadedStrategy,
} from './checkStrategies.ts'

export type { LoadedStrategy } from './checkStrategies.ts'

/**
 * Reads the file of every configured strategy and lets it read its parameters. Reports every problem at once.
 *
 * Only names found in `strategies/` are read, so a configuration cannot run another file.
 */
export async function loadStrategies(
  config: ConfiguredStrategies & { readonly locate: (path: Path) => string },
  folder?: string,
): Promise<readonly LoadedStrategy[]> {
  const { loaded, problems } = checkStrategies(config, folder)
  if (problems.length > 0)
    throw invalidConfig(
      problems
        .map((problem) => ({ ...problem, place: config.locate(problem.path) }))
        .sort((a, b) => inFile(a.place, b.place))
        .map(({ path, sentence, place }) => `${place} ${showKey(path)}: ${sentence}`),
    )
  return loaded
}

/** By line, then by column: `ballast.yaml:12:5`. */
function inFile(a: string, b: string): number {
  const [of, than] = [a, b].map((place) => place.split(':').slice(-2).map(Number))
  const [line = 0, column = 0] = of ?? []
  const [otherLine = 0, otherColumn = 0] = than ?? []
  return line - otherLine || column - otherColumn || 0
}
