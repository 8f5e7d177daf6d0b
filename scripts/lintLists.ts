/**
 * npm run lint:lists: takes files off the lists of biome.json once they keep the limit. Biome judges every file
 * without the lists. A file that breaks a limit and is on no list stays an error.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

type Override = {
  readonly includes: readonly string[]
  readonly linter: { readonly rules: { readonly complexity?: Readonly<Record<string, unknown>> } }
}

let text = readFileSync('biome.json', 'utf8')
const config = JSON.parse(text) as { readonly overrides: readonly Override[] }
const folder = mkdtempSync(join(tmpdir(), 'ballast-lint-'))

for (const list of config.overrides)
  for (const [rule, setting] of Object.entries(list.linter.rules.complexity ?? {})) {
    if (setting !== 'off') continue
    const breaking = filesThatBreak(rule)
    const left = list.includes.filter((path) => breaking.has(path))
    console.log(`${rule}: ${list.includes.length} -> ${left.length}`)
    text = text.replace(/"includes": \[[^\]]*\]/g, (one) =>
      JSON.stringify(JSON.parse(`{${one}}`).includes) === JSON.stringify(list.includes)
        ? `"includes": ${JSON.stringify(left)}`
        : one,
    )
  }
writeFileSync('biome.json', text)
spawnSync('biome', ['format', '--write', 'biome.json'])

function filesThatBreak(rule: string): ReadonlySet<string> {
  const limit = config.overrides
    .map(({ linter }) => linter.rules.complexity?.[rule])
    .find((setting) => typeof setting === 'object')
  const alone = { linter: { rules: { preset: 'none', complexity: { [rule]: limit } } } }
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ root: true, ...alone }))
  const { stdout } = spawnSync(
    'biome',
    [
      ...['lint', `--config-path=${folder}`, `--only=complexity/${rule}`],
      ...['--reporter=github', '--max-diagnostics=none', 'src', 'strategies'],
    ],
    { encoding: 'utf8' },
  )
  return new Set(
    [...stdout.matchAll(/file=([^,]+)/g)].map(([, path = '']) => relative(process.cwd(), path)),
  )
}
