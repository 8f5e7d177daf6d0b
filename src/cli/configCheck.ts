import { callWith } from '../app/calls.ts'
import { isWitnessed, withoutBand } from '../app/livePrices.ts'
import { contradictionsIn, looseLimits } from '../app/policyDoubts.ts'
import {
  appraiseByBands,
  halfWeighed,
  type StrategyRefusal,
  screenStrategy,
} from '../app/screenStrategies.ts'
import { strategyDoubts } from '../app/strategyDoubts.ts'
import { tokenDoubts } from '../app/tokenDoubts.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { checkStrategies, loadStrategies } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { doubtfulNames } from '../config/file/variables.ts'
import { loadConfig } from '../config/loadConfig.ts'
import type { WalletConfig } from '../config/wallet.ts'
import { show } from '../core/amount.ts'
import { bareRefusal } from '../core/check.ts'
import { withoutCredentials } from '../core/secret.ts'
import { table } from '../core/textLayout.ts'
import { isNative } from '../core/token.ts'
import { defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'

export const configCheck = defineCommand({
  name: 'check',
  summary: 'reads the configuration and every strategy, and says what they come to',
  example: 'ballast config check --config ballast.yaml',
  isForEach: () => true,
  async run({ configFile, environment, cwd, clock, wallet }) {
    const names = new Set<string>()
    const config = loadConfig({
      ...{ file: configFile, environment, cwd, wallet },
      onLookUp: (name) => names.add(name),
      problemsOf: (parts) => checkStrategies(parts).problems,
    })
    const strategies = await loadStrategies(config)
    const appraise = appraiseByBands(config, clock)
    const refused: StrategyRefusal[] = []
    for (const loaded of strategies)
      refused.push(...(await screenStrategy({ config, appraise, clock }, loaded)))
    const halves = strategies.flatMap((loaded) => {
      const half = halfWeighed(loaded, config.tokens)
      // Money of the other form that only pays for gas is no mistake; doctor sees how much there is.
      return half === undefined || isNative(half.left) ? [] : [`${loaded.name}: ${half.sentence}`]
    })
    const warnings = [
      ...doubtfulNames({ file: config.file, cwd }, names),
      ...tokenDoubts(config),
      ...contradictionsIn(config),
      ...looseLimits(config),
      ...halves,
      ...strategyDoubts(strategies, { policy: config.policy, now: clock.now() }),
    ]
    return { checked: config, strategies, refused, warnings }
  },
  text({ checked, strategies, refused, warnings }, { configFile, terminal }) {
    const { file, chain, service, wallet, tokens, policy } = checked
    const node = withoutCredentials(chain.rpcUrl.reveal())
    return [
      table(
        [
          ['file', file],
          ['chain', `${chain.name} (${chain.chainId}) at ${node}`],
          ['service', withoutCredentials(service.url.reveal())],
          ['journal', journalName(checked.database)],
          ['wallet', `${wallet.name} ${wallet.address}, ${signedBy(wallet)}`],
          ['tokens', [...tokens.bySymbol.keys()].join(', ')],
          ['per swap', policy.perSwap.map(show).join(', ') || 'nothing may be sold'],
          ['per day', policy.perDay.map(show).join(', ') || 'nothing may be sold'],
          ['references', referencesText(policy.references.length)],
          ['prices', pricesText(checked)],
          ...strategies.map(({ name, strategy }) => ['strategy', `${name}: ${strategy.summary}`]),
          ...(strategies.length === 0 ? [['strategies', 'none']] : []),
          ...refused.map(({ name, sentence }) => ['refused', `${name}: ${bareRefusal(sentence)}`]),
          ...warnings.map((sentence) => ['warning', sentence]),
        ],
        terminal.columns,
      ),
      '',
      `The file can be read; no endpoint was called: ${callWith(configFile, 'ballast doctor')} does that.`,
      nextStep({ strategies, refused }, configFile),
    ].join('\n')
  },
  exitCode: ({ refused }) => (refused.length === 0 ? exitCodes.done : exitCodes.usage),
  document: ({ checked: { file, chain, wallet, tokens }, strategies, refused, warnings }) => ({
    ok: refused.length === 0,
    file,
    chain: { name: chain.name, chainId: chain.chainId },
    wallet: {
      name: wallet.name,
      address: wallet.address,
      signer: wallet.signer.kind,
      key: wallet.key !== undefined,
    },
    tokens: [...tokens.bySymbol.keys()],
    strategies: strategies.map(({ name, strategy }) => ({ name, use: strategy.name })),
    refused,
    warnings,
  }),
})

function nextStep(
  { strategies, refused }: { strategies: readonly unknown[]; refused: readonly StrategyRefusal[] },
  configFile: string,
): string {
  if (refused.length > 0)
    return `Next: correct what is refused above, then ${callWith(configFile, 'ballast config check')}`
  return strategies.length === 0
    ? 'Next: add a strategy; ballast config init --list names what there is'
    : `Next: ${callWith(configFile, 'ballast plan')}`
}

/** Legal and useless: the file is for reading until a person adds one. */
const referencesText = (count: number): string =>
  count === 0 ? 'none: nothing is swapped until policy.references lists a price' : String(count)

function pricesText(config: Config): string {
  if (isWitnessed(config)) return 'from two endpoints that must agree'
  const open = withoutBand(config, config.policy.tokens).map(({ symbol }) => symbol)
  return open.length === 0
    ? 'from one endpoint, within policy.bands'
    : `from one endpoint, and no band for ${open.join(', ')}: live swaps need chain.witness, policy.bands or a price that a person wrote`
}

function signedBy({ key, signer }: WalletConfig): string {
  if (signer.kind !== 'environment') return `signed for by ${signer.kind}`
  return key === undefined ? 'no key: dry-run and paper only' : 'with a key'
}
