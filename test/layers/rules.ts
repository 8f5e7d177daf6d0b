import { banned, importsOf, type Rule } from './source.ts'

/** What each folder of src/ may import besides itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  config: ['core'],
  api: ['core'],
  chain: ['core'],
  bot: ['core', 'api', 'chain'],
  engine: ['core', 'chain', 'config', 'bot'],
  tape: ['core', 'api', 'chain', 'bot', 'engine'],
  story: ['core', 'config', 'bot'],
  service: ['core', 'api', 'chain'],
  sandbox: ['core', 'api', 'chain', 'service'],
  drill: ['core', 'api', 'chain', 'service', 'sandbox'],
  dashboard: ['core', 'api'],
  forecast: ['core', 'config', 'bot', 'engine', 'dashboard'],
  app: [
    'core',
    'config',
    'api',
    'chain',
    'bot',
    'engine',
    'tape',
    'service',
    'sandbox',
    'drill',
    'dashboard',
    'forecast',
    'story',
  ],
  cli: [
    'core',
    'config',
    'api',
    'chain',
    'bot',
    'engine',
    'forecast',
    'story',
    'app',
    'tape',
    'service',
    'sandbox',
    'drill',
    'dashboard',
  ],
  'main.ts': ['cli'],
  executable: ['core', 'config', 'cli'],
}

/** Imports go one way: core <- config, api, chain <- bot, service <- sandbox, dashboard <- cli. */
const folders: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap((source) => {
      const from = source.path.split('/')[1] ?? ''
      const allowed = mayImport[from]
      if (allowed === undefined)
        return [`${source.path}: src/${from} is not in the table of test/layers/rules.ts — add it.`]
      return importsOf(source)
        .filter(({ target }) => target.startsWith('src/') || target.startsWith('strategies/'))
        .map(({ target }) => ({ target, to: target.split('/')[1] ?? '' }))
        .filter(({ target, to }) => {
          if (!target.startsWith('src/')) return true
          return to !== from && !allowed.includes(to)
        })
        .map(
          ({ target }) =>
            `${source.path} -> ${target} — src/${from} may import only ${[...allowed, 'itself'].join(', ')}; take the value as a parameter and let src/cli hand it in.`,
        )
    })

/** Words that the stages share: what they hold belongs to no stage. */
const words = ['stages', 'state', 'verdict', 'spent', 'fillsMax', 'disk', 'proof'].map(
  (name) => `src/bot/${name}.ts`,
)

/** Stages know each other's results, never each other. */
const stages: Rule = (sources) =>
  sources
    .filter(({ path }) => /^src\/bot\/(?!life\/)[^/]+\//.test(path))
    .flatMap((source) => {
      const own = source.path.split('/').slice(0, 3).join('/')
      return importsOf(source)
        .filter(({ target }) => target.startsWith('src/bot/') && !target.startsWith(`${own}/`))
        .filter(
          ({ target, typeOnly }) =>
            !words.includes(target) &&
            !(typeOnly && target === 'src/bot/strategy/index.ts') &&
            // What lies beside the stages (a swap's states, its record) are words they share, not stages.
            !(typeOnly && /^src\/bot\/[^/]+$/.test(target)),
        )
        .map(
          ({ target }) =>
            `${source.path} -> ${target} — a stage takes what another made as a value: put the type in src/bot/stages.ts and let src/bot/swap.ts pass it on.`,
        )
    })

/** The life of a swap leads through the stages, which it is handed; it writes the journal itself. */
const life: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith('src/bot/life/'))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ target, typeOnly }) => !typeOnly && /^src\/bot\/[^/]+\//.test(target))
        .filter(({ target }) => !/^src\/bot\/(?:life|journal)\//.test(target))
        .map(
          ({ target }) =>
            `${source.path} -> ${target} — a stage is handed to the life of a swap: put it into the Drivetrain.`,
        ),
    )

/** What all stages share leads to none of them: otherwise each would lead to every other. */
const vocabulary: Rule = (sources) =>
  sources
    .filter(({ path }) => /^src\/bot\/[^/]+\.ts$/.test(path))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ target, typeOnly }) => !typeOnly && /^src\/bot\/[^/]+\//.test(target))
        .map(
          ({ target }) =>
            `${source.path} -> ${target} — beside the stages lie the words they share: what uses a stage belongs into src/bot/life.`,
        ),
    )

/** The folder that may say a value has passed its stage. */
const stageFolders: Readonly<Record<string, string>> = {
  Planned: 'src/bot/policy/',
  Funded: 'src/bot/allowance/',
  Appraised: 'src/bot/reference/',
  Quoted: 'src/bot/quote/',
  Verified: 'src/bot/verify/',
  Permitted: 'src/bot/policy/',
  Simulated: 'src/bot/simulate/',
  Signed: 'src/bot/sign/',
  Journaled: 'src/bot/journal/',
  Durable: 'src/bot/journal/',
}

