import { domainSeparator, encodeFunctionData, keccak256, toBytes } from 'viem'
import { readContract } from '../../chain/calls/readContract.ts'
import { traceReads } from '../../chain/calls/traces.ts'
import { answeredIfAny, type Rpc } from '../../chain/rpc/rpc.ts'
import { permitAbi } from '../../chain/settlement/permit.ts'
import { findLayout, slotOf } from '../../chain/storage/layout.ts'
import type { Address, Token } from '../../core/token.ts'
import type { TokenPermit } from '../stages.ts'

const typehash = keccak256(
  toBytes('Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)'),
)

/** Where a token does not say its version, it is the one that OpenZeppelin's permits have. */
const versionUsual = '1'

/** A name is what is signed; none is near this long. */
const nameMax = 128

const viewGas = 1_000_000n

/**
 * Whether a token takes permits, by what it says of itself: its domain, computed from its name and version and from our own
 * chain and address for it, is the one that it returns. Undefined where it has none, another chain's or contract's, or other
 * permits than EIP-2612 has, as DAI does. That it then does what it should is for the simulation to show.
 */
export async function readPermit(
  rpc: Rpc,
  { token, wallet, traced }: { token: Token; wallet: Address; traced: boolean },
): Promise<TokenPermit | undefined> {
  const { address, chainId } = token
  const of = { address, abi: permitAbi } as const
  const nonceOf = encodeFunctionData({ abi: permitAbi, functionName: 'nonces', args: [wallet] })
  const [separator, nonce, name, version, type, reads] = await rpc.batch([
    readContract({ ...of, functionName: 'DOMAIN_SEPARATOR', args: [] }),
    readContract({ ...of, functionName: 'nonces', args: [wallet] }),
    readContract({ ...of, functionName: 'name', args: [] }),
    readContract({ ...of, functionName: 'version', args: [] }),
    readContract({ ...of, functionName: 'PERMIT_TYPEHASH', args: [] }),
    ...(traced ? [traceReads({ from: wallet, to: address, data: nonceOf, gas: viewGas })] : []),
  ])
  const [said, next, called] = [answeredIfAny(separator), answeredIfAny(nonce), answeredIfAny(name)]
  if (said === undefined || next === undefined || called === undefined) return undefined
  if ((answeredIfAny(type) ?? typehash) !== typehash || called.length > nameMax) return undefined
  const domain = { name: called, version: answeredIfAny(version) ?? versionUsual }
  const ours = domainSeparator({ domain: { ...domain, chainId, verifyingContract: address } })
  if (said !== ours) return undefined
  const slots = reads && answeredIfAny(reads)?.get(address.toLowerCase())
  const layout = slots && findLayout(slots, [wallet])
  return { ...domain, nonce: next, nonceSlot: layout && slotOf(layout, [wallet]) }
}
