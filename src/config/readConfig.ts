import { asWritten } from '../core/display.ts'
import { ballastError } from '../core/errors.ts'
import { invalidConfig } from '../core/invalidConfig.ts'
import { didYouMean } from '../core/nearest.ts'
import type { Path, Problem } from '../core/problem.ts'
import { secret } from '../core/secret.ts'
import { checkConfig } from './checkConfig.ts'
import { ballastFile, ballastForm, ballastKeys, type Config, configOf, strategy } from './config.ts'
import { readDashboard, readDashboardTokens } from './dashboard.ts'
import { configHash, type Effective } from './effective.ts'
import { findSecrets } from './file/findSecrets.ts'
import { mainnetChainIds } from './file/mainnetChainIds.ts'
import { type FileSource, type OpenFile, openFile, wholeFile } from './file/openFile.ts'
import { isSection, textAt, valueAt } from './file/overrides.ts'
import { findPlainHttp } from './file/plainHttp.ts'
import { keyOf } from './file/privateKeys.ts'
import { keysIn, readWith, withDefaults } from './file/schemaTree.ts'
import { chainCount, type Selected, selectWallet, walletNames } from './file/selectWallet.ts'
import { defaultStateFolder } from './file/stateFolder.ts'
import {
  firstOf,
  type LookUp,
  nameInVariable,
  showVariable,
  type Variable,
} from './file/variables.ts'
import { readChannels } from './readChannels.ts'
import { readTokens } from './tokens.ts'

/** Where a configuration comes from, and how much of it is wanted. */
export type ConfigSource = FileSource & {
  /**
   * The part that the caller needs; everything, without it. `journal` gets addresses that lead nowhere, so that a wrong
   * address or key does not stop it, and like `chain` no secret at all. `market` gets all that quotes need, and no secret
   * of the wallet. `deployment` gets no quoting service: its keys are what a deployment prints.
   */
  readonly needs?: 'everything' | 'market' | 'chain' | 'journal' | 'deployment'
  /** The text of the file, where the caller has read it already. */
  readonly text?: string
  /** The name of one of the wallets of the file, where it has several. Throws WALLET_NOT_NAMED where none is given then. */
  readonly wallet?: string | undefined
  /** More problems of the strategies, reported with the rest. Called where the tokens are right. */
  readonly problemsOf?: (
    parts: Pick<Config, 'file' | 'tokens' | 'strategies'>,
  ) => readonly Problem[]
}

/** A configuration with what `ballast config show` explains it by. */
export type ReadConfig = {
  readonly config: Config
  /** Holds URLs with their keys. */
  readonly text: Effective
  /** Which source decided a key: `default`, `file`, or a variable. */
  readonly originOf: (path: Path) => 'default' | 'file' | Variable
  /** The variables that hold secrets, where set. */
  readonly secrets: {
    readonly apiKey: Variable | undefined
    readonly key: Variable | undefined
    /** A path, and no secret itself. */
    readonly passwordFile: Variable | undefined
    readonly operator: Variable | undefined
    readonly viewer: Variable | undefined
    /** Those of the channels and of the heartbeat. */
    readonly alerts: readonly Variable[]
  }
}

