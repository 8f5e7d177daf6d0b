import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { allBlocks, type Block, ownTests } from './blocks.ts'

// The pages are walked as a reader would: docs/START.md in an empty folder, the pages for operators where it ended.

const home = mkdtempSync(join(tmpdir(), 'ballast-walk-'))
const bin = join(home, 'bin')
const started = join(home, 'started')
const market: ChildProcess[] = []

/** The release of this run, and the source for what is no part of it. `run` is ended by Ctrl-C once it has swapped. */
const program = (release: string, source: string) => `#!/bin/bash
case "$1" in
  sandbox) exec '${process.execPath}' '${source}' "$@" ;;
  run)
    '${process.execPath}' '${release}' "$@" --port 0 > "run$2.out" &
    until grep -q '^SETTLED' "run$2.out"; do kill -0 $! || exit 1; sleep 0.1; done
    kill -INT $!; wait $!; cat "run$2.out" ;;
  *) exec '${process.execPath}' '${release}' "$@" ;;
esac
`

beforeAll(() => {
  const source = new URL('../../src/main.ts', import.meta.url).pathname
  mkdirSync(bin)
  mkdirSync(started)
  writeFileSync(join(bin, 'ballast'), program(process.env.BALLAST_RELEASE ?? source, source), {
    mode: 0o755,
  })
})
afterAll(async () => {
  for (const child of market) {
    child.kill('SIGINT')
    await new Promise((resolve) => child.once('close', resolve))
  }
})

/** Types a block into a shell of a folder; a line that ends with & goes on behind it. */
async function type({ page, code }: Block, cwd: string): Promise<string> {
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    XDG_STATE_HOME: home,
    COLUMNS: '80',
  }
  const [behind, line] = [/^(.*[^&])&(?:\s+#.*)?$/m.exec(code)?.[1], code]
  if (behind !== undefined) {
    market.push(spawn('bash', ['-c', `exec ${behind}`], { cwd, env, stdio: 'ignore' }))
    await until(() => existsSync(join(cwd, 'market/ballast.yaml')))
    return ''
  }
  const shell = spawn('bash', ['-e', '-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [shown, said] = ['', '']
  shell.stdout.on('data', (chunk) => {
    shown += chunk
  })
  shell.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = await new Promise((resolve) => shell.once('close', resolve))
  expect([page, line, ended, ended === 0 ? '' : shown + said]).toEqual([page, line, 0, ''])
  return shown
}

/** Changes the lines that step 2 of docs/START.md names. */
function changeLines(): void {
  const page = readFileSync('docs/START.md', 'utf8')
  const file = join(started, 'ballast.yaml')
  const rows = [...page.matchAll(/^\| \w+ \| `(.+?)` \| `(.+?)` \| /gm)]
  expect(rows).toHaveLength(4)
  const text = rows.reduce(
    (before, [, from = '', to = '']) => {
      // A list with an ellipsis names one of its items.
      const [, key, item] = /^(\w+): \[…, (.+), …\]$/.exec(from) ?? []
      const line = before.split('\n').find((one) => one.includes(key ?? from)) ?? ''
      expect(line).toContain(item ?? from)
      return before.replace(line, line.replace(item ?? from, to))
    },
    readFileSync(file, 'utf8'),
  )
  writeFileSync(file, text)
}

const blocksOf = (page: string) =>
  allBlocks.filter((block) => block.page === page && block.reason === undefined)

const spaced = (text: string) => text.replaceAll(/\s+/g, ' ')

test('docs/START.md: every command works as written, and says which is next', async () => {
  let shown = ''
  let typed = 0
  for (const block of blocksOf('docs/START.md'))
    if (block.language === 'sh') {
      shown = await type(block, started)
      typed += 1
      if (block.code.includes('mv mine.yaml ballast.yaml')) changeLines()
    } else
      for (const [next = ''] of block.code.matchAll(/^Next: .*$/gm))
        if (!block.code.startsWith('SETTLED')) expect(spaced(shown)).toContain(spaced(next))
  expect(typed).toBe(9)
})

/** Pages that go on where docs/START.md ends, each in a folder of its own. */
const further = ['docs/OPERATING.md', 'docs/BACKUPS.md', 'docs/ARCHIVES.md', 'docs/KEYS.md']

test.concurrent.each(further)('%s: every command works as written', async (page) => {
  const cwd = join(home, page.replaceAll('/', '-'))
  cpSync(started, cwd, { recursive: true })
  for (const block of blocksOf(page)) if (block.language === 'sh') await type(block, cwd)
})

test('every block of shell is walked here, has a test of its own or a reason', () => {
  const walked = ['docs/START.md', ...further, ...Object.keys(ownTests)]
  const left = allBlocks.filter(
    ({ page, language, reason }) =>
      language === 'sh' && reason === undefined && !walked.includes(page),
  )
  expect(left.map(({ page, code }) => [page, code])).toEqual([])
})
