import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * No check without a case: every name of a check is read off the code, and must stand in the tables that show what it
 * stops. The tables themselves hold each case to its check (by blinding it); this holds the tables to be complete, also
 * for names that no test happens to note.
 */
type Room = {
  /** What begins the name of a check in its table. */
  readonly stage: string
  readonly source: string
  readonly tables: string
  /** How a name is written, in the code and in the tables. */
  readonly written: RegExp
  readonly cased: (name: string) => RegExp
}

/** A name where a check is noted, and where a helper is told it. A leg's own name has its number before it. */
const noted =
  /\b(?:checks\.(?:holds|equal)|within|agree|checkBytes)\(\s*(?:'([\w-]+)'|`\$\{\w+\}-([\w-]+)`)/g
const literal = (name: string) => new RegExp(`'${name}'`)

const rooms: readonly Room[] = [
  {
    stage: 'verify',
    source: 'src/bot/verify/{verify,check*,decode}.ts',
    tables: 'test/bot/verify/hostileQuotes.ts',
    written: noted,
    cased: (name) => new RegExp(`\\[\\s*'(?:leg-\\d+-)?${name}'`),
  },
  {
    stage: 'verify of a foreign router',
    source: 'src/bot/verify/createVerifyOpaque.ts',
    tables: 'test/bot/verify/opaque.test.ts',
    written: noted,
    cased: (name) => literal(`verify.${name}`),
  },
  {
    stage: 'policy',
    source: 'src/bot/policy/{checkPlan,checkWorth,createPermit}.ts',
    tables: 'test/bot/policy/policy.test.ts',
    written: noted,
    cased: (name) => literal(`policy.${name}`),
  },
  {
    stage: 'signed bytes, bumps, approvals and cancellations',
    source: 'src/bot/policy/createInspect.ts',
    tables: 'test/bot/policy/policy.test.ts',
    written: noted,
    cased: (name) => literal(`signed.${name}`),
  },
  {
    stage: 'simulate',
    source: 'src/bot/simulate/*.ts',
    tables: 'test/bot/simulate/checks.test.ts',
    written: noted,
    cased: (name) => new RegExp(`^ {2}'?${name}'?: \\{`, 'm'),
  },
  {
    stage: 'questions of simulate',
    source: 'src/bot/simulate/questions.ts',
    tables: 'test/bot/simulate/checks.test.ts',
    written: /^ {4}check: '([\w-]+)'|^ {8}check: '([\w-]+)'/gm,
    cased: (name) => new RegExp(`^ {2}'${name}': \\{`, 'm'),
  },
  {
    stage: 'fund',
    source: 'src/bot/allowance/fund.ts',
    tables: 'test/bot/allowance/fund.test.ts',
    written: noted,
    cased: (name) => literal(`FUND_${name.toUpperCase().replaceAll('-', '_')}`),
  },
  {
    stage: 'signed fields',
    source: 'src/bot/sign/createSigner.ts',
    tables: 'test/bot/sign/createSigner.test.ts',
    written: /^ {4}(\w+): (?:parsed|sender)\b/gm,
    cased: (name) => new RegExp(`^ {4}${name}: \\{|field: '${name}'`, 'm'),
  },
  {
    stage: 'rules of the signer process',
    source: 'src/bot/sign/process/*.ts',
    tables: 'test/bot/sign/process/*.test.ts',
    written: /\brefused\(\s*'(\w+)'/g,
    cased: literal,
  },
  {
    stage: 'invariants of reconcile',
    source: 'src/bot/reconcile/reconcile.ts',
    tables: 'test/bot/reconcile/reconcile.test.ts',
    written: /^ {2}(I\d+): '/gm,
    cased: (name) => new RegExp(`broken\\('${name}'|'${name} broken'`),
  },
  {
    stage: 'breaks of reconcile',
    source: 'src/bot/reconcile/*.ts',
    tables: 'test/{bot/reconcile,cli}/*.test.ts',
    written: /\bcode: '([A-Z_]+)'/g,
    cased: literal,
  },
]

const textOf = (pattern: string) =>
  globSync(pattern)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')

const namesIn = (text: string, written: RegExp) => [
  ...new Set([...text.matchAll(written)].map(([, name, ofLeg]) => name ?? ofLeg ?? '')),
]

const uncased = ({ stage, tables, cased }: Room, names: readonly string[], text: string) =>
  names
    .filter((name) => !cased(name).test(text))
    .map(
      (name) =>
        `${stage}: '${name}' has no case in ${tables} — add one that only this check stops, and see it pass without the check.`,
    )

test.each(rooms)('no check without a case: $stage', (room) => {
  const names = namesIn(textOf(room.source), room.written)
  expect(names.length).toBeGreaterThan(0)
  expect(uncased(room, names, textOf(room.tables))).toEqual([])
})

test('a check whose name is not written where it is noted cannot be enumerated: only these are', () => {
  const hidden = globSync('src/bot/**/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bchecks\.(?:holds|equal)\(\s*([^'`\s][^,]*),/g)].map(
      ([, name]) => `${path}: ${name}`,
    ),
  )
  expect(hidden.sort()).toEqual([
    // Named by those that call `within`, `agree` and `checkBytes`, and by `questionChecks`.
    'src/bot/policy/checkPlan.ts: name',
    'src/bot/simulate/checkBlock.ts: name',
    'src/bot/simulate/checkWitness.ts: name',
    'src/bot/verify/decode.ts: name',
    'src/bot/verify/decode.ts: name',
  ])
})

test('a check that is new and has no case is named', () => {
  const [room] = rooms
  if (room === undefined) throw new Error('there are rooms')
  const names = namesIn(
    "checks.holds(\n  'new-one', ok)\nchecks.equal(`@{leg}-other`, 1, 2)".replace('@', '$'),
    noted,
  )
  expect(names).toEqual(['new-one', 'other'])
  expect(uncased(room, names, "['new-one', {}]\n")).toEqual([
    "verify: 'other' has no case in test/bot/verify/hostileQuotes.ts — add one that only this check stops, and see it pass without the check.",
  ])
})
