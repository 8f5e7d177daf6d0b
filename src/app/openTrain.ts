import { broadcast } from '../bot/broadcast/broadcast.ts'
import { measure } from '../bot/confirm/measure.ts'
import { observe } from '../bot/confirm/observe.ts'
import type { Hold } from '../bot/journal/holdJournal.ts'
import { type Journal, openJournal } from '../bot/journal/openJournal.ts'
import type { Integrity } from '../bot/journal/store/checkIntegrity.ts'
import type { Drivetrain } from '../bot/life/train.ts'
import { createInspect } from '../bot/policy/createInspect.ts'
import { createSigner, type Signer } from '../bot/sign/createSigner.ts'
import type { Journaled } from '../bot/stages.ts'
import type { EndpointAnswer } from '../bot/verdict.ts'
import { getTransactionCount } from '../chain/calls/account.ts'
import { estimateGas } from '../chain/calls/node.ts'
import { type RpcOutcome, RpcRefused } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import type { OpenMarket } from '../engine/market.ts'
import { signWith } from './checkpoints.ts'
import { openHeldJournal } from './openHeldJournal.ts'
import { openKeyHolder } from './openKeyHolder.ts'
import { readFees } from './readFees.ts'
import { readingStages, simulationAgeMsMax } from './readingStages.ts'

/** Twice in the shortest block time in use; a batch costs about a millisecond. */
const pollMs = 500

type Live = {
  readonly config: Config
  readonly market: OpenMarket
  readonly clock: Clock
  readonly onTrouble: Drivetrain['onTrouble']
}

type OpenTrain = {
  readonly train: Drivetrain
  /** The same under the rules of another reading of the configuration. */
  readonly trainFor: (config: Config) => Drivetrain
  readonly journal: Journal
  /** Awaited before anything new is planned; what is signed need not wait for it. */
  readonly whole: Integrity['whole']
  /** Signs what an archive of the journal is known by. */
  readonly signCheckpoint: ReturnType<typeof signWith>
  close(): Promise<void>
}

/** Everything a live swap needs, with journal and wallet locked for this process. */
export async function openTrain(live: Live): Promise<OpenTrain> {
  const { config, clock } = live
  const { wallet, database, stateFolder, haltFile, tokens: coin, treasury } = config
  await using opened = new AsyncDisposableStack()
  const holder = opened.adopt(await openKeyHolder(wallet), (one) => one.close?.())
  const signer = createSigner(holder, wallet.address)
  const { archives } = config.journal
  const open = (fence: Hold['fence']) =>
    openJournal({ database, haltFile, clock, coin, fence, archives, treasury })
  const { journal, whole } = await openHeldJournal({ config, stateFolder, clock, open }, opened)
  const late = opened.adopt(createLateNotes(journal, live.onTrouble), (one) => one.close())
  const trainFor = (current: Config) => createTrain(live, { current, signer, journal, late })
  const owned = opened.move()
  return {
    train: trainFor(config),
    trainFor,
    journal,
    whole,
    signCheckpoint: signWith(config, holder),
    close: () => owned.disposeAsync(),
  }
}

type Parts = {
  readonly signer: Signer
  readonly journal: Journal
  readonly late: ReturnType<typeof createLateNotes>
}

/**
 * Writes down what endpoints say after an offer had its answer, beside the life of the swap and never in its way. A
 * process that ends awaits what is being written, not what endpoints may still say.
 */
function createLateNotes(journal: Journal, onTrouble: Tell) {
  let isOpen = true
  const writing = new Set<Promise<void>>()
  return {
    note({ swapId, hash }: Journaled, answers: readonly EndpointAnswer[]): void {
      if (!isOpen) return
      const written = journal.attempts
        .noteAnswers({ swapId, hash, answers })
        .catch((error: unknown) => onTrouble(swapId, error))
        .finally(() => writing.delete(written))
      writing.add(written)
    },
    async close(): Promise<void> {
      isOpen = false
      await Promise.all(writing)
    },
  }
}

