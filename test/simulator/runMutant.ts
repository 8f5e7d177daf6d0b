import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Mutant } from './mutants.ts'

const root = resolve(import.meta.dirname, '../..')

/** What the simulator said of a mutant: the seed that noticed, and by what; none where it lived. */
type Verdict = { readonly seed: number | undefined; readonly why: string }

/** Makes a copy of the bot with the safeguard taken out, and lets the simulator look for a seed that notices. */
export async function runMutant(
  { name, edits, against = [], cast = 'one' }: Mutant,
  { seeds }: { seeds: number },
): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-mutant-'))
  try {
    for (const part of ['src', 'contracts/abi', 'test/simulator', 'package.json'])
      cpSync(join(root, part), join(folder, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const { file, from, to } of edits) {
      const path = join(folder, 'src', file)
      const text = readFileSync(path, 'utf8')
      if (text.split(from).length !== 2)
        throw new Error(`${name}: src/${file} does not have this once: ${from}`)
      writeFileSync(
        path,
        text.replace(from, () => to),
      )
    }
    return await simulate(folder, { SEEDS: String(seeds), ALWAYS: against.join(' '), CAST: cast })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const simulate = (folder: string, given: Readonly<Record<string, string>>) =>
  new Promise<Verdict>((settle, fail) => {
    execFile(
      process.execPath,
      ['--no-warnings', join(folder, 'test/simulator/seeds.ts')],
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
