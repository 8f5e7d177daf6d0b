/** What a work found: counts by their names. */
type Figures = Readonly<Record<string, number>>
type Scope = { readonly seed: string; readonly short: boolean }

export type NightlyWork = {
  readonly name: string
  /** For the page. */
  readonly what: string
  /** Of package.json. */
  readonly script: string
  readonly args: (scope: Scope) => readonly string[]
  readonly environment: (scope: Scope) => Readonly<Record<string, string>>
  readonly figures: (stdout: string) => Figures
}

/** Whether it is called in another way with another seed; the others draw seeds of their own. */
export const heedsSeed = (work: NightlyWork) =>
  callOf(work, { seed: '1', short: false }) !== callOf(work, { seed: '2', short: false })

/** Whether it does less in a short night; the others run in full then as well. */
export const heedsShort = (work: NightlyWork) =>
  callOf(work, { seed: '1', short: false }) !== callOf(work, { seed: '1', short: true })

const callOf = ({ args, environment }: NightlyWork, scope: Scope) =>
  JSON.stringify([args(scope), environment(scope)])

/** One work of a night. */
export type Night = {
  readonly passed: boolean
  readonly commit: string
  /** Day in UTC. */
  readonly on: string
  /** Where the work has one that is given. */
  readonly seed?: number
  readonly isShort: boolean
  readonly figures: Figures
}

/** Counts by the names of the groups of an expression. */
const matched =
  (pattern: RegExp) =>
  (stdout: string): Figures =>
    Object.fromEntries(
      Object.entries(pattern.exec(stdout)?.groups ?? {}).map(([name, text]) => [
        name.replaceAll('_', ' '),
        Number(text),
      ]),
    )

/**
 * Counts of the JSON that a program ends with: numbers as they are, lists by their length, counts by name by their sum.
 * None where the program died before.
 */
const counted =
  (...names: readonly string[]) =>
  (stdout: string): Figures => {
    const text = /^\{\n[\s\S]*^\}/m.exec(stdout)?.[0]
    if (text === undefined) return {}
    const all = JSON.parse(text) as Readonly<Record<string, unknown>>
    return Object.fromEntries(
      names.map((name) => {
        if (all[name] === undefined) throw new Error(`the program ends without ${name}`)
        return [name, countOf(all[name])]
      }),
    )
  }

function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  if (typeof value !== 'object' || value === null) return Number(value)
  return Object.values(value).reduce((sum, count) => sum + count, 0)
}

const tests = matched(/(?<passed>\d+) passed, (?<failed>\d+) failed/)
const seeds = matched(
  /(?<seeds>\d+) seeds in [\s\S]*?: (?<swaps>\d+) swaps, (?<settled>\d+) settled, (?<kills>\d+) crashes, (?<faults>\d+) faults; (?<broken_seeds>\d+) seeds/,
)
const none = () => ({})

/** A script of tests that explores a count. Seeds of the properties are drawn by the run, and printed where one fails. */
const explores = (script: string, what: string): NightlyWork => ({
  ...{ name: script.replace('test:', ''), what, script },
  ...{ args: () => [], environment: none, figures: tests },
})

export const nightlyWorks: readonly NightlyWork[] = [
  {
    name: 'tests',
    what: 'Every test, also those that `npm test` draws from',
    script: 'test:all',
    args: () => [],
    environment: none,
    figures: tests,
  },
  {
    name: 'simulator',
    what: 'Seeds of the simulated world with one worker',
    script: 'test:simulator',
    args: () => [],
    environment: ({ seed, short }) => ({ SEEDS: short ? '10000' : '1000000', FIRST: seed }),
    figures: seeds,
  },
  {
    name: 'two workers',
    what: 'Seeds of the simulated world with two workers of one wallet',
    script: 'test:simulator',
    args: () => [],
    environment: ({ seed, short }) => ({
      ...{ SEEDS: short ? '1000' : '100000', FIRST: seed, CAST: 'two' },
    }),
    figures: seeds,
  },
  {
    name: 'crash',
    what: 'Deaths at steps under faults, drawn from all of them',
    script: 'test:crash',
    args: () => [],
    environment: ({ seed, short }) => ({
      ...{ SAMPLE: short ? '100' : 'Infinity', SEED: seed, MINUTES: short ? '60' : '600' },
    }),
    figures: matched(
      /^total +(?<cases>\d+) +(?<killed>\d+) +(?<killed_twice>\d+) +(?<events>\d+) +(?<doubles>\d+) +(?<lost>\d+) +(?<phantoms>\d+) +(?<broken>\d+)/m,
    ),
  },
  {
    name: 'soak',
    what: 'A bot under faults, reorganisations, kills, pauses and outages',
    script: 'soak',
    args: ({ seed, short }) => ['--seed', seed, '--minutes', short ? '10' : '120'],
    environment: none,
    figures: counted(
      ...['minutes', 'blocks', 'swaps', 'settled', 'onChain', 'faults', 'exchanges', 'breaks'],
    ),
  },
  {
    name: 'day',
    what: 'A day of four strategies in virtual time, killed three times',
    script: 'day',
    args: ({ short }) => ['--hours', short ? '12' : '24'],
    environment: none,
    figures: counted('hours', 'swaps', 'breaks'),
  },
  {
    name: 'fleet',
    what: 'Four workers, twenty wallets, two chains',
    script: 'fleet',
    args: ({ seed }) => ['--seed', seed],
    environment: none,
    figures: counted('workers', 'chains', 'wallets', 'settled', 'struck', 'wrong'),
  },
  explores('test:mutants', 'Safeguards removed one at a time, before the simulator'),
  {
    ...explores('contracts:mutants', 'Guards of the contracts removed one at a time'),
    figures: matched(/(?<killed>\d+) of (?<mutants>\d+) mutants killed/),
  },
  explores('test:fuzz', 'Malformed requests to the service'),
  explores('test:routes', 'Routes beside an independent optimiser'),
  explores('test:settle', 'Firm quotes that settle for what they say'),
  explores('test:plan', 'Plans beside a count day by day'),
  explores('test:slots', 'Ten years of calendar slots in three zones'),
  {
    name: 'sample',
    what: 'Places of the code changed one at a time',
    script: 'test:sample',
    args: ({ seed, short }) => ['--seed', seed, '--count', short ? '20' : '200'],
    environment: none,
    figures: matched(
      /(?<mutants>\d+) mutants: (?<killed>\d+) killed, (?<equivalent>\d+) equivalent, (?<survived>\d+) survived/,
    ),
  },
]
