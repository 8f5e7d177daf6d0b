import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { Amount } from '../core/amount.ts'
import { deepFreeze } from '../core/deepFreeze.ts'
import { asWritten } from '../core/display.ts'
import type { Secret } from '../core/secret.ts'
import { sameAddress, usdAddress } from '../core/token.ts'
import { schemaOfWallet } from '../core/walletSchema.ts'
import { alertsSection } from './alerts.ts'
import { breakersSection } from './breakers.ts'
import { chainSection } from './chain.ts'
import { type DashboardGuards, dashboardSection } from './dashboard.ts'
import { database } from './database.ts'
import { filePath, integer, logLevel, slug } from './file/codecs.ts'
import { key, list, liveKey, matching, section, variableKey, wrongKind } from './file/field.ts'
import { journalSection } from './journal.ts'
import { policySection } from './policy.ts'
import { quoteSection, serviceSection } from './quoteService.ts'
import type { Channels } from './readChannels.ts'
import { type Tokens, tokenCodecs, tokensSection } from './tokens.ts'
import { walletSection } from './wallet.ts'

/** The context of a file: its own tokens, its place, and the secrets that are not in it. */
type Context = {
  /** Undefined where they are not right: no name of a token is looked up then. */
  readonly tokens: Tokens | undefined
  /** Makes a path of the file absolute. */
  readonly beside: (name: string) => string
  readonly apiKey: Secret | undefined
  readonly key: Secret | undefined
  readonly passwordFile: string | undefined
  /** Where the file names none. */
  readonly stateFolder: string
  readonly dashboard: DashboardGuards
}

/** A name, or a path that says so at its beginning and is one of a module at its end. */
export const strategyUse = /^(?:[a-z][a-z0-9-]{0,63}|\.{0,2}\/[^\p{Cc}]{0,1000}[^/\p{Cc}]\.[jt]s)$/u

/** An entry of `strategies:`. */
export const strategy = section(
  {
    name: key(
      slug('sell-strength'),
      'The name of the strategy; unique. The journal and the reports know it by this.',
    ),
    use: key(
      matching(
        strategyUse,
        (text) =>
          `${asWritten(text)} is not a strategy: write the name of a file in strategies/ without .ts, such as 'threshold', or the path of a file of yours, such as './buy-low/strategy.ts'.`,
        {
          example: 'threshold',
          form: 'A file in strategies/, without .ts; or the path of another, relative to this file: ./, ../ or / and at its end .ts or .js.',
        },
      ),
      "What it does; 'ballast config init --list' names the strategies.",
    ),
    params: key(
      z.record(z.string(), z.unknown(), {
        error: ({ input }) => wrongKind(input, '{ sell: 1 WETH, buy: USDC }'),
      }),
      'The parameters of the strategy, read by itself: docs/STRATEGIES.md.',
    ),
    priority: key(
      integer({ min: -1_000, max: 1_000, example: '10' }).prefault('0'),
      'Higher goes first, and does not see what lower ones reserve.',
    ),
  },
  '{ name: sell-strength, use: threshold, params: { … } }',
)

const strategies = list(strategy, '[{ name: …, use: …, params: { … } }]')
  .transform((entries) =>
    entries.map((entry, index) => ({
      ...entry,
      /** Path of `params` in the file, for {@link Config.locate}. */
      path: ['strategies', index, 'params'] as const,
    })),
  )
  .prefault([])

/** `treasury:` — limits over all wallets of the file. */
function treasurySection({ worth }: ReturnType<typeof tokenCodecs>) {
  const dollars = worth('200000 USD').refine(
    (amount) => sameAddress((amount as Amount).token.address, usdAddress),
    { error: "is not in USD, the one unit of every chain: write for example '200000 USD'." },
  )
  return section(
    {
      perHour: key(dollars.optional(), 'In one hour.'),
      perDay: key(dollars.optional(), 'In 24 hours.'),
    },
    '{ perDay: 200000 USD }',
  )
}

const haltFile = matching(/\S/, () => "is empty: write the name of a file, such as 'HALT'.", {
  example: 'HALT',
  form: 'The name of a file.',
})

