import type { Transaction } from 'kysely'
import { type Coin, isNative, sameAddress, type Token } from '../../../core/token.ts'
import type { Simulated } from '../../stages.ts'
import { addTotal } from '../limits/limits.ts'
import { guard } from '../locks/guard.ts'
import { assertPaper } from '../schema/openKind.ts'
import { type Store, stamped } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { changeState, paidFacts } from '../swaps/changeState.ts'
import { writeQuote } from '../swaps/reserve.ts'
import { writeAllowance } from '../wallet/allowances.ts'
import { createSentOn } from './createSentOn.ts'
import { createPaperReader, moveBalances, openBalances } from './paperMoney.ts'

/** Stands where the hash of a transaction would: no chain has anything of that name. */
const paperHash = (swapId: string): string => `paper:${swapId}`

type Filling = { readonly simulated: Simulated; readonly at: number; readonly native: Token }

/** Virtual money, and the fills that move it. */
export const createPaper = (store: Store & { readonly coin: Coin }) => ({
  ...createPaperReader(store),
  /** Throws PAPER_BEGUN where balances are given to a run that has some. */
  ...stamped(store, { open: openBalances }),
  /** Books a fill. Throws LOCKED where a lock forbids it, and PAPER_OVERDRAWN where the money is not there. */
  settle: (simulated: Simulated) => settlePaper(store, simulated),
  /** What swaps brought other accounts than the wallet. */
  sentOn: createSentOn(store),
})

/**
 * Books a verified, simulated quote as done: PLANNED to VERIFIED to SETTLED in one transaction, with what it moved.
 *
 * What is received is what the simulation delivered, and gas is what it used, its approvals included, at the price of
 * that block, with what a rollup takes for its bytes. A lock that holds at this moment forbids it, as it forbids a signature.
 */
async function settlePaper(
  { db, clock, haltFile, coin }: Store & { readonly coin: Coin },
  simulated: Simulated,
): Promise<void> {
  const at = clock.now()
  const { swapId, strategy, simulation } = simulated
  const { gas, approvalGas, gasPrice, tip, rollupFee = 0n, spent, received, block } = simulation
  const used = gas + approvalGas
  const amounts = {
    sold: spent.wei.toString(),
    received: received.wei.toString(),
    gas_used: gas.toString(),
    ...paidFacts({
      gasPaid: used * gasPrice + rollupFee,
      tipPaid: used * tip,
      basePaid: used * (gasPrice - tip),
    }),
  }
  await db.transaction().execute(async (trx) => {
    await assertPaper(trx)
    await guard(trx, { act: 'sign', subject: { swapId }, at, haltFile, coin })
    await writeQuote(trx, { simulated, at })
    const hash = paperHash(swapId)
    await changeState(trx, {
      swapId,
      from: ['VERIFIED'],
      type: 'SETTLED',
      set: {
        ...amounts,
        signed_at: at,
        included_hash: hash,
        included_block: block,
        included_block_hash: hash,
      },
      at,
      facts: { ...amounts, approvalGas, gasPrice, block, paper: true as const },
    })
    await move(trx, { simulated, at, native: coin.native }, BigInt(amounts.gas_paid))
    await addTotal(trx, { strategy, sold: spent, received })
  })
}

async function move(
  trx: Transaction<Tables>,
  { simulated, at, native }: Filling,
  gasPaid: bigint,
): Promise<void> {
  const { swapId, wallet, recipient, call, simulation } = simulated
  const { spent, received } = simulation
  const { chainId } = spent.token
  await moveBalances(trx, { chainId, wallet }, [
    { token: spent.token, wei: -spent.wei },
    ...(sameAddress(recipient, wallet) ? [received] : []),
    { token: native, wei: -gasPaid },
  ])
  // An approval is for exactly what its swap sells: nothing is left of it.
  if (!isNative(spent.token))
    await writeAllowance(trx, {
      chain_id: chainId,
      wallet: wallet.toLowerCase(),
      token: spent.token.address.toLowerCase(),
      spender: call.to.toLowerCase(),
      wei: 0n,
      swapId,
      at,
    })
}
