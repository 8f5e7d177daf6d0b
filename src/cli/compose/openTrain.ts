import { broadcast } from '../../bot/broadcast/broadcast.ts'
import { measure } from '../../bot/confirm/measure.ts'
import { observe } from '../../bot/confirm/observe.ts'
import { type Hold, holdJournal } from '../../bot/journal/holdJournal.ts'
import { type Journal, openJournal } from '../../bot/journal/openJournal.ts'
import { checkIntegrity, type Integrity } from '../../bot/journal/store/checkIntegrity.ts'
import type { Drivetrain } from '../../bot/life/train.ts'
import { createInspect } from '../../bot/policy/createInspect.ts'
import { createSigner, type Signer } from '../../bot/sign/createSigner.ts'
import { estimateSelfTransfer } from '../../chain/calls/estimateSelfTransfer.ts'
import { getBlock } from '../../chain/calls/getBlock.ts'
import { getPriorityFee } from '../../chain/calls/getPriorityFee.ts'
import { getTransactionCount } from '../../chain/calls/getTransactionCount.ts'
import { feesFor } from '../../chain/fees.ts'
import { RpcRefused } from '../../chain/rpc/errors.ts'
import type { RpcOutcome } from '../../chain/rpc/rpc.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import { openKeyHolder } from './openKeyHolder.ts'
import type { OpenMarket } from './openMarket.ts'
import { readingStages } from './readingStages.ts'
import { simulationAgeMsMax } from './simulationAgeMsMax.ts'

/** Twice in the shortest block time in use; a batch costs about a millisecond. */
const pollMs = 500

/** What a transfer costs where data is not charged for by gas: no chain takes less. */
const gasOfTransfer = 21_000n

/** What a node claims, with room and within the policy; where it says no, what nearly every chain takes. */
function gasOfCancel([claim]: [RpcOutcome<bigint>], { gasMax }: { gasMax: bigint }): bigint {
  if (!claim.ok && !(claim.error instanceof RpcRefused)) throw claim.error
  if (!claim.ok || claim.value <= gasOfTransfer) return gasOfTransfer
  const withRoom = (claim.value * 5n) / 4n
  return withRoom < gasMax ? withRoom : gasMax
}

const unavailable = (reason: string) =>
  new BallastError('The chain could not be read for its fees.', {
    code: 'FEES_UNAVAILABLE',
    remedy: 'retry',
    fault: 'upstream',
    facts: { reason },
  })

/** Everything a live swap needs, with the journal locked for this process. */
export async function openTrain({
  config,
  market,
  clock,
  onTrouble,
}: {
  config: Config
  market: OpenMarket
  clock: Clock
  onTrouble: Drivetrain['onTrouble']
}): Promise<{
  train: Drivetrain
  /** The same under the rules of another reading of the configuration. */
  trainFor: (config: Config) => Drivetrain
  journal: Journal
  /** Awaited before anything new is planned; what is signed need not wait for it. */
  whole: Integrity['whole']
  close: () => Promise<void>
}> {
  const { chain, wallet, service } = config
  const holder = await openKeyHolder(wallet)
  let signer: Signer
  let hold: Hold
  try {
    signer = createSigner(holder, wallet.address)
    hold = await holdJournal({
      database: config.database,
      chainId: chain.chainId,
      wallet: wallet.address,
      clock,
    })
  } catch (error) {
    await holder.close?.()
    throw error
  }
  let journal: Journal
  let integrity: Integrity | undefined
  try {
    integrity = checkIntegrity(config.database)
    journal = await openJournal({
      database: config.database,
      haltFile: config.haltFile,
      clock,
      coin: config.tokens,
      fence: hold.fence,
    })
    try {
      await journal.locks.assertUnchanged()
      await journal.log.assertConsistent()
    } catch (error) {
      await journal.shut()
      throw error
    }
  } catch (error) {
    await integrity?.stop()
    await hold.release()
    await holder.close?.()
    throw error
  }
  const { rpc, senders, witness } = market
  const depth = { router: service.router, confirmations: chain.confirmations }
  const spending = { spent: journal.limits.spent, quoteSeen: journal.swaps.quoteSeen }
  const trainFor = (current: Config): Drivetrain => ({
    reading: readingStages({ config: current, market, spending, clock }),
    signer,
    inspect: createInspect({
      policy: current.policy,
      spending,
      router: service.router,
      tokens: [...config.tokens.bySymbol.values()],
      wrapped: config.tokens.wrapped,
      gasPriceMax: current.policy.gasPriceMax,
      clock,
    }),
    journal,
    chainId: chain.chainId,
    confirmations: chain.confirmations,
    clock,
    pollMs,
    simulationAgeMsMax: simulationAgeMsMax(config),
    broadcast: (journaled) =>
      broadcast(
        {
          endpoints: senders,
          onContradiction: (error) => onTrouble(journaled.swapId, error),
        },
        journaled,
      ),
    observe: (watched) => observe(rpc, watched, depth),
    witness: witness && ((watched) => observe(witness.rpc, watched, depth)),
    measure: ({ plan, authorization }, receipt) =>
      measure(rpc, {
        receipt,
        router: service.router,
        authorization,
        wallet: plan.wallet,
        recipient: plan.recipient,
        sell: plan.intent.sell.token,
        buy: plan.intent.buy,
      }),
    async fees(gas) {
      const [block, tip, nonce] = await Promise.all([
        rpc.request(getBlock('latest')),
        rpc.request(getPriorityFee),
        rpc.request(getTransactionCount(wallet.address)),
      ])
      if (block === undefined) throw unavailable('the endpoint has no latest block')
      const { baseFeePerGas } = block
      const fees = feesFor(
        { baseFeePerGas, priorityFee: tip },
        { ceiling: current.policy.gasPriceMax },
      )
      if (baseFeePerGas + tip > fees.maxFeePerGas)
        throw new BallastError(
          'Gas costs more than policy.maxGasPrice, less room for a replacement.',
          {
            code: 'GAS_PRICE_ABOVE_POLICY',
            remedy: 'retry',
            fault: 'refused',
            facts: { gasPrice: baseFeePerGas + tip, gasPriceMax: current.policy.gasPriceMax },
          },
        )
      return { gas, nonce, ...fees }
    },
    gasOfCancel: async () =>
      gasOfCancel(await rpc.batch([estimateSelfTransfer(wallet.address)]), current.policy),
    gasPriceMax: current.policy.gasPriceMax,
    onTrouble,
  })
  const close = async () => {
    await integrity.stop()
    await journal.shut()
    await hold.release()
    await holder.close?.()
  }
  return { train: trainFor(config), trainFor, journal, whole: integrity.whole, close }
}
