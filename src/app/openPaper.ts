import type { Hold } from '../bot/journal/holdJournal.ts'
import { openPaperJournal, type PaperJournal } from '../bot/journal/openPaperJournal.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { drivePaper, resumePaper } from '../bot/life/drivePaper.ts'
import { createPaperFund } from '../bot/paper/createPaperFund.ts'
import { createVirtualRpc } from '../bot/paper/createVirtualRpc.ts'
import { findSlots } from '../bot/paper/findSlots.ts'
import type { WalletSlots } from '../bot/paper/overrideCall.ts'
import { getBalanceOf } from '../chain/calls/getBalanceOf.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import type { Amount } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { isNative } from '../core/token.ts'
import type { Backend } from '../engine/backend.ts'
import type { OpenMarket } from '../engine/market.ts'
import { assertPresent, placeOf } from './assertTokens.ts'
import { callWith } from './calls.ts'
import { openHeldJournal } from './openHeldJournal.ts'
import { balancesText, moneyText } from './paperMoney.ts'
import { readingStages, simulationAgeMsMax } from './readingStages.ts'

type Opening = {
  /** With the journal of runs on paper. */
  readonly config: Config
  /** The real one. */
  readonly market: OpenMarket
  readonly clock: Clock
  /** The balances at the beginning of the first run; without it, the wallet's own. */
  readonly balances: readonly Amount[] | undefined
}

/** The facts a person must know to read the figures. */
const assumptions = [
  'PAPER: no key is read, nothing is signed and nothing is sent.',
  'PAPER: fills at verified firm quotes that survive the simulation, at what it delivered, at once.',
  'PAPER: gas is what it used, at the price of that block. The market does not feel these swaps.',
]

/** The same market and stages with virtual money, and books that never reach a chain. */
export async function openPaper(opening: Opening): Promise<Backend> {
  const { config, market, clock, balances } = opening
  const { chain, wallet, database, haltFile, tokens, service, treasury } = config
  const owner = { chainId: chain.chainId, wallet: wallet.address }
  assertPresent(await market.absent(), placeOf(config))
  await using opened = new AsyncDisposableStack()
  const open = (fence: Hold['fence']) =>
    openPaperJournal({ database, haltFile, clock, coin: tokens, fence, treasury })
  const { journal, whole } = await openHeldJournal(
    { config, stateFolder: undefined, clock, open },
    opened,
  )
  const begun = (await journal.paper.balances(owner)).length > 0
  const held = await holdingsOf(config, market.rpc)
  await journal.paper.open({ ...owner, held, given: balances })
  const listed = [...tokens.bySymbol.values()].filter((token) => !isNative(token))
  const { router } = service
  const slots = await findSlots(market.rpc, { wallet: wallet.address, router, tokens: listed })
  const virtual = virtualMarket({ config, market, journal, slots })
  const trainFor = createPaperTrains({ ...opening, journal, slots, virtual })
  const hidden = listed.filter(({ address }) => !slots.balances.has(address.toLowerCase()))
  const moneyNow = async () =>
    moneyText(balancesText(await journal.paper.balances(owner), config), config)
  const beginning = `PAPER: ${begun ? 'goes on' : 'begins'} with ${await moneyNow()} · ${journalName(database)}`
  const owned = opened.move()
  return {
    mode: 'paper' as const,
    market: virtual,
    journal,
    driverFor(current) {
      const own = trainFor(current)
      return {
        drive: (planned, signal) => drivePaper(planned, own, signal),
        resume: (swapId) => resumePaper(swapId, own),
      }
    },
    async recover({ onResumed, log }) {
      for (const { symbol } of hidden)
        log.warn(
          `where ${symbol} keeps its balances cannot be told: a swap of it is refused once its balance on paper is not the wallet's own`,
        )
      for (const swapId of await journal.swaps.open()) {
        await resumePaper(swapId, trainFor(config))
        await onResumed(swapId)
      }
    },
    whole,
    // No chain has these swaps: the books are held to themselves alone, at every look.
    compare: async () => {},
    opening: [...assumptions, beginning],
    closing: async (configFile: string) => [
      `PAPER: ends with ${await moneyNow()}`,
      `PAPER: what came of it: ${callWith(configFile, 'ballast report --paper')}`,
      `PAPER: the same without --paper trades for real: ${callWith(configFile, 'ballast run')}`,
    ],
    close: () => owned.disposeAsync(),
  }
}

/** Makes the train of a reading of the configuration: the stages of a live one, over virtual money. */
function createPaperTrains({
  config,
  market,
  clock,
  journal,
  slots,
  virtual,
}: Opening & {
  readonly journal: PaperJournal
  readonly slots: WalletSlots
  readonly virtual: OpenMarket
}) {
  const { chain, wallet } = config
  const spending = { spent: journal.limits.spent, quoteSeen: journal.swaps.quoteSeen }
  const money = () => journal.paper.money({ chainId: chain.chainId, wallet: wallet.address })
  return (current: Config) => {
    const reading = readingStages({
      config: current,
      market: virtual,
      spending,
      clock,
      nextNonce: undefined,
    })
    const fund = createPaperFund(reading.fund, { rpc: market.rpc, slots, money })
    const staleMs = simulationAgeMsMax(config)
    return { reading: { ...reading, fund }, journal, clock, simulationAgeMsMax: staleMs }
  }
}

/** The state of the chain, with virtual money in the wallet; and no party that would take signed bytes. */
function virtualMarket({
  config,
  market,
  journal,
  slots,
}: {
  config: Config
  market: OpenMarket
  journal: PaperJournal
  slots: WalletSlots
}): OpenMarket {
  const { chain, wallet, service } = config
  const { address } = wallet
  const money = () => journal.paper.money({ chainId: chain.chainId, wallet: address })
  const bent = (rpc: Rpc) =>
    createVirtualRpc({
      ...{ rpc, wallet: address, router: service.router, slots, money },
      sentOn: journal.paper.sentOn,
    })
  const { witness } = market
  return {
    ...market,
    rpc: bent(market.rpc),
    senders: [],
    publicSenders: [],
    witness: witness && { ...witness, rpc: bent(witness.rpc) },
  }
}

/** The wallet's real balance of each configured token. Throws where the node leaves one out. */
async function holdingsOf(
  { tokens, wallet }: Pick<Config, 'tokens' | 'wallet'>,
  rpc: Rpc,
): Promise<readonly Amount[]> {
  const listed = [...tokens.bySymbol.values()]
  const outcomes = await rpc.batch(listed.map((token) => getBalanceOf(token, wallet.address)))
  return listed.map((token, index) => {
    const outcome = outcomes[index]
    if (outcome?.ok === true) return { token, wei: outcome.value }
    throw outcome?.error ?? new Error(`a batch left out the balance of ${token.symbol}`)
  })
}