/** A train under the rules of one reading of the configuration. */
function createTrain(
  { config, market, clock, onTrouble }: Live,
  { current, signer, journal, late }: Parts & { readonly current: Config },
): Drivetrain {
  const { chain, wallet, service, tokens } = config
  const { rpc, senders, publicSenders, witness } = market
  const { router } = service
  const { policy } = current
  const { gasPriceMax } = policy
  const depth = { confirmations: chain.confirmations }
  const owner = { chainId: chain.chainId, wallet: wallet.address }
  const spending = { spent: journal.limits.spent, quoteSeen: journal.swaps.quoteSeen }
  return {
    reading: readingStages({
      ...{ config: current, market, spending, clock },
      nextNonce: async () => (await journal.wallet.state(owner))?.nextNonce,
    }),
    signer,
    inspect: createInspect({
      ...{ policy, spending, router, gasPriceMax, clock },
      tokens: [...tokens.bySymbol.values()],
      wrapped: tokens.wrapped,
    }),
    journal,
    chainId: chain.chainId,
    confirmations: chain.confirmations,
    clock,
    pollMs,
    simulationAgeMsMax: simulationAgeMsMax(config),
    broadcast: (journaled, published = false) =>
      broadcast(
        {
          endpoints: published ? [...senders, ...publicSenders] : senders,
          isPrivate: chain.sendTo.length > 0 && !published,
          onContradiction: (error) => onTrouble(journaled.swapId, error),
          onLateAnswers: (answers) => late.note(journaled, answers),
        },
        journaled,
      ),
    publicly:
      publicSenders.length === 0 || chain.publicAfterMs === undefined
        ? undefined
        : {
            afterMs: chain.publicAfterMs,
            to: publicSenders.map(({ label }) => label),
            blockTimeMs: chain.blockTimeMs,
          },
    observe: (watched) => observe(rpc, watched, depth),
    witness: witness && ((watched) => observe(witness.rpc, watched, depth)),
    measure: ({ plan, router, authorization }, receipt) => {
      assert(router !== undefined, 'a mined swap was quoted')
      return measure(rpc, {
        ...{ receipt, router, authorization, wallet: plan.wallet, recipient: plan.recipient },
        sell: plan.intent.sell.token,
        buy: plan.intent.buy,
        planned: plan.intent.sell.wei,
        rounding: tokens.rounding,
      })
    },
    async fees(gas) {
      const nonce = rpc.request(getTransactionCount(wallet.address))
      const [fees, next] = await Promise.all([readFees({ ...market, clock }, policy), nonce])
      return { gas, nonce: next, ...fees }
    },
    async gasOf(call, usual) {
      const [claim] = await rpc.batch([estimateGas({ ...call, from: wallet.address })])
      return gasWithin(claim, { usual, gasMax: policy.gasMax })
    },
    gasPriceMax,
    onTrouble,
  }
}

/** The node's claim, with room and within the policy; where it refuses, or claims less, the cost on nearly every chain. */
function gasWithin(
  claim: RpcOutcome<bigint>,
  { usual, gasMax }: { usual: bigint; gasMax: bigint },
): bigint {
  if (!claim.ok && !(claim.error instanceof RpcRefused)) throw claim.error
  if (!claim.ok || claim.value <= usual) return usual
  const withRoom = (claim.value * 5n) / 4n
  return withRoom < gasMax ? withRoom : gasMax
}

type Tell = (swapId: string, error: unknown) => void

/** Passes trouble on when it is news: a swap is looked at twice a second, and an endpoint may be away for an hour. */
export function onceEach(tell: Tell): Tell {
  let last = ''
  return (swapId, error) => {
    const news = `${swapId} ${error instanceof BallastError ? error.code : String(error)}`
    if (news !== last) tell(swapId, error)
    last = news
  }
}

/** Its sentence with its code, and its facts. */
const troubleText = (error: unknown): string =>
  error instanceof BallastError
    ? error.message.replace(error.summary, `${error.summary} (${error.code})`)
    : String(error)

/** Notes for a person about a swap under way, each once. */
export const troubleNotes = (note: (line: string) => void): Tell =>
  onceEach((swapId, error) => note(`swap ${swapId}: ${troubleText(error)}`))
