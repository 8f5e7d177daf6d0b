/** A file to create or to replace, by its path from the root. */
export type NewFile = { readonly path: string; readonly text: string }

/** Reads a file of the repository. Throws where there is none. */
export type ReadFile = (path: string) => string

export type Kind = 'strategy' | 'command' | 'migration'

/** The files that a new strategy, command or migration begins with. `name` is kebab-case. */
export function newFiles(kind: Kind, name: string, read: ReadFile): readonly NewFile[] {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))
    throw new Error(
      `'${name}' is not a name: write lower-case words with hyphens, such as buy-low.`,
    )
  if (kind === 'strategy') return strategyFiles(name, read)
  return kind === 'command' ? commandFiles(name, read) : migrationFiles(name, read)
}

const camelCase = (name: string) =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

function strategyFiles(name: string, read: ReadFile): readonly NewFile[] {
  const variable = camelCase(name)
  return [
    {
      path: `strategies/${name}.ts`,
      // What a stranger begins with, too.
      text: read('strategies/template/strategy.ts').replaceAll('my-strategy', name),
    },
    {
      path: `test/strategies/${name}.test.ts`,
      text: `import { describe, expect, test } from 'vitest'
import { amountOf } from '#strategy'
import { contextWith } from '#strategy/testing'
import ${variable} from '../../strategies/${name}.ts'

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const params = { sell: amountOf(weth, '1'), buy: usdc, every: 3_600, tolerance: 50 }

describe('${name}', () => {
  test('sells at most a tolerance below the indication', () => {
    const context = contextWith(params, {
      balances: [amountOf(weth, '1')],
      indications: [{ sold: params.sell, bought: amountOf(usdc, '3000'), route: [] }],
    })
    expect(${variable}.decide(context)).toEqual({
      kind: 'swap',
      intents: [
        {
          sell: params.sell,
          buy: usdc,
          floor: amountOf(usdc, '2985'),
          reason: 'The slot is due.',
        },
      ],
    })
  })

  test('postpones without a price', () => {
    const context = contextWith(params, { indications: [undefined] })
    expect(${variable}.decide(context)).toEqual({
      kind: 'postpone',
      reason: 'No price for 1 WETH in USDC.',
    })
  })
})
`,
    },
  ]
}

const commandList = 'src/cli/commands.ts'

function commandFiles(name: string, read: ReadFile): readonly NewFile[] {
  const list = read(commandList)
  const summary = 'TODO: one line, lower case'
  const entry = `  entry('${name}', '${summary}', () => import('./${camelCase(name)}.ts')),\n`
  return [
    {
      path: `src/cli/${camelCase(name)}.ts`,
      text: `import { defineCommand } from './command.ts'

export const command = defineCommand({
  name: '${name}',
  summary: '${summary}',
  example: 'ballast ${name}',
  config: 'everything',
  async run({ config }) {
    return { wallet: config.wallet.name }
  },
  text: ({ wallet }) => \`wallet \${wallet}\`,
})
`,
    },
    { path: commandList, text: replaceLast(list, { before: '\n]\n', insert: `\n${entry}]\n` }) },
  ]
}

const migrationList = 'src/bot/journal/schema/migrate.ts'

function migrationFiles(name: string, read: ReadFile): readonly NewFile[] {
  const list = read(migrationList)
  const variable = camelCase(name)
  const last = [...list.matchAll(/^ {2}'(\d{4})-[\w-]+': \w+,$/gm)].at(-1)
  if (last === undefined) throw new Error(`${migrationList} lists no migration.`)
  const number = String(Number(last[1]) + 1).padStart(4, '0')
  const withEntry = list.replace(last[0], `${last[0]}\n  '${number}-${name}': ${variable},`)
  return [
    {
      path: `src/bot/journal/schema/migrations/${variable}.ts`,
      text: `import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** TODO: one sentence: the question that the new columns answer. */
export const ${variable}: Migration = {
  async up(db: Kysely<never>) {
    await sql\`CREATE TABLE ${name.replaceAll('-', '_')} (id integer PRIMARY KEY)\`.execute(db)
  },
}
`,
    },
    {
      path: migrationList,
      text: replaceLast(withEntry, {
        before: '\n\n/** In the order they apply.',
        insert: `\nimport { ${variable} } from './migrations/${variable}.ts'\n\n/** In the order they apply.`,
      }),
    },
  ]
}

function replaceLast(
  text: string,
  { before, insert }: { readonly before: string; readonly insert: string },
): string {
  const place = text.lastIndexOf(before)
  if (place < 0) throw new Error(`There is no place for the new entry: '${before.trim()}'.`)
  return text.slice(0, place) + insert + text.slice(place + before.length)
}
