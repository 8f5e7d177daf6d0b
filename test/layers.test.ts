import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { brokenLists, lintListsOf } from './layers/lintLists.ts'
import { rules } from './layers/rules.ts'
import type { Source } from './layers/source.ts'
import { structure } from './layers/structure.ts'
import { equivalentMutants } from './support/equivalentMutants.ts'
import { projectOf, readFile } from './support/projectOf.ts'

const tree: readonly Source[] = globSync('{src,strategies,test,bench,scripts}/**/*.ts').map(
  (path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }),
)

describe('layers', () => {
  test('the tree is there to be looked at', () => {
    expect(tree.length).toBeGreaterThan(50)
  })

  for (const [name, rule] of Object.entries({ ...rules, ...structure }))
    test(name, () => {
      expect(rule(tree)).toEqual([])
    })
})

test('every change that no test can notice is one of a text that is still there, once', () => {
  const outdated = equivalentMutants.filter(
    ({ file, from }) => readFileSync(file, 'utf8').split(from).length !== 2,
  )
  expect(outdated, 'take them out of test/support/equivalentMutants.ts').toEqual([])
})

describe('lists of lint exceptions', () => {
  test('only shrink, and name files', () => {
    expect(brokenLists(lintListsOf(readFileSync('biome.json', 'utf8')), existsSync)).toEqual([])
  })

  test('a list that grew, one that is missing and a file that is gone are noticed', () => {
    const off = (rule: string) => ({ rules: { complexity: { [rule]: 'off' } } })
    const lists = lintListsOf(
      JSON.stringify({
        overrides: [
          {
            includes: ['src/a.ts', ...Array.from({ length: 12 }, () => 'src/main.ts')],
            linter: off('noExcessiveLinesPerFunction'),
          },
          { includes: ['src/**'], linter: { rules: { complexity: { useMaxParams: {} } } } },
          { includes: ['src/main.ts'], linter: off('noForEach') },
        ],
      }),
    )
    expect(brokenLists(lists, (path) => path === 'src/main.ts')).toEqual([
      expect.stringContaining('no list of useMaxParams'),
      expect.stringContaining('13 files may break noExcessiveLinesPerFunction'),
      expect.stringContaining('src/a.ts is in the list'),
      expect.stringContaining('1 files may break noForEach'),
    ])
  })
})

type Name = keyof typeof rules

