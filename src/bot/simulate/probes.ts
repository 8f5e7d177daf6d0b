import { encodeFunctionData } from 'viem'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import type { SimulatedCall } from '../../chain/calls/simulate.ts'
import { type Address, isNative, type Token } from '../../core/token.ts'

/** An address nobody uses, where the probe's code stands for the time of a simulation. */
const scratch: Address = '0x00000000000000000000000000000000ba11a575'

/**
 * Runs `BALANCE` of the address given as call data: PUSH0-free, so that it works on every fork.
 * CALLDATALOAD(0) BALANCE, MSTORE(0), RETURN(0, 32).
 */
const probeCode: Hex = '0x6000353160005260206000f3'

const probeGas = 1_000_000n

/** The code override every scenario with a probe of the chain's own currency needs. */
export const probeOverrides: Readonly<Record<Address, Hex>> = { [scratch]: probeCode }

/** Reads one balance inside a simulation: a view call for ERC-20, the probe for the chain's own currency. */
export function probe(
  { token, owner }: { token: Token; owner: Address },
  wallet: Address,
): SimulatedCall {
  return isNative(token)
    ? { from: wallet, to: scratch, data: `0x${owner.slice(2).padStart(64, '0')}`, gas: probeGas }
    : {
        from: wallet,
        to: token.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
        gas: probeGas,
      }
}
