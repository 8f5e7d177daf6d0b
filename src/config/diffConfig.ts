import type { Path } from '../core/problem.ts'
import { ballastForm } from './config.ts'
import { type Effective, leavesOf, redacted } from './effective.ts'
import { notes } from './file/field.ts'
import { inside } from './file/schemaTree.ts'
import type { ReadConfig } from './readConfig.ts'

/** A value that is not what it was; undefined where it was not, or is not, there. Without secrets. */
export type Change = {
  /** A strategy stands by its name: `strategies`, `sell-strength`, `params`, `price`. */
  readonly path: Path
  readonly from: unknown
  readonly to: unknown
  /** Whether a running bot can take it over; what it opened at its start it cannot. */
  readonly live: boolean
}

/** The differences between two configurations, in the order of the new one; removed values come last. */
export function diffConfig(old: ReadConfig, next: ReadConfig): readonly Change[] {
  const [before, after] = [valuesOf(old), valuesOf(next)]
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((key): readonly Change[] => {
    const [was, is] = [before.get(key), after.get(key)]
    if (JSON.stringify(was?.value) === JSON.stringify(is?.value)) return []
    const path = is?.path ?? was?.path ?? []
    const [from, to] = [shown(was), shown(is)]
    const alike = JSON.stringify(from) === JSON.stringify(to)
    return [
      {
        path,
        from,
        to: alike ? `${String(to)} (what differs is not shown)` : to,
        live: isLive(path),
      },
    ]
  })
}

/**
 * Whether the key, or a section around it, is live. Everything else, lists of who and what is allowed among it, was
 * built into something at the start: a change of it is for a restart, where `doctor` and `recover` see it too.
 */
function isLive(path: Path, schema: Parameters<typeof inside>[0] = ballastForm): boolean {
  const [step, ...rest] = path
  const part = step === undefined ? undefined : inside(schema, step)
  if (part === undefined) return false
  return notes.get(part)?.live === true || isLive(rest, part)
}

/** Values by their path. The order of strategies is a value as well: it decides which goes first. */
function valuesOf({ text, secrets }: ReadConfig): ReadonlyMap<string, Valued> {
  const leaves: readonly Valued[] = [
    ...leavesOf(byName(text)),
    { path: ['strategies'], value: text.strategies.map(({ name }) => name) },
    { path: ['service', 'apiKey'], value: secrets.apiKey?.value, secret: true },
    { path: ['wallet', 'key'], value: secrets.key?.value, secret: true },
    { path: ['dashboard', 'token'], value: secrets.operator?.value, secret: true },
    { path: ['dashboard', 'viewerToken'], value: secrets.viewer?.value, secret: true },
    { path: ['wallet', 'passwordFile'], value: secrets.passwordFile?.value, secret: true },
    ...secrets.alerts.map(({ name, value }) => ({ path: [name], value, secret: true })),
  ]
  return new Map(leaves.map((leaf) => [leaf.path.join('\n'), leaf]))
}

type Valued = { readonly path: Path; readonly value: unknown; readonly secret?: boolean }

const shown = (leaf: Valued | undefined): unknown =>
  leaf?.secret === true && leaf.value !== undefined ? '[secret]' : redacted(leaf?.value)

const byName = (text: Effective) => ({
  ...text,
  strategies: Object.fromEntries(
    text.strategies.map(({ name, ...entry }) => [name, entry] as const),
  ),
})