/** Reads the file and the environment. Throws every problem at once, as CONFIG_INVALID. */
export function readConfig(source: ConfigSource): ReadConfig {
  const { cwd, needs = 'everything', problemsOf = () => [] } = source
  const file = openFile(source, {
    form: ballastForm,
    init: "'ballast config init' writes one",
    ...(source.text !== undefined && { text: source.text }),
    // The journal alone needs no address but its own; the address of one chain is not that of another.
    counts: (variable, written) =>
      (needs !== 'journal' || variable === 'DATABASE_URL') &&
      (chainCount(written) < 2 || !ofOneChain.has(variable)),
    select: (written) => selected(written, source.wallet),
  })
  const { raw } = file
  if (needs === 'journal') leadNowhere(raw)
  if (needs === 'deployment') forgetService(raw)
  const parts = isSection(raw) ? raw : {}
  const { lines, secrets, dashboardTokens, channels, heartbeat, ...held } = readSecrets(parts, {
    file,
    needs,
    cwd,
  })
  const door = opensDashboard(needs)
    ? readDashboard(parts.dashboard, { tokens: dashboardTokens, beside: file.beside, cwd })
    : { tls: undefined, problems: [] }

  const tokens = readTokens(parts)
  const dashboard = { tokens: dashboardTokens, tls: door.tls }
  const stateFolder = defaultStateFolder(source.environment)
  const keys = ballastKeys({ tokens, beside: file.beside, stateFolder, dashboard, ...held })
  const { value, problems } = readWith(ballastFile(keys), raw)
  const isFleet = walletNames(file.whole) !== undefined
  const said = file.lines([
    ...(isFleet && value?.database.dialect === 'sqlite' ? [needsServer] : []),
    ...findSecrets(file.written),
    // A parameter of a strategy is its own; a reader of the journal calls no address.
    ...(needs === 'journal' || !isSection(raw)
      ? []
      : findPlainHttp({ ...raw, strategies: undefined })),
    ...problems,
    ...(isSection(raw) ? checkConfig(raw, { keys, tokens }) : []),
    ...door.problems,
    ...(tokens === undefined || !Array.isArray(parts.strategies)
      ? []
      : problemsOf({
          file: file.path,
          tokens,
          strategies: rightStrategies(parts.strategies),
        })),
  ])
  if (said.length + lines.length > 0 || value === undefined || tokens === undefined)
    throw invalidConfig([...said, ...lines])

  const text = withDefaults(ballastForm, raw) as Effective
  return {
    config: configOf(value, {
      file: file.path,
      locate: file.locate,
      hash: configHash(text),
      tokens,
      ...{ channels, heartbeat, isFleet },
    }),
    text,
    originOf: (at) =>
      file.origin(at) ?? (valueAt(file.written, at) === undefined ? 'default' : 'file'),
    secrets,
  }
}

/** The part of the file that is read: all of it, or what one of its wallets reads. */
function selected(written: unknown, wallet: string | undefined): Selected {
  const names = walletNames(written)
  const known = names ?? [textAt(written, ['wallet', 'name'])].filter((name) => name !== undefined)
  const isKnown = wallet === undefined ? names === undefined : known.includes(wallet)
  if (!isKnown && known.length > 0)
    throw ballastError(
      'WALLET_NOT_NAMED',
      wallet === undefined
        ? `The configuration has several wallets: name one with --wallet (${known.join(', ')}).`
        : `The configuration has no wallet ${asWritten(wallet)}.${didYouMean(wallet, known)}`,
      { known: known.join(', ') },
    )
  return names === undefined ? wholeFile(written) : selectWallet(written, wallet ?? '')
}

/** Variables that name something of one chain. In a file with several chains each is set by the name of its chain. */
const ofOneChain: ReadonlySet<string> = new Set([
  ...['RPC_URL', 'WITNESS_RPC_URL', 'FALLBACK_RPC_URLS', 'ALSO_SEND_TO', 'SEND_TO'],
  ...['QUOTE_API_URL', 'QUOTE_API_KEY'],
])

/** A line for each variable that would be of one chain, and nobody knows of which. */
function ofUnknownChain(file: OpenFile, cwd: string): readonly string[] {
  if (chainCount(file.whole) < 2) return []
  return [...ofOneChain].flatMap((name) => {
    const variable = file.lookUp(name)
    return variable === undefined
      ? []
      : [
          `${showVariable(variable, cwd)}: is of one chain, and the file has several: name the chain too, as ${name}_<CHAIN>.`,
        ]
  })
}

const needsServer: Problem = {
  path: ['database'],
  sentence:
    'is a file, and a file serves one process: several wallets need postgres://user@host/database, or DATABASE_URL.',
}

/** A command that needs less opens no dashboard, and calls no service with a key. */
const opensDashboard = (needs: ConfigSource['needs'] = 'everything') =>
  needs === 'everything' || needs === 'market'

/** A reader of the journal calls no address: a wrong one, or one that only the bot's environment has, is no obstacle. */
function leadNowhere(raw: unknown): void {
  for (const path of [
    ['chain', 'rpcUrl'],
    ['chain', 'witness', 'rpcUrl'],
    ['service', 'url'],
  ]) {
    const section = valueAt(raw, path.slice(0, -1))
    if (isSection(section)) section[path.at(-1) ?? ''] = `http://${path[path.length - 2]}.invalid`
  }
  const chain = valueAt(raw, ['chain'])
  if (!isSection(chain)) return
  delete chain.alsoSendTo
  delete chain.sendTo
  delete chain.publicAfter
  delete chain.fallbackUrls
}

