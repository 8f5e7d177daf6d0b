import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { ballastError } from '../../core/errors.ts'

/**
 * A file of a strategy: its place as the configuration names it, and how messages do. A link stays one: what it leads to
 * may be changed for other code, which a running process must notice.
 */
export type StrategyFile = { readonly path: string; readonly shown: string }

/** Whether `use:` names a file of the user, not one in `strategies/`. */
export const isPath = (use: string): boolean => /^\.{0,2}\//.test(use)

/**
 * The file that `use:` names by its path, relative to the configuration. Only a path that is written so leads out of the
 * folder of the configuration: a link, or `..` further on, does not. Throws STRATEGY_BROKEN with one sentence.
 */
export function strategyFile(use: string, configuration: string): StrategyFile {
  const folder = dirname(configuration)
  const file = resolve(folder, use)
  const real = realPath(file, use)
  if (use.startsWith('./') && !real.startsWith(join(realpathSync(folder), sep)))
    throw refused(
      `${use} leads to ${real}, outside of the folder of the configuration: write that path, or ../, if that is meant.`,
    )
  if (!/\.[jt]s$/.test(real) || !statSync(real).isFile())
    throw refused(`${use} is no .ts or .js file: write the path of one.`)
  for (const one of [real, dirname(real), dirname(file)])
    if (openToAll(one))
      throw refused(
        `${use} may be changed by every account of this machine, and it decides about money: run chmod o-w ${one}`,
      )
  return { path: file, shown: use }
}

function realPath(file: string, use: string): string {
  try {
    return realpathSync(file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw refused(
      code === 'ENOENT'
        ? `there is no ${use}, seen from the configuration: that would be ${file}.`
        : `${use} cannot be read (${code}).`,
    )
  }
}

/**
 * In a folder like /tmp, whose entries only their owners may replace, a file is as safe as its own mode; on a disk that is
 * mounted to be read, as the volumes of Kubernetes are, whatever the modes say.
 */
function openToAll(path: string): boolean {
  const { mode } = statSync(path)
  const isOpen = (mode & 0o002) !== 0 && (mode & 0o1000) === 0
  return process.getuid !== undefined && isOpen && !isReadOnly(path)
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS'
  }
}

const refused = (sentence: string) => ballastError('STRATEGY_BROKEN', sentence)
