import { getCode } from '../chain/calls/account.ts'
import { multicall3Address } from '../chain/calls/aggregateCalls.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { anvilCalls } from './anvilCalls.ts'
import { multicall3Code } from './multicall3Code.ts'

/** Puts Multicall3 where it is on every public chain. A fork of one has it already. */
export async function placeMulticall3(rpc: Rpc): Promise<void> {
  if ((await rpc.request(getCode(multicall3Address))) !== '0x') return
  await rpc.request(anvilCalls.setCode(multicall3Address, multicall3Code))
}
