import type { TestProject } from 'vitest/node'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { accountsOf } from '../../src/sandbox/accounts.ts'
import { deployWorld } from '../../src/sandbox/deployWorld.ts'
import type { Deployment } from '../../src/sandbox/readyDocument.ts'
import { anvilCalls, startAnvil } from '../../src/sandbox/startAnvil.ts'
import { fixedWorld } from './world.ts'

/** A chain with the fixed world deployed, standing still: test files fork it and never change it. */
export type Origin = { readonly rpcUrl: string; readonly deployment: Deployment }

declare module 'vitest' {
  interface ProvidedContext {
    origin: Origin
  }
}

/** Deploys the fixed world once per test run. `FORK_RPC_URL` bases it on a public chain. */
export default async function setup(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  // Of another project of the same run.
  const known = process.env.BALLAST_TEST_ORIGIN
  if (known !== undefined) {
    project.provide('origin', JSON.parse(known))
    return undefined
  }
  const world = fixedWorld()
  const forkUrl = process.env.FORK_RPC_URL
  const anvil = await startAnvil({
    chainId: world.chain.chainId,
    ...(forkUrl === undefined ? {} : { forkUrl }),
  })
  const rpc = createRpc({ url: anvil.rpcUrl, timeoutMs: 60_000 })
  try {
    await rpc.request(anvilCalls.silence)
    const deployment = await deployWorld(rpc, { world, accounts: accountsOf(world) })
    const origin: Origin = { rpcUrl: anvil.rpcUrl, deployment }
    project.provide('origin', origin)
    process.env.BALLAST_TEST_ORIGIN = JSON.stringify(origin)
  } catch (err) {
    await anvil.close()
    throw err
  } finally {
    await rpc.close()
  }
  return async () => {
    delete process.env.BALLAST_TEST_ORIGIN
    await anvil.close()
  }
}
