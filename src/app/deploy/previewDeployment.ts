import { readJournal } from '../../bot/journal/readJournal.ts'
import { journalExists } from '../../bot/journal/schema/openDatabase.ts'
import { getBlock } from '../../chain/calls/node.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { withRetries } from '../../chain/rpc/withRetries.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { ballastError } from '../../core/errors.ts'
import { readFees } from '../readFees.ts'
import type { Design } from './design.ts'
import {
  assertFits,
  type DeploymentPlan,
  planDeployment,
  readRouter,
  type StandingRouter,
} from './planDeployment.ts'

export type Around = {
  readonly config: Config
  readonly clock: Clock
  readonly note: (line: string) => void
}

/** The node of a deployment, and the second one that the tip is asked of. */
export type Endpoints = {
  readonly rpc: Rpc
  /** The same without retries: what repeats reads is left out where bytes are sent. */
  readonly direct: Rpc
  readonly witness: { readonly rpc: Rpc } | undefined
  close(): Promise<void>
}

/** Looks, and signs nothing. The router is undefined until it is there. */
export async function previewDeployment(
  design: Design,
  around: Around,
): Promise<{
  readonly plan: DeploymentPlan
  readonly gasPrice: bigint
  readonly router: StandingRouter | undefined
}> {
  await assertNoBot(around.config, around.clock)
  await using opened = new AsyncDisposableStack()
  const endpoints = opened.adopt(openEndpoints(around.config), (one) => one.close())
  const { plan, gasPrice } = await planned(design, { ...around, endpoints })
  const stands = plan.steps.some(({ name, done }) => name === 'router' && done)
  const router = stands ? await readRouter(endpoints.rpc, design) : undefined
  return { plan, gasPrice, router }
}

/** The plan at the prices of now, on a chain that it fits. */
export async function planned(
  design: Design,
  { config, clock, endpoints }: Around & { readonly endpoints: Endpoints },
) {
  const { rpc } = endpoints
  await assertFits(rpc, { config, design })
  const fees = await readFees({ ...endpoints, clock }, config.policy)
  const head = await rpc.request(getBlock('latest'))
  const now = (head?.baseFeePerGas ?? 0n) + fees.maxPriorityFeePerGas
  return { plan: await planDeployment(rpc, { design, fees: { ...fees, now } }), gasPrice: now }
}

/**
 * Refuses an account that a journal spends from: a nonce that the journal did not give would halt its bot, and one that
 * both give would cost one of them its transaction.
 */
export async function assertNoBot(
  { database, haltFile, chain, wallet }: Config,
  clock: Clock,
): Promise<void> {
  if (!(await journalExists(database))) return
  const journal = await readJournal({ database, haltFile, clock })
  const scope = { chainId: chain.chainId, wallet: wallet.address }
  const state = await journal.wallet.state(scope).finally(journal.shut)
  if (state !== undefined)
    throw ballastError(
      'DEPLOYER_OF_BOT',
      'The journal spends from this wallet, and a deployment would use nonces that it counts on.',
      {
        wallet: wallet.address,
        next: 'deploy from another account, in a configuration of its own',
      },
    )
}

export function openEndpoints({ chain }: Config): Endpoints {
  const direct = createRpc({ url: chain.rpcUrl.reveal() })
  const second =
    chain.witness &&
    createRpc({
      url: chain.witness.rpcUrl.reveal(),
      setBy: 'chain.witness.rpcUrl or WITNESS_RPC_URL',
    })
  return {
    rpc: withRetries(direct),
    direct,
    witness: second && { rpc: second },
    async close() {
      await direct.close()
      await second?.close()
    },
  }
}