/** Before the router is there, the section says `FILL IN`, or is not there at all. A deployment reads none of it. */
function forgetService(raw: unknown): void {
  const nobody = `0x${'1'.repeat(40)}`
  const contracts = { router: nobody, routerCodeHash: `0x${'0'.repeat(64)}`, executor: nobody }
  const service = { url: 'https://service.invalid', ...contracts, feeSigner: nobody, makers: [] }
  if (isSection(raw)) raw.service = service
}

/** The secrets that the caller needs, from the environment, and their problems. */
function readSecrets(
  raw: Readonly<Record<string, unknown>>,
  { file, needs, cwd }: { file: OpenFile; needs: ConfigSource['needs']; cwd: string },
) {
  const none: LookUp = () => undefined
  const ofService = opensDashboard(needs) ? file.lookUp : none
  const ofWallet = needs === 'everything' || needs === 'deployment' ? file.lookUp : none
  const dashboard = readDashboardTokens(ofService, cwd)
  const alerts = readChannels(ofWallet, cwd)
  const asked = ofService !== none || ofWallet !== none
  const lines = [
    ...(asked ? [...file.exposed(), ...ofUnknownChain(file, cwd)] : []),
    ...dashboard.lines,
    ...alerts.lines,
  ]

  const chain = nameInVariable(textAt(raw, ['chain', 'name']) ?? '')
  const apiKeys = [`QUOTE_API_KEY_${chain}`, 'QUOTE_API_KEY']
  const api = firstOf(apiKeys, ofService)
  const apiKey = api === undefined ? undefined : secret(api.value.trim())
  if (api !== undefined && !/^[\x21-\x7e]{1,512}$/.test(api.value.trim()))
    lines.push(
      `${showVariable(api, cwd)}: holds characters no key has, such as spaces: set the key alone (its value is not shown).`,
    )

  const wallet = nameInVariable(textAt(raw, ['wallet', 'name']) ?? '')
  // The key of one wallet is no other's.
  const bare = walletNames(file.whole) === undefined ? ['WALLET_KEY'] : []
  const plain = firstOf([`WALLET_KEY_${wallet}`, ...bare], ofWallet)
  const read = plain && keyOf(plain, { name: plain.name, cwd })
  if (read?.problem !== undefined) lines.push(read.problem)
  if (plain !== undefined) lines.push(...misplaced(plain, { raw, cwd }))

  const password = firstOf([`WALLET_PASSWORD_FILE_${wallet}`, 'WALLET_PASSWORD_FILE'], ofWallet)
  return {
    apiKey,
    key: read?.key,
    passwordFile: password && file.beside(password.value),
    dashboardTokens: dashboard.tokens,
    ...{ channels: alerts.channels, heartbeat: alerts.heartbeat },
    lines,
    secrets: {
      ...{ apiKey: api, key: plain, passwordFile: password, alerts: alerts.variables },
      ...dashboard.variables,
    },
  }
}

/** Objections to a plain key: to its place, to its chain, and beside another signer. */
function misplaced(
  key: Variable,
  { raw, cwd }: { raw: Readonly<Record<string, unknown>>; cwd: string },
): readonly string[] {
  const shown = showVariable(key, cwd)
  const chainId = textAt(raw, ['chain', 'chainId'])
  const kind = textAt(raw, ['wallet', 'signer', 'kind']) ?? 'environment'
  return [
    ...(mainnetChainIds.has(Number(chainId))
      ? [
          `${shown}: a plain key is for development, and chain ${chainId} is a main network: remove the variable.`,
        ]
      : []),
    ...(kind === 'environment'
      ? []
      : [
          `${shown}: a plain key lies here, but wallet.signer is ${kind}: remove the variable, or the section.`,
        ]),
  ]
}

/** The entries of `strategies:` that are right so far, wherever else the file is wrong. */
function rightStrategies(entries: readonly unknown[]): Config['strategies'] {
  return entries.flatMap((written, index) => {
    // An unknown key of an entry is reported by itself.
    const known = isSection(written)
      ? Object.fromEntries(Object.entries(written).filter(([name]) => name in keysIn(strategy)))
      : written
    const { value } = readWith(strategy, known)
    return value === undefined ? [] : [{ ...value, path: ['strategies', index, 'params'] as const }]
  })
}
