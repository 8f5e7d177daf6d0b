import { concat } from 'viem'
import { getCode } from '../chain/calls/account.ts'
import { create2Proxy } from '../chain/create2Proxy.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { permit2Address, permit2Salt } from '../chain/settlement/permit2.ts'
import { ownArtifact } from './artifact.ts'
import type { Site } from './site.ts'

/**
 * Puts the real Permit2 where it is on every public chain, by the proxy that put it there. A fork of one has it already.
 *
 * Last of all: the address of every other contract follows from the deployer's nonce.
 */
export async function placePermit2(rpc: Rpc, { deployer, put }: Site): Promise<void> {
  if ((await rpc.request(getCode(permit2Address))) !== '0x') return
  const { bytecode } = ownArtifact('Permit2')
  await put(deployer.send(create2Proxy.address, concat([permit2Salt, bytecode])))
}