/** The sections of `ballast.yaml`: each key once, with all that is known of it. */
export function ballastKeys({ tokens, beside, apiKey, key: plainKey, ...held }: Context) {
  const { passwordFile, stateFolder, dashboard } = held
  const codecs = tokenCodecs(tokens)
  return {
    chain: key(chainSection(codecs), 'The chain, and the nodes that serve it.'),
    service: key(
      serviceSection(codecs, { apiKey }),
      'The quoting service, and the limits of trust in it.',
    ),
    tokens: key(tokensSection, 'The tokens that may be named, by their symbol.'),
    wallet: key(
      walletSection({ beside, key: plainKey, passwordFile }),
      'The account that trades, and who signs for it.',
    ),
    quote: key(quoteSection, 'The terms of a firm quote.'),
    policy: key(policySection(codecs), 'What a swap is held to. What is not listed is refused.'),
    treasury: key(
      treasurySection(codecs).optional(),
      'The most that all wallets of a file swap together. Only swaps that are valued count.',
    ),
    breakers: liveKey(
      breakersSection(codecs),
      "When signing stops by itself; 'ballast status' shows why and until when.",
    ),
    alerts: liveKey(alertsSection, 'When people are told; docs/ALERTS.md says of what, and how.'),
    strategies: liveKey(strategies, 'What is swapped, and when.'),
    database: variableKey(
      ['DATABASE_URL'],
      database(beside).prefault('sqlite:./ballast.db'),
      'The journal. An address with a password belongs in the environment.',
    ),
    journal: key(
      journalSection,
      'How long the journal keeps everything; docs/ARCHIVES.md has more.',
    ),
    stateFolder: key(
      filePath('./state', beside)
        .optional()
        .transform((written) => written ?? stateFolder),
      'Locks, one for each wallet that spends. The same folder for all journals of a wallet. Without it, `ballast` in `XDG_STATE_HOME`, or `~/.local/state/ballast`.',
    ),
    haltFile: key(
      haltFile.prefault('HALT'),
      'A file whose existence halts. It lies beside the journal, where that is a file, or beside this file.',
    ),
    dashboard: key(dashboardSection(beside, dashboard), 'The page that shows what the bot does.'),
    logLevel: variableKey(['LOG_LEVEL'], logLevel, 'The least serious line that is logged.'),
  }
}

export const ballastFile = (keys: ReturnType<typeof ballastKeys>) =>
  section(keys, 'chain, service, tokens, wallet and policy')

/** The file without a context: for its keys, its JSON Schema and its effective text. */
export const ballastForm: z.ZodType = ballastFile(
  ballastKeys({
    tokens: undefined,
    beside: (name) => name,
    apiKey: undefined,
    key: undefined,
    passwordFile: undefined,
    stateFolder: '',
    dashboard: { tokens: undefined, tls: undefined },
  }),
)

type Values = z.output<ReturnType<typeof ballastFile>>

/** The one frozen configuration of a process: `ballast.yaml` and the environment, checked. */
export type Config = Omit<Values, 'tokens' | 'database'> & {
  /** Of a wallet of several: in a schema of its own. */
  readonly database: Values['database'] & { readonly schema?: string }
  /** Path of the file it came from. */
  readonly file: string
  /**
   * SHA-256 of the configuration, variables and defaults included, without secrets: by it two of them are told apart. The same
   * values in another order, or with other comments, have the same hash.
   */
  readonly hash: string
  /** `ballast.yaml:12:5` of a key, for messages about it. */
  readonly locate: (path: readonly (string | number)[]) => string
  readonly tokens: Tokens
  /** Whether it is one wallet of a file with several. */
  readonly isFleet: boolean
  /** Who is told what needs attention. */
  readonly channels: Channels
  /** The address of an external dead-man switch. */
  readonly heartbeat: Secret | undefined
}

/** The configuration that the values of a file come to. */
export function configOf(
  { haltFile: name, journal: kept, ...values }: Values,
  about: Pick<Config, 'file' | 'hash' | 'locate' | 'tokens' | 'channels' | 'heartbeat' | 'isFleet'>,
): Config {
  const { chain, wallet } = values
  const database =
    about.isFleet && values.database.dialect === 'postgres'
      ? { ...values.database, schema: schemaOfWallet({ ...chain, ...wallet }) }
      : values.database
  const besideJournal = dirname(database.dialect === 'sqlite' ? database.path : about.file)
  const journal = { ...kept, archives: resolve(besideJournal, kept.archives) }
  return deepFreeze({
    ...values,
    ...about,
    database,
    journal,
    haltFile: resolve(besideJournal, name),
  })
}