/** A brand is worth what its maker checked. */
const brands: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bpass<(\w+)>\(/g)]
        .map(([, brand = '']) => ({ brand, home: stageFolders[brand] }))
        .filter(
          ({ home }) =>
            path !== 'src/bot/stages.ts' && (home === undefined || !path.startsWith(home)),
        )
        .map(
          ({ brand, home }) =>
            `${path}: pass<${brand}> — only ${home ?? 'a folder listed in test/layers/rules.ts'} makes one; call that stage.`,
        ),
    )

const environment = banned({
  pattern: /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|\benv\b[^\n]*from ''/,
  where: (path) => path.startsWith('src/') && !path.startsWith('src/config/'),
  instead:
    'only src/config reads the environment: take the value from Config, or the Environment as a parameter.',
})

const time = banned({
  pattern:
    /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?=[\s;,)\]]))|\bDate\s*\(\s*\)|\bperformance\s*\.\s*now\b|\bprocess\s*\.\s*hrtime\b|\bset(?:Timeout|Interval|Immediate)\s*\(/,
  where: (path) => path.startsWith('src/') && path !== 'src/core/clock.ts',
  instead:
    'take a Clock (src/core/clock.ts) as a parameter: clock.now(), clock.sleep(ms, signal), in a loop for what repeats.',
})

/** With a local account viem lets the endpoint choose chain id, nonce, gas and fees. */
const sends = banned({
  pattern: /\b(?:sendTransaction|writeContract|deployContract|prepareTransactionRequest)\b/,
  where: (path) => path.startsWith('src/'),
  instead: 'build every field, sign, journal, then sendRawTransaction (src/chain/calls).',
})

const broadcasts: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith('src/bot/') && !path.startsWith('src/bot/broadcast/'))
    .filter((source) =>
      importsOf(source).some(({ target }) => target === 'src/chain/calls/sendRawTransaction.ts'),
    )
    .map(
      ({ path }) =>
        `${path}: sends a transaction — only src/bot/broadcast may, and only journaled bytes.`,
    )

const keys = banned({
  pattern: /\b(?:privateKeyTo\w+|mnemonicTo\w+|hdKeyTo\w+)\b/,
  where: (path) => path.startsWith('src/bot/') && !path.startsWith('src/bot/sign/'),
  instead: 'only src/bot/sign holds a key: take a signer as a parameter.',
})

/** What makes bytes valid, what stores them, and what puts them on a network. */
const spends = (path: string) =>
  /^src\/bot\/(?:sign|broadcast|journal\/attempts)\//.test(path) ||
  path === 'src/chain/calls/sendRawTransaction.ts' ||
  path === 'src/app/openKeyHolder.ts'

/** What only pretends to trade: runs on paper, tapes and replays, dry runs and plans. */
const pretends = (path: string) =>
  /^src\/(?:(?:engine|tape|forecast|story)\/|(?:cli|app)\/(?:deploy\/)?(?:replay|record|dryRun|plan|preview)\w*[./])/.test(
    path,
  ) ||
  (path.startsWith('src/') && /\/paper\/|(?:^|\/)\w*[pP]aper\w*\.ts$/.test(path))

/** No way leads from there to a key or to a broadcast, however many files lie between. */
const pretending: Rule = (sources) => {
  const files = new Map(sources.map((source) => [source.path, source]))
  const wayFrom = (path: string, seen: Set<string>): readonly string[] | undefined => {
    if (spends(path)) return [path]
    const source = files.get(path)
    if (source === undefined || seen.has(path)) return undefined
    seen.add(path)
    for (const { target, typeOnly } of importsOf(source)) {
      const way = typeOnly ? undefined : wayFrom(target, seen)
      if (way !== undefined) return [path, ...way]
    }
    return undefined
  }
  return sources.flatMap(({ path }) => {
    const way = pretends(path) ? wayFrom(path, new Set()) : undefined
    return way === undefined
      ? []
      : [
          `${way.join(' -> ')} — what is not live cannot sign or send: take what is needed as a value.`,
        ]
  })
}

const chainLists: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith('src/') || path.startsWith('strategies/'))
    .filter((source) => importsOf(source).some(({ target }) => target === 'viem/chains'))
    .map(
      ({ path }) =>
        `${path}: viem/chains — a chain is what the configuration says; loading the list costs 100 ms as well.`,
    )

