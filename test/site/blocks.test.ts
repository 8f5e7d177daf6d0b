import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { parseCommandLine } from '../../src/cli/commandLine.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { ballastForm } from '../../src/config/config.ts'
import { parseYaml } from '../../src/config/file/parseYaml.ts'
import { makerForm } from '../../src/config/maker/readMakerConfig.ts'
import { serviceForm } from '../../src/config/service/serviceFile.ts'
import { signerForm } from '../../src/config/signer/readSignerConfig.ts'
import { allBlocks, type Block, blocksIn, ownTests } from './blocks.ts'

// test/site/walk.test.ts runs what can be run. What cannot is named here, and its commands are parsed all the same.

/** Why a block is not run, and how many there are of each. The figures only shrink. */
const reasons: Readonly<Record<string, number>> = {
  'needs a container engine': 1,
  'needs a server of your own': 3,
  'needs addresses of your own': 2,
  'needs systemd and root': 1,
  'takes minutes or hours': 11,
}

const named = ({ page, code }: Block) => `${page}: ${code.split('\n')[0]}`

describe('blocks that are not run', () => {
  const notRun = allBlocks.filter(({ reason }) => reason !== undefined)

  test.each(Object.entries(reasons))('%s: %d, and no more', (reason, most) => {
    const found = notRun.filter((block) => block.reason === reason).map(named)
    expect(found.slice(most), 'run it, or take another block off the list').toEqual([])
  })

  test('have a reason of the list', () => {
    expect(notRun.filter(({ reason = '' }) => reasons[reason] === undefined).map(named)).toEqual([])
  })

  const lines = notRun.flatMap((block) => commandsIn(block.code).map((words) => ({ block, words })))

  test('name programs of this repository: commands parse, scripts exist', async () => {
    expect(lines.length).toBeGreaterThan(40)
    for (const { block, words } of lines)
      expect([named(block), words, await problemOf(words)]).toEqual([
        named(block),
        words,
        undefined,
      ])
  })

  test('a command that is gone is noticed', async () => {
    const [words = []] = commandsIn('FROM=1 ballast status --wach   # looks\n')
    expect(words).toEqual(['ballast', 'status', '--wach'])
    expect(await problemOf(words)).toMatch(/--wach/)
    expect(await problemOf(['npm', 'run', 'no-such-script'])).toMatch(/no-such-script/)
  })
})

/** The calls of `ballast`, npm scripts and scripts of this repository in a block of shell. */
function commandsIn(code: string): readonly (readonly string[])[] {
  return code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, ''))
    .flatMap((line) => line.split(/&&|\||;/))
    .map((part) =>
      (part.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/["']/g, '')),
    )
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_0-9]+=/.test(word))))
    .map((words) =>
      words[0] === 'npx' && words[1] === 'ballast-bot' ? ['ballast', ...words.slice(2)] : words,
    )
    .filter(([program = '']) => ['ballast', 'npm'].includes(program))
}

/** Why a call would not even begin; undefined where it would. */
async function problemOf([program = '', ...words]: readonly string[]): Promise<string | undefined> {
  if (program === 'ballast') {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const terminal = createTerminal({ columns: 80, stdout: nowhere, stderr: nowhere } as never)
    const ended = words.findIndex((word) => word === '<' || word === '>' || word === '&')
    return parseCommandLine(ended < 0 ? words : words.slice(0, ended), terminal).then(
      () => undefined,
      (error: Error) => error.message,
    )
  }
  if (['ci', 'start', 'test'].includes(words[0] ?? '')) return undefined
  const scripts: Readonly<Record<string, string>> = packageJson.scripts
  return scripts[words[1] ?? ''] === undefined ? `no script ${words[1]}` : undefined
}

describe('blocks of YAML', () => {
  const yaml = allBlocks.filter(({ language }) => language === 'yaml')

  test.each(yaml.map((block) => ({ ...block, name: named(block) })))('$name', ({ page, code }) => {
    expect(problemsIn(page, code)).toEqual([])
  })

  test('a key that does not exist and a value that means nothing are noticed', () => {
    expect(problemsIn('docs/X.md', 'alerts: { quit: 22:00-07:00 }')).toHaveLength(1)
    expect(problemsIn('docs/X.md', 'policy: { maxGas: much }')).toHaveLength(1)
  })
})

const forms = [
  [/service\.yaml/, serviceForm],
  [/maker\.yaml/, makerForm],
  [/signer\.yaml/, signerForm],
] as const

/** What the reader of its file would say about a fragment, but for what it leaves out. */
function problemsIn(page: string, code: string): readonly string[] {
  const filled = code
    .replaceAll(/(CodeHash: )"0x…"/g, `$1"0x${'ab'.repeat(32)}"`)
    .replaceAll('0x…', `0x${'ab'.repeat(20)}`)
    .replaceAll('https://…', 'https://node.example')
    .replaceAll('…', 'x')
  const { value, problems } = parseYaml(filled)
  const [first = ''] = code.split('\n')
  const file = { 'docs/SERVICE.md': 'service.yaml', 'docs/MAKERS.md': 'maker.yaml' }[page] ?? first
  const form = forms.find(([pattern]) => pattern.test(file))?.[1] ?? ballastForm
  const issues = form.safeParse(value).error?.issues ?? []
  return [
    ...problems.map(String),
    ...issues
      .filter(({ message }) => !message.startsWith('is missing'))
      .map(({ path, message }) => `${path.join('.')} ${message}`),
  ]
}

describe('blocks', () => {
  test('are of a language that a test knows', () => {
    const known = new Set(['', 'sh', 'yaml', 'ts', 'json'])
    expect(allBlocks.filter(({ language }) => !known.has(language)).map(named)).toEqual([])
    for (const { language, code, ...block } of allBlocks)
      if (language === 'json') expect([block.page, JSON.parse(code)]).toBeDefined()
  })

  test('of TypeScript have a test of their own', () => {
    const typescript = allBlocks.filter(({ language }) => language === 'ts')
    expect(typescript.filter(({ page }) => ownTests[page] === undefined).map(named)).toEqual([])
  })

  test('that have a test of their own are read by it', () => {
    for (const [page, file] of Object.entries(ownTests))
      expect(readFileSync(file, 'utf8')).toContain(page)
  })

  test('are found with their reason', () => {
    const text = '<!-- not run: takes minutes or hours -->\n```sh\nx\n```\n\n```\ny\n```\n'
    expect(blocksIn('p', text).map(({ reason, code }) => [reason, code])).toEqual([
      ['takes minutes or hours', 'x\n'],
      [undefined, 'y\n'],
    ])
  })
})
