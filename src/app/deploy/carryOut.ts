import { broadcast } from '../../bot/broadcast/broadcast.ts'
import type {
  DeploymentEntry,
  DeploymentLog,
} from '../../bot/journal/deployment/openDeploymentLog.ts'
import type { createExactSigner } from '../../bot/sign/createSigner.ts'
import { isTakenVerdict } from '../../bot/verdict.ts'
import { getTransactionCount } from '../../chain/calls/account.ts'
import { getReceipt } from '../../chain/calls/getReceipt.ts'
import { estimateGas } from '../../chain/calls/node.ts'
import { keylessCreation } from '../../chain/create2Proxy.ts'
import { outbid } from '../../chain/fees.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { ChainConfig } from '../../config/chain.ts'
import type { Clock } from '../../core/clock.ts'
import { ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import { deepNonce } from '../chainNonce.ts'
import { type Design, lookAt, type Step } from './design.ts'
import { type GasPrice, withRoom } from './planDeployment.ts'

/** Everything a deployment needs to sign, store and send. */
export type DeploymentSite = {
  readonly design: Design
  readonly chain: Pick<ChainConfig, 'chainId' | 'confirmations' | 'blockTimeMs'>
  readonly rpc: Rpc
  /** Each gets the signed bytes. */
  readonly endpoints: readonly Rpc[]
  readonly log: DeploymentLog
  readonly signerOf: (account: Address) => ReturnType<typeof createExactSigner>
  /** The fees of now; throws where they are above policy. */
  readonly fees: () => Promise<GasPrice>
  /** Wei per gas: no replacement costs more. */
  readonly gasPriceMax: bigint
  /** Throws where nothing may be signed any more. */
  readonly guard: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly note: (line: string) => void
}

const pollMs = 500

/** A transaction that waits for longer is outbid. */
const patienceBlocks = 12

/**
 * A node may show a nonce before the receipt behind it, and a receipt before what it did; this often it is looked at again.
 * A step that is not done by then never will be: its contract does something else.
 */
const looksMax = 20

/**
 * Takes every step that the chain does not show yet, one after the other. What is done is read from the chain, never from
 * the log, and what was signed is read from the log, never from the chain: so a run that was ended anywhere is gone on
 * with by the next one, and no step is signed twice while the first bytes could still be mined.
 */
export async function carryOut(site: DeploymentSite): Promise<void> {
  const { rpc, design } = site
  const looks = new Map<string, number>()
  for (;;) {
    const step = (await lookAt(rpc, design)).find(({ done }) => !done)
    if (step === undefined) {
      for (const wallet of [design.deployer, ...design.signing])
        await deepNonce({ ...site, wallet })
      if ((await lookAt(rpc, design)).every(({ done }) => done)) return
      continue
    }
    const looked = (looks.get(step.name) ?? 0) + 1
    looks.set(step.name, looked)
    if (looked > looksMax)
      throw ballastError(
        'DEPLOYMENT_FAILED',
        'A step of the deployment was mined and had no effect.',
        {
          step: step.name,
        },
      )
    await take(step, site)
  }
}

/** Brings one transaction onto the chain: bytes of an earlier run first, because they hold the nonce. */
async function take(step: Step, site: DeploymentSite): Promise<void> {
  const { rpc, log, note } = site
  const from = step.from ?? keylessCreation.sender
  const [latest, pending] = await rpc.batch([
    getTransactionCount(from),
    getTransactionCount(from, 'pending'),
  ])
  if (!latest.ok) throw latest.error
  const nonce = latest.value
  const earlier = log.bytesOf(from, nonce).at(-1)
  if (earlier !== undefined) note(`${earlier.step}: signed by an earlier run, offered again`)
  // An account that shares its key would have its transaction replaced, or would replace ours.
  else if (step.from !== undefined && pending.ok && pending.value > nonce)
    throw ballastError(
      'NONCE_PENDING',
      'A transaction that this deployment did not sign waits in the pool for this account.',
      { account: from, nonce },
    )
  // Mined since the look at it, or not shown yet by a node that is behind: looked at again, and not signed again.
  if (earlier === undefined && (await isMined(step, site)))
    return site.clock.sleep(pollMs, site.signal)
  const bytes = earlier ?? (await signed(step, { nonce, site }))
  await send(bytes, site)
  await untilMined(bytes, { site, step })
}

/** Whether bytes of this step are on the chain, whatever their nonce. */
async function isMined({ name }: Step, { rpc, log }: DeploymentSite): Promise<boolean> {
  const receipts = await rpc.batch(
    log.bytesFor(name).map(({ hash, from }) => getReceipt(hash, from)),
  )
  return receipts.some((one) => {
    if (!one.ok) throw one.error
    return one.value?.success === true
  })
}

async function signed(
  step: Step,
  { nonce, site }: { nonce: number; site: DeploymentSite },
): Promise<DeploymentEntry> {
  const { rpc, log, clock, chain } = site
  const { name, from, call } = step
  if (from === undefined) {
    const { sender, raw, hash } = keylessCreation
    const price = { gas: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    return log.append({ step: name, from: sender, nonce, hash, raw, ...price }, clock.now())
  }
  const estimated = rpc.request(estimateGas({ from, ...call }))
  const [{ maxFeePerGas, maxPriorityFeePerGas }, gas] = await Promise.all([site.fees(), estimated])
  const price = { gas: withRoom(gas), maxFeePerGas, maxPriorityFeePerGas }
  site.guard()
  const sign = site.signerOf(from)
  const bytes = await sign({ ...call, ...price, nonce, chainId: chain.chainId })
  return log.append({ step: name, from, nonce, ...price, ...bytes }, clock.now())
}

/** Offers bytes that are on disk. Throws where every endpoint refuses them; what is unclear is waited for. */
async function send(bytes: DeploymentEntry, { endpoints, note }: DeploymentSite): Promise<void> {
  note(`${bytes.step}: ${bytes.hash}`)
  const onContradiction = ({ message }: Error) => note(message)
  const { verdict, words } = await broadcast({ endpoints, onContradiction }, bytes)
  if (isTakenVerdict(verdict) || verdict === 'ambiguous' || verdict === 'nonce-low') return
  throw ballastError(
    'BROADCAST_UNCLEAR',
    'The network did not take a transaction of the deployment. It is stored: the same command offers it again.',
    { step: bytes.step, hash: bytes.hash, verdict, words },
  )
}

/** Waits for the receipt of any bytes under the nonce, and outbids them where that takes too long. */
async function untilMined(
  { from, nonce }: DeploymentEntry,
  { site, step }: { site: DeploymentSite; step: Step },
): Promise<void> {
  const { rpc, log, clock, chain, signal } = site
  let since = clock.now()
  for (let looks = 0; ; ) {
    const tried = log.bytesOf(from, nonce)
    const [next, ...receipts] = await rpc.batch([
      getTransactionCount(from),
      ...tried.map(({ hash }) => getReceipt(hash, from)),
    ])
    const mined = receipts.find((one) => one.ok && one.value !== undefined)
    if (mined?.ok === true && mined.value?.success === true) return
    if (mined?.ok === true && mined.value !== undefined)
      throw ballastError('DEPLOYMENT_FAILED', 'A transaction of the deployment was reverted.', {
        step: step.name,
        hash: mined.value.hash,
      })
    if (next.ok && next.value > nonce) {
      looks += 1
      if (looks > looksMax)
        throw ballastError(
          'NONCE_TAKEN',
          'A transaction that this deployment did not sign has its nonce: this account has another user.',
          { account: from, nonce },
        )
    } else if (clock.now() - since > patienceBlocks * chain.blockTimeMs) {
      since = clock.now()
      await offerAgain(tried, { site, step })
    }
    await clock.sleep(pollMs, signal)
  }
}

/** Dearer bytes for the same step and nonce; the old ones where policy allows none, or where they are another step's. */
async function offerAgain(
  tried: readonly DeploymentEntry[],
  { site, step }: { site: DeploymentSite; step: Step },
): Promise<void> {
  const newest = tried.at(-1)
  if (newest === undefined) return
  const { from, call } = step
  const own = from !== undefined && newest.step === step.name
  const fees = own
    ? outbid(newest, { fresh: await site.fees(), most: site.gasPriceMax })
    : undefined
  if (fees === undefined || from === undefined) return send(newest, site)
  const { log, clock, chain } = site
  // Not estimated again: many nodes estimate on top of what waits in their pool, where this step is done.
  const { nonce, gas, step: name } = newest
  const price = { gas, ...fees }
  site.guard()
  const bytes = await site.signerOf(from)({ ...call, ...price, nonce, chainId: chain.chainId })
  return send(log.append({ step: name, from, nonce, ...price, ...bytes }, clock.now()), site)
}
