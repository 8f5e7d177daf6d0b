import { expect, test } from 'vitest'
import { apiPage } from '../../scripts/apiPage.ts'
import { commandsPage } from '../../scripts/commandsPage.ts'
import { metricsPage } from '../../scripts/metricsPage.ts'
import { commands } from '../../src/cli/commands.ts'
import { exitCodes } from '../../src/cli/exitCodes.ts'

// test/docs.test.ts holds the pages to what is written here; these hold what is written to the code.

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

test('docs/COMMANDS.md has every command, its options and its example, and every exit code', async () => {
  const page = await commandsPage()
  for (const { name, load } of commands) {
    const { command } = await load()
    const leaves = 'commands' in command ? command.commands : [command]
    expect(page).toContain(`\n## ${name}\n`)
    for (const { example, options } of leaves) {
      expect(page).toContain(`\n\`${example}\`\n`)
      for (const { flags } of Object.values(options))
        expect(page).toContain(`| \`${flags.replaceAll('|', '\\|')}\` |`)
    }
  }
  for (const code of Object.values(exitCodes)) expect(page).toContain(`\n| ${code} | `)
})

test('docs/METRICS.md has the metrics of bot, fleet, service and makers, each with type and meaning', async () => {
  const page = await metricsPage()
  const rows = page.match(/^\| `.*$/gm) ?? []
  expect(rows).toHaveLength(32)
  for (const row of rows)
    expect(row).toMatch(/^\| `\w+` \| (?:gauge|counter|histogram) \| (?:`\w+`(?:, )?)* \| .+\. \|$/)
  expect(page).toContain('| `ballast_attention` | gauge | `wallet`, `code` |')
})

test('docs/API.md has every path of both, its parameters and the fields of an answer', async () => {
  const page = await apiPage()
  expect(count(page, /^### `GET \/v1\//gm)).toBe(5)
  expect(count(page, /^### `(?:GET|POST) \/api\//gm)).toBeGreaterThan(20)
  expect(page).toContain('### `POST /api/halt`')
  expect(page).toMatch(/\| `expiry_time` \| query \| no \| string \| Whole seconds/)
  expect(page).toMatch(/\| `fallbackSwapDataArray` \| list of string \|/)
})