/** For each rule: files that break it, and files that look as if they did. */
const planted: Readonly<Record<Name, { breaks: readonly Source[]; keeps: readonly Source[] }>> = {
  'imports go the allowed way': {
    breaks: [
      { path: 'src/core/a.ts', text: "import { b } from '../chain/b.ts'" },
      { path: 'src/api/a.ts', text: "import type { C } from '../config/config.ts'" },
      { path: 'src/service/a.ts', text: "import { b } from '../bot/swap.ts'" },
      { path: 'src/service/deep/a.ts', text: "import {\n  b,\n  c,\n} from '../../bot/swap.ts'" },
      { path: 'src/dashboard/a.ts', text: "export { b } from '../bot/swap.ts'" },
      { path: 'src/bot/a.ts', text: "const { b } = await import('../service/b.ts')" },
      { path: 'src/sandbox/a.ts', text: "import '../bot/swap.ts'" },
      { path: 'src/bot/strategy/a.ts', text: "import t from '../../../strategies/threshold.ts'" },
      { path: 'src/helpers/a.ts', text: '' },
      { path: 'src/main.ts', text: "import { b } from './bot/swap.ts'" },
    ],
    keeps: [
      { path: 'src/cli/a.ts', text: "import { b } from '../bot/swap.ts'" },
      { path: 'src/sandbox/a.ts', text: "import { b } from '../service/b.ts'" },
      { path: 'src/bot/a.ts', text: "import { b } from './c/b.ts'\nimport { z } from 'zod'" },
      { path: 'src/core/a.ts', text: "// import { b } from '../chain/b.ts'" },
    ],
  },
  'a stage never imports another stage': {
    breaks: [
      { path: 'src/bot/verify/a.ts', text: "import { b } from '../quote/b.ts'" },
      { path: 'src/bot/verify/a.ts', text: "import type { B } from '../quote/b.ts'" },
      { path: 'src/bot/verify/a.ts', text: "import { wait } from '../strategy/index.ts'" },
      { path: 'src/bot/quote/api/a.ts', text: "import { b } from '../../swap.ts'" },
      { path: 'src/bot/verify/a.ts', text: "import { next } from '../next.ts'" },
    ],
    keeps: [
      { path: 'src/bot/verify/a.ts', text: "import { pass } from '../stages.ts'" },
      { path: 'src/bot/verify/a.ts', text: "import type { Step } from '../next.ts'" },
      { path: 'src/bot/verify/a.ts', text: "import type { Intent } from '../strategy/index.ts'" },
      { path: 'src/bot/quote/api/a.ts', text: "import { b } from '../b.ts'" },
      { path: 'src/bot/swap.ts', text: "import { b } from './verify/verify.ts'" },
    ],
  },
  'the life of a swap is handed its stages': {
    breaks: [
      { path: 'src/bot/life/a.ts', text: "import { b } from '../quote/b.ts'" },
      { path: 'src/bot/life/a.ts', text: "import { broadcast } from '../broadcast/broadcast.ts'" },
    ],
    keeps: [
      { path: 'src/bot/life/a.ts', text: "import type { B } from '../quote/b.ts'" },
      { path: 'src/bot/life/a.ts', text: "import { b } from '../journal/swaps/b.ts'" },
      { path: 'src/bot/life/a.ts', text: "import { next } from '../next.ts'" },
    ],
  },
  'what the stages share imports none of them': {
    breaks: [
      { path: 'src/bot/a.ts', text: "import { b } from './quote/b.ts'" },
      { path: 'src/bot/a.ts', text: "import { b } from './journal/swaps/b.ts'" },
    ],
    keeps: [
      { path: 'src/bot/a.ts', text: "import type { B } from './strategy/index.ts'" },
      { path: 'src/bot/a.ts', text: "import { b } from './b.ts'" },
      { path: 'src/bot/quote/a.ts', text: "import { b } from './api/b.ts'" },
    ],
  },
  'only its own stage brands a value': {
    breaks: [
      { path: 'src/bot/quote/a.ts', text: 'return pass<Verified>(quoted)' },
      { path: 'src/cli/run.ts', text: 'pass<Journaled>(signed)' },
      { path: 'src/bot/sign/a.ts', text: 'pass<Invented>(x)' },
    ],
    keeps: [{ path: 'src/bot/verify/a.ts', text: 'return pass<Verified>(quoted)' }],
  },
  'only config reads the environment': {
    breaks: [
      { path: 'src/cli/a.ts', text: 'const a = process.env.HOME' },
      { path: 'src/cli/a.ts', text: "const a = process['env']" },
      { path: 'src/bot/a.ts', text: 'const { A } = process?.env' },
      { path: 'src/bot/a.ts', text: "import { env } from 'node:process'" },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code under test.
      { path: 'src/bot/a.ts', text: 'const a = `x${process.env.A}`' },
    ],
    keeps: [
      { path: 'src/config/a.ts', text: 'process.env' },
      { path: 'src/cli/a.ts', text: "// process.env\nconst a = 'process.env is read by config'" },
    ],
  },
  'time comes from the clock': {
    breaks: [
      { path: 'src/bot/a.ts', text: 'const now = Date.now()' },
      { path: 'src/bot/a.ts', text: 'const now = new Date()' },
      { path: 'src/bot/a.ts', text: 'const now = new Date\n' },
      { path: 'src/service/a.ts', text: 'const t = performance.now()' },
      { path: 'src/core/a.ts', text: 'setInterval(f, 5)' },
      { path: 'src/cli/a.ts', text: 'await new Promise((r) => setTimeout(r, 5))' },
    ],
    keeps: [
      { path: 'src/core/clock.ts', text: 'Date.now()' },
      { path: 'src/bot/a.ts', text: 'const a = `{ at: Date.now() }`' },
      { path: 'src/cli/a.ts', text: 'const day = new Date(slot).toISOString()' },
      { path: 'src/cli/a.ts', text: '/* Date.now() */ await clock.sleep(5)' },
      { path: 'src/cli/a.ts', text: 'const a = /Date.now()/.test(text)' },
      { path: 'test/a.ts', text: 'Date.now()' },
    ],
  },
  'nothing lets an endpoint fill in a transaction': {
    breaks: [
      { path: 'src/bot/a.ts', text: 'await wallet.sendTransaction({ to })' },
      { path: 'src/sandbox/a.ts', text: "import { deployContract } from 'viem/actions'" },
      { path: 'src/sandbox/a.ts', text: 'client.writeContract(x)' },
      { path: 'src/bot/a.ts', text: 'prepareTransactionRequest(x)' },
    ],
    keeps: [
      { path: 'src/bot/a.ts', text: 'sendRawTransaction(raw)' },
      { path: 'src/bot/a.ts', text: "throw new Error('sendTransaction is banned')" },
    ],
  },
  'only broadcast sends': {
    breaks: [
      {
        path: 'src/bot/confirm/a.ts',
        text: "import { sendRawTransaction } from '../../chain/calls/sendRawTransaction.ts'",
      },
    ],
    keeps: [
      {
        path: 'src/bot/broadcast/a.ts',
        text: "import { sendRawTransaction } from '../../chain/calls/sendRawTransaction.ts'",
      },
    ],
  },
  'only sign holds a key': {
    breaks: [{ path: 'src/bot/verify/a.ts', text: 'const a = privateKeyToAccount(key)' }],
    keeps: [{ path: 'src/bot/sign/a.ts', text: 'const a = privateKeyToAccount(key)' }],
  },
  'paper, tapes, dry runs and plans lead to no key and no network': {
    breaks: [
      {
        path: 'src/bot/life/drivePaper.ts',
        text: "import { createSigner } from '../sign/createSigner.ts'",
      },
      {
        path: 'src/bot/journal/openPaperJournal.ts',
        text: "import { createAttempts } from './attempts/createAttempts.ts'",
      },
      {
        path: 'src/bot/paper/a.ts',
        text: "import { broadcast } from '../broadcast/broadcast.ts'",
      },
      {
        path: 'src/app/openPaper.ts',
        text: "const { openKeyHolder } = await import('./openKeyHolder.ts')",
      },
      {
        path: 'src/tape/a.ts',
        text: "import { createSigner } from '../bot/sign/createSigner.ts'",
      },
      {
        path: 'src/cli/dryRun.ts',
        text: "import { openKeyHolder } from '../app/openKeyHolder.ts'",
      },
    ],
    keeps: [
      {
        path: 'src/bot/life/drivePaper.ts',
        text: "import type { Signer } from '../sign/createSigner.ts'",
      },
      {
        path: 'src/bot/life/drive.ts',
        text: "import { createSigner } from '../sign/createSigner.ts'",
      },
    ],
  },
  'no list of chains': {
    breaks: [{ path: 'src/chain/a.ts', text: "import { mainnet } from 'viem/chains'" }],
    keeps: [{ path: 'src/chain/a.ts', text: "import { keccak256 } from 'viem'" }],
  },
  'no enums': {
    breaks: [
      { path: 'src/api/a.ts', text: 'export enum Side { Bid }' },
      { path: 'test/a.ts', text: 'const enum Side { Bid }' },
    ],
    keeps: [{ path: 'src/api/a.ts', text: "const side = z.enum(['bid', 'ask'])" }],
  },
  'no utils, no managers, no barrels': {
    breaks: [
      { path: 'src/core/utils.ts', text: '' },
      { path: 'src/bot/sign/nonceManager.ts', text: '' },
      { path: 'src/api/index.ts', text: '' },
    ],
    keeps: [{ path: 'src/bot/strategy/index.ts', text: '' }],
  },
  'a file is named after what it exports': {
    breaks: [{ path: 'src/core/thing.ts', text: 'export function other() {}' }],
    keeps: [
      { path: 'src/core/bps.ts', text: 'export function parseBps() {}' },
      { path: 'src/core/price.ts', text: 'export function one() {}\nexport function two() {}' },
    ],
  },
  'a strategy imports #strategy only': {
    breaks: [
      { path: 'strategies/a.ts', text: "import { readFileSync } from 'node:fs'" },
      { path: 'strategies/a.ts', text: "import { b } from '../src/core/amount.ts'" },
      { path: 'strategies/a.ts', text: "import './b.ts'" },
      { path: 'strategies/a.ts', text: "export * from 'viem'" },
    ],
    keeps: [{ path: 'strategies/a.ts', text: "import { wait } from '#strategy'" }],
  },
  'a strategy is pure': {
    breaks: [
      { path: 'strategies/a.ts', text: 'const key = process.env.WALLET_KEY' },
      { path: 'strategies/a.ts', text: "const fs = await import('node:fs')" },
      { path: 'strategies/a.ts', text: "require('fs')" },
      { path: 'strategies/a.ts', text: "globalThis['fe' + 'tch'](url)" },
      { path: 'strategies/a.ts', text: 'fetch(url)' },
      { path: 'strategies/a.ts', text: 'const now = new Date()' },
      { path: 'strategies/a.ts', text: 'const now = new Date' },
      { path: 'strategies/a.ts', text: 'Math.random()' },
      { path: 'strategies/a.ts', text: 'setTimeout(f, 5)' },
      { path: 'strategies/a.ts', text: "eval('1')" },
      { path: 'strategies/a.ts', text: "new Function('return 1')" },
      { path: 'strategies/a.ts', text: 'const t = performance.now()' },
      { path: 'strategies/a.ts', text: 'const id = crypto.randomUUID()' },
      { path: 'strategies/a.ts', text: "new WebSocket('wss://x')" },
      { path: 'strategies/a.ts', text: 'console.log(1)' },
      { path: 'strategies/a.ts', text: 'Buffer.from([])' },
      { path: 'strategies/a.ts', text: 'new SharedArrayBuffer(8)' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code under test.
      { path: 'strategies/a.ts', text: 'const x = `${Date.now()}`' },
    ],
    keeps: [
      { path: 'strategies/a.ts', text: "// not fetch\nwait('the process is over')" },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code under test.
      { path: 'strategies/a.ts', text: 'const a = `updated ${show(amount)}`' },
      { path: 'strategies/a.ts', text: 'const day = new Date(slot).toISOString()' },
      { path: 'src/cli/a.ts', text: 'process.exit(0)' },
    ],
  },
  'a test measures no time': {
    breaks: [
      { path: 'test/a.test.ts', text: 'expect(performance.now() - began).toBeLessThan(5)' },
      { path: 'test/a.test.ts', text: 'expect(Date.now() - before).toBeLessThan(5)' },
      { path: 'test/a.test.ts', text: 'const since = process.hrtime.bigint()' },
    ],
    keeps: [
      { path: 'test/a.test.ts', text: 'const deadline = Date.now() - 5' },
      { path: 'test/simulator/runSeeds.ts', text: 'performance.now()' },
      { path: 'bench/a.ts', text: 'performance.now()' },
    ],
  },
  'nothing changes who may enter a shared folder': {
    breaks: [
      { path: 'test/support/a.ts', text: 'chmodSync(tmpdir(), 0o711)' },
      { path: 'scripts/a.ts', text: 'await chown(parent, nobody, nobody)' },
    ],
    keeps: [
      { path: 'test/support/a.ts', text: "chmodSync(mkdtempSync(join(tmpdir(), 'a-')), 0o711)" },
      { path: 'test/a.test.ts', text: 'chmodSync(join(cwd, name), 0o640)' },
    ],
  },
}

describe('layers, planted violations', () => {
  for (const [name, { breaks, keeps }] of Object.entries(planted)) {
    const rule = rules[name as Name]
    for (const source of breaks)
      test(`${name}: finds ${source.path}: ${source.text.slice(0, 60)}`, () => {
        const found = rule([source])
        expect(found).toHaveLength(1)
        expect(found[0]).toContain(source.path)
        expect(found[0]).toContain(' — ')
      })
    for (const source of keeps)
      test(`${name}: allows ${source.path}: ${source.text.slice(0, 60)}`, () => {
        expect(rule([source])).toEqual([])
      })
  }
})

test('paper, tapes, dry runs and plans lead to no key and no network: finds a way over other files', () => {
  const found = rules['paper, tapes, dry runs and plans lead to no key and no network']([
    { path: 'src/bot/paper/a.ts', text: "import { b } from '../b.ts'" },
    { path: 'src/bot/b.ts', text: "import { c } from './c.ts'" },
    { path: 'src/bot/c.ts', text: "import { createSigner } from './sign/createSigner.ts'" },
  ])
  expect(found).toHaveLength(1)
  expect(found[0]).toContain('src/bot/paper/a.ts -> src/bot/b.ts -> src/bot/c.ts -> src/bot/sign/')
})

describe('a test runs in the project that its imports say', () => {
  const of = (files: Readonly<Record<string, string>>) =>
    projectOf('test/a.test.ts', (path) => files[path])
  test.each([
    ['unit', "import { amountOf } from '../src/core/amount.ts'"],
    ['unit-mocks', "vi.mock('node:dns', () => simulated)"],
    ['chain-mocks', "import { inject, vi } from 'vitest'\nvi.mock('node:sqlite')"],
    ['journal', "import { openJournal } from '../src/bot/journal/openJournal.ts'"],
    ['ports', "server.listen(0, '127.0.0.1')"],
    ['seeds-mocks', "vi.mock('node:dns', () => simulated)\nserver.listen(0)"],
    ['seeds-mocks', "vi.mock('node:sqlite', () => simulated)"],
    ['seeds', 'const runs = Number(process.env.SLOT_RUNS ?? 1)'],
    ['seeds', 'const text = "decide: () => { for (;;); }"'],
    ['chain', "import { expect, inject, test } from 'vitest'"],
    ['chain', "import { spawn } from 'node:child_process'"],
    ['chain', "import { startAnvil } from '../src/sandbox/startAnvil.ts'"],
    ['chain', "import { startArena } from '../src/app/drill/startArena.ts'"],
    ['chain', "await callCli(['drill', '--json'], { cwd })"],
    [
      'seeds',
      "import { spawn } from 'node:child_process'\nconst seeds = Number(process.env.SEEDS ?? 5)",
    ],
    // What it needs decides before how long it explores.
    [
      'chain',
      "import { inject } from 'vitest'\nconst runs = Number(process.env.FUZZ_REQUESTS ?? 5)",
    ],
  ])('%s: %s', (project, text) => {
    expect(of({ 'test/a.test.ts': text })).toBe(project)
  })

  test('a way over other files counts, through a circle as well', () => {
    const files = {
      'test/a.test.ts': "import { b } from './support/b.ts'",
      'test/support/b.ts':
        "import { a } from '../a.test.ts'\nconst c = await import('../../scripts/c.ts')",
      'scripts/c.ts': "import { spawn } from 'node:child_process'",
    }
    expect(of(files)).toBe('chain')
  })

  test('each project has files, and no file is left out', () => {
    const files = globSync('test/**/*.test.ts')
    const projects = files.map((file) => projectOf(file, readFile))
    expect(new Set(projects)).toEqual(
      new Set([
        'chain',
        'chain-mocks',
        'journal',
        'ports',
        'seeds',
        'seeds-mocks',
        'unit',
        'unit-mocks',
      ]),
    )
    expect(projectOf('test/core/amount.test.ts', readFile)).toBe('unit')
    expect(projectOf('test/e2e/swap.test.ts', readFile)).toBe('chain')
  })
})

describe('structure, planted violations', () => {
  const file = (path: string, text: string): Source => ({ path, text })

  test('no circle of files: types count, and so does a way over others', () => {
    const rule = structure['no circle of files']
    const a = file('src/core/a.ts', "import { b } from './b.ts'")
    const b = file('src/core/b.ts', "import type { C } from '../chain/c.ts'")
    expect(rule([a, b, file('src/chain/c.ts', "import { a } from '../core/a.ts'")])).toEqual([
      'src/core/a.ts -> src/core/b.ts -> src/chain/c.ts -> src/core/a.ts — move what both need into a file that neither imports.',
    ])
    expect(rule([a, b, file('src/chain/c.ts', "import { z } from 'zod'")])).toEqual([])
  })

  test('no two folders that import each other: values count, a parent and its child are two', () => {
    const rule = structure['no two folders that import each other']
    const up = file('src/bot/a.ts', "import { b } from './deep/b.ts'")
    expect(
      rule([
        up,
        file('src/bot/deep/b.ts', "import { c } from '../c.ts'"),
        file('src/bot/c.ts', ''),
      ]),
    ).toHaveLength(1)
    expect(
      rule([
        up,
        file('src/bot/deep/b.ts', "import type { C } from '../c.ts'"),
        file('src/bot/c.ts', ''),
      ]),
    ).toEqual([])
  })

  test('a name is exported once, types included', () => {
    const rule = structure['a name is exported once']
    const one = file('src/core/a.ts', 'export type Level = 1')
    expect(rule([one, file('src/api/b.ts', 'export const Level = 2')])).toEqual([
      'Level: src/core/a.ts, src/api/b.ts — give each of them a name of its own.',
    ])
    expect(
      rule([one, file('src/api/b.ts', 'type Level = 2'), file('test/a.ts', one.text)]),
    ).toEqual([])
  })

  test('commands are short and reach no chain', () => {
    const rule = structure['commands are short and reach no chain']
    expect(rule([file('src/cli/a.ts', '\n'.repeat(151))])).toHaveLength(1)
    expect(rule([file('src/cli/a.ts', "import { b } from '../chain/b.ts'")])).toHaveLength(1)
    expect(
      rule([file('src/cli/a.ts', '\n'.repeat(150)), file('src/app/a.ts', '\n'.repeat(900))]),
    ).toEqual([])
  })
})
