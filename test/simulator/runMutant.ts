import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Mutant } from './mutants.ts'

const root = resolve(import.meta.dirname, '../..')

/** What the simulator said of a mutant: the seed that noticed, and by what; none where it lived. */
type Verdict = { readonly seed: number | undefined; readonly why: string }

/** The files without the safeguard, by their path. Throws where a file does not have its text once. */
export function withoutSafeguard({ name, edits }: Mutant): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const path = join(root, 'src', file)
    const text = texts.get(path) ?? readFileSync(path, 'utf8')
    if (text.split(from).length !== 2)
      throw new Error(`${name}: src/${file} does not have this once: ${from}`)
    texts.set(
      path,
      text.replace(from, () => to),
    )
  }
  return texts
}

/** Takes the safeguard out of the bot as it is loaded, and lets the simulator look for a seed that notices. */
export async function runMutant(
  mutant: Mutant,
  { first, seeds }: { first: number; seeds: number },
): Promise<Verdict> {
  const { against = [], cast = 'one' } = mutant
  return simulate({
    ...{ FIRST: String(first), SEEDS: String(seeds), ALWAYS: against.join(' '), CAST: cast },
    INSTEAD: JSON.stringify([...withoutSafeguard(mutant)]),
  })
}

const simulate = (given: Readonly<Record<string, string>>) =>
  new Promise<Verdict>((settle, fail) => {
    execFile(
      process.execPath,
      ['--no-warnings', join(import.meta.dirname, 'seeds.ts')],
      {
        env: { ...process.env, FAILURES: '1', ...given },
        maxBuffer: 2 ** 26,
      },
      (error, stdout, stderr) => {
        const why = /^ {2}! .*$/m.exec(stdout)?.[0].slice(4)
        if (error === null)
          settle({ seed: undefined, why: `${given.SEEDS} seeds, and nothing noticed` })
        // A mutant that cannot even run proves nothing.
        else if (why === undefined) fail(new Error(`the simulator itself failed: ${stderr}`))
        else settle({ seed: Number(/^seed (\d+)/m.exec(stdout)?.[1]), why })
      },
    )
  })
