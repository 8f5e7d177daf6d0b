import { holdJournal } from '../bot/journal/holdJournal.ts'
import { openPaperJournal, type PaperJournal } from '../bot/journal/openPaperJournal.ts'
import { checkIntegrity } from '../bot/journal/store/checkIntegrity.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { drivePaper, resumePaper } from '../bot/life/drivePaper.ts'
import { createPaperFund } from '../bot/paper/createPaperFund.ts'
import { createVirtualRpc } from '../bot/paper/createVirtualRpc.ts'
import { findSlots } from '../bot/paper/findSlots.ts'
import type { WalletSlots } from '../bot/paper/overrideCall.ts'
import { erc20Abi } from '../chain/abi/contracts.ts'
import { getBalance } from '../chain/calls/account.ts'
import { readContract } from '../chain/calls/readContract.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import type { Amount } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { isNative } from '../core/token.ts'
import type { Backend } from '../engine/backend.ts'
import type { OpenMarket } from '../engine/market.ts'
import { callWith, runCall } from './calls.ts'
import { moneyText } from './paperMoney.ts'
import { readingStages, simulationAgeMsMax } from './readingStages.ts'

type Opening = {
  /** With the journal of runs on paper. */
  readonly config: Config
  /** The real one. */
  readonly market: OpenMarket
  readonly clock: Clock
  /** What the first run begins with; what the wallet holds, without it. */
  readonly balances: readonly Amount[] | undefined
}

/** What a person must know to read the figures. */
const assumptions = [
  'PAPER: no key is read, nothing is signed and nothing is sent.',
  'PAPER: fills at verified firm quotes that survive the simulation, at what it delivered, at once.',
  'PAPER: gas is what it used, at the price of that block. The market does not feel these swaps.',
]

/** The same market and stages with virtual money, and books that no chain ever hears of. */
export async function openPaper({ config, market, clock, balances }: Opening): Promise<Backend> {
  const { chain, wallet, database, haltFile, tokens, service } = config
  const owner = { chainId: chain.chainId, wallet: wallet.address }
  const hold = await holdJournal({ database, ...owner, clock })
  const integrity = await attempt(async () => checkIntegrity(database), [hold.release])
  const { fence } = hold
  const journal = await attempt(
    () => openPaperJournal({ database, haltFile, clock, coin: tokens, fence }),
    [integrity.stop, hold.release],
  )
  const close = async () => {
    await integrity.stop()
    await journal.shut()
    await hold.release()
  }
  return attempt(async () => {
    await journal.locks.assertUnchanged()
    await journal.log.assertConsistent()
    const begun = (await journal.paper.balances(owner)).length > 0
    const held = await holdingsOf(config, market.rpc)
    await journal.paper.open({ ...owner, held, given: balances })
    const listed = [...tokens.bySymbol.values()].filter((token) => !isNative(token))
    const slots = await findSlots(market.rpc, {
      wallet: wallet.address,
      router: service.router,
      tokens: listed,
    })
    const virtual = virtualMarket({ config, market, journal, slots })
    const spending = { spent: journal.limits.spent, quoteSeen: journal.swaps.quoteSeen }
    const money = () => journal.paper.money(owner)
    const trainFor = (current: Config) => {
      const reading = readingStages({ config: current, market: virtual, spending, clock })
      const fund = createPaperFund(reading.fund, { rpc: market.rpc, slots, money })
      const staleMs = simulationAgeMsMax(config)
      return { reading: { ...reading, fund }, journal, clock, simulationAgeMsMax: staleMs }
    }
    const hidden = listed.filter(({ address }) => !slots.balances.has(address.toLowerCase()))
    const now = () => journal.paper.balances(owner).then((all) => moneyText(all, config))
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
      whole: integrity.whole,
      // No chain has these swaps: the books are held to themselves alone, at every look.
      compare: async () => {},
      opening: [
        ...assumptions,
        `PAPER: ${begun ? 'goes on' : 'begins'} with ${await now()} · ${journalName(database)}`,
      ],
      closing: async (configFile: string) => [
        `PAPER: ends with ${await now()}`,
        `PAPER: what came of it: ${callWith(configFile, 'ballast report --paper')}`,
        `PAPER: the same without --paper trades for real: ${runCall(configFile)}`,
      ],
      close,
    }
  }, [close])
}

/** What the chain says, with virtual money in the wallet; and nobody who would take signed bytes. */
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
    createVirtualRpc({ rpc, wallet: address, router: service.router, slots, money })
  const { witness } = market
  return {
    ...market,
    rpc: bent(market.rpc),
    senders: [],
    witness: witness && { ...witness, rpc: bent(witness.rpc) },
  }
}

/** Undoes what was opened before where the next step fails. */
async function attempt<result>(
  work: () => Promise<result>,
  undo: readonly (() => Promise<void>)[],
): Promise<result> {
  try {
    return await work()
  } catch (error) {
    for (const step of undo) await step()
    throw error
  }
}

/** What the wallet really holds of each configured token. Throws where the node leaves one out. */
async function holdingsOf(
  { tokens, wallet }: Pick<Config, 'tokens' | 'wallet'>,
  rpc: Rpc,
): Promise<readonly Amount[]> {
  const listed = [...tokens.bySymbol.values()]
  const outcomes = await rpc.batch(
    listed.map((token) =>
      isNative(token)
        ? getBalance(wallet.address)
        : readContract({
            address: token.address,
            abi: erc20Abi,
            functionName: 'balanceOf',
            args: [wallet.address],
          }),
    ),
  )
  return listed.map((token, index) => {
    const outcome = outcomes[index]
    if (outcome?.ok === true) return { token, wei: outcome.value }
    throw outcome?.error ?? new Error(`a batch left out the balance of ${token.symbol}`)
  })
}
