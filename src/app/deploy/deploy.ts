import { dirname, join } from 'node:path'
import { openDeploymentLog } from '../../bot/journal/deployment/openDeploymentLog.ts'
import { holdJournal } from '../../bot/journal/holdJournal.ts'
import { haltFileExists, haltOfFile, lockedError } from '../../bot/journal/locks/guard.ts'
import { createExactSigner, type KeyHolder } from '../../bot/sign/createSigner.ts'
import { localKey } from '../../bot/sign/localKey.ts'
import type { Config } from '../../config/config.ts'
import { show } from '../../core/amount.ts'
import { ballastError } from '../../core/errors.ts'
import type { Secret } from '../../core/secret.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import { openKeyHolder } from '../openKeyHolder.ts'
import { openSenders } from '../openMarket.ts'
import { readFees } from '../readFees.ts'
import { carryOut } from './carryOut.ts'
import type { Design } from './design.ts'
import { readRouter, type StandingRouter } from './planDeployment.ts'
import { type Around, assertNoBot, openEndpoints, planned } from './previewDeployment.ts'

/** Signs and sends what is left to do, and reads the router back. */
export async function deploy(
  design: Design,
  around: Around & { readonly signal: AbortSignal; readonly keys: readonly Secret[] },
): Promise<StandingRouter> {
  const { config, clock, signal, note, keys } = around
  const { chain, wallet, database, stateFolder, haltFile, policy } = config
  await using opened = new AsyncDisposableStack()
  const closing = <part extends { close(): unknown }>(part: part): part =>
    opened.adopt(part, async (one) => void (await one.close()))
  // No bot begins on this journal or with this wallet, and no second deployment, until this one has ended.
  const held = { database, chainId: chain.chainId, wallet: wallet.address, stateFolder, clock }
  opened.adopt(await holdJournal(held), (hold) => hold.release())
  await assertNoBot(config, clock)
  const endpoints = closing(openEndpoints(config))
  const also = closing(openSenders(config))
  await also.check()
  const { plan } = await planned(design, { ...around, endpoints })
  assertPaid(plan.accounts, config)
  const holder = opened.adopt(await openKeyHolder(wallet), (one) => one.close?.())
  const holders = [holder, ...keys.map(localKey)]
  const path = join(dirname(config.file), `deployment.${chain.chainId}.jsonl`)
  await carryOut({
    ...{ design, chain, clock, signal, note },
    rpc: endpoints.rpc,
    endpoints: also.receivers([endpoints.direct, ...also.endpoints]).senders,
    log: closing(openDeploymentLog(path, chain.chainId)),
    signerOf: (account) => createExactSigner(holderOf(holders, account), account),
    fees: () => readFees({ ...endpoints, clock }, policy),
    gasPriceMax: policy.gasPriceMax,
    guard: () => {
      if (haltFileExists(haltFile)) throw lockedError(haltOfFile(haltFile))
    },
  })
  return readRouter(endpoints.rpc, design)
}

/** A holder of another key than the configured one is refused by the signer, with both addresses. */
const holderOf = ([deployer, ...makers]: readonly KeyHolder[], account: Address): KeyHolder =>
  makers.find(({ address }) => sameAddress(address, account)) ?? (deployer as KeyHolder)

/** Half a deployment is worth nothing: it does not begin before it can end. */
function assertPaid(
  accounts: readonly { address: Address; needs: bigint; holds: bigint }[],
  { tokens }: Config,
): void {
  const short = accounts.find(({ needs, holds }) => holds < needs)
  if (short === undefined) return
  const { address, needs, holds } = short
  throw ballastError('DEPLOYER_SHORT', `${address} cannot pay for its part of the deployment.`, {
    needs: show({ token: tokens.native, wei: needs }),
    holds: show({ token: tokens.native, wei: holds }),
  })
}