const enums = banned({
  pattern: /(?<![.\w])(?:const\s+)?enum\s+\w+\s*\{/,
  where: (path) => /^(?:src|strategies|test|bench|scripts)\//.test(path),
  instead: "write a union of texts: type Side = 'bid' | 'ask'.",
})

/** A name that says nothing about its content collects everything. */
const names: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path }) => {
      const file = path.split('/').at(-1)?.replace(/\.ts$/, '') ?? ''
      if (/^(?:utils?|helpers?|common|misc|shared)$|manager$/i.test(file))
        return [`${path} — a helper lives with its noun (core/amount.ts) or with its only caller.`]
      if (file === 'index' && path !== 'src/bot/strategy/index.ts')
        return [`${path} — no barrels: import the file itself.`]
      return []
    })

/** Files of several things, most of them types. */
const nouns = ['errors', 'stages', 'testing']

/** What a file exports is what its name says: `createRpc.ts` exports `createRpc`. */
const exports: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/cli/'))
    .flatMap(({ path, text }) => {
      const file = path.split('/').at(-1)?.replace(/\.ts$/, '') ?? ''
      const exported = [
        ...text.matchAll(/^export\s+(?:async\s+)?(?:function|const|class)\s+(\w+)/gm),
      ].map(([, name = '']) => name)
      // A noun may hold several (core/price.ts); one alone gives the file its name.
      const [only] = exported
      if (exported.length !== 1 || only === undefined || nouns.includes(file)) return []
      if (only.toLowerCase().includes(file.toLowerCase())) return []
      return [`${path}: exports only ${only} — name the file ${only}.ts.`]
    })

/** The template brings a test for Node's own runner. */
const isStrategyFile = (path: string) =>
  path.startsWith('strategies/') && !path.endsWith('.test.ts')

/**
 * What a plug-in may not touch: it decides from its context and nothing else.
 * `new Date(slot)` stays: printing an instant it was given asks nobody for the time.
 */
const strategyWords = banned({
  pattern:
    /\b(?:process|fetch|globalThis|global|require|eval|Function|performance|crypto|console|Buffer|navigator|WebSocket|EventSource|BroadcastChannel|XMLHttpRequest|Worker|WebAssembly|SharedArrayBuffer|Atomics|WeakRef|FinalizationRegistry|queueMicrotask|set(?:Timeout|Interval|Immediate))\b|(?<!\bnew\s+)\bDate\b|\bDate\b(?!\s*\(\s*[^)\s])|\bMath\s*\.\s*random\b|\bimport\s*(?:\(|\.\s*meta)/,
  where: isStrategyFile,
  instead: 'a strategy decides from its context alone: ask for it in params, watch or the context.',
})

const strategyImports: Rule = (sources) =>
  sources
    .filter(({ path }) => isStrategyFile(path))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ target }) => target !== '#strategy')
        .map(
          ({ target }) =>
            `${source.path} -> ${target} — a strategy imports #strategy only; what it needs belongs there.`,
        ),
    )

/** A machine that is slow fails nothing: what a test would measure in time it counts, and figures are of bench/. */
const stopwatch = banned({
  pattern:
    /\bperformance\s*\.\s*now\b|\bhrtime\b|\bDate\s*\.\s*now\s*\(\s*\)\s*-\s*(?:be(?:fore|g[au]n)|since|start)/,
  where: (path) => path.startsWith('test/') && path.endsWith('.test.ts'),
  instead: 'count the work, hold the deadline (test/support/heldDeadlines.ts) or move the clock.',
})

/** The folder that a run is given has other people's files in it. */
const sharedModes = banned({
  pattern: /\bl?ch(?:mod|own)(?:Sync)?\s*\(\s*(?:tmpdir|homedir|parent|machine)\b/,
  where: (path) => !path.startsWith('src/'),
  instead: 'make a folder of your own in it (mkdtempSync), and change that one.',
})

/** Every rule by the name of its test. */
export const rules = {
  'imports go the allowed way': folders,
  'a stage never imports another stage': stages,
  'the life of a swap is handed its stages': life,
  'what the stages share imports none of them': vocabulary,
  'only its own stage brands a value': brands,
  'only config reads the environment': environment,
  'time comes from the clock': time,
  'nothing lets an endpoint fill in a transaction': sends,
  'only broadcast sends': broadcasts,
  'only sign holds a key': keys,
  'paper, tapes, dry runs and plans lead to no key and no network': pretending,
  'no list of chains': chainLists,
  'no enums': enums,
  'no utils, no managers, no barrels': names,
  'a file is named after what it exports': exports,
  'a strategy imports #strategy only': strategyImports,
  'a strategy is pure': strategyWords,
  'a test measures no time': stopwatch,
  'nothing changes who may enter a shared folder': sharedModes,
} as const satisfies Readonly<Record<string, Rule>>
