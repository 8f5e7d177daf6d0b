import { erc20Abi } from '../../chain/abi/contracts.ts'
import { encodeCall } from '../../chain/calls/encodeCall.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import type { Scenario, SimulatedCall } from '../../chain/calls/simulate.ts'
import { isTransfer, permitAbi } from '../../chain/settlement/permit.ts'
import { nonceBit, permit2Abi, permit2Address } from '../../chain/settlement/permit2.ts'
import { type Address, isNative, sameAddress, type Token } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'
import { type Question, questionsOf } from './questions.ts'
import { spenderOf } from './spenderOf.ts'

/** One balance that is looked at before and after. */
export type Probe = { readonly owner: Address; readonly token: Token }

/** The swap as it is played through: now, in the last second it may, and one second later. */
export type Scenes = {
  readonly questions: readonly Question[]
  readonly probes: readonly Probe[]
  /** The number of approvals before the swap. */
  readonly approvals: number
  /** Questions, balances, approvals, swap, balances, and what its spender may still take of the token sold; the nonce of its permits. */
  readonly now: Scenario
  /** The recipient's balance, approvals, swap, the recipient's balance. */
  readonly last: Scenario
  /** Approvals and swap. */
  readonly late: Scenario
}

/**
 * Geth plays a block without a time 12 seconds after its head. A quote that would be over by then is played in its last
 * second, on every node.
 */
const aheadSecondsMax = 15

/**
 * Builds the three scenes for one swap, each step of which may use all of this gas: what it does use is measured. `now` is
 * in Unix seconds.
 */
export function scenesOf(
  permitted: Permitted,
  { watched, gas, now }: { watched: readonly Token[]; gas: bigint; now: number },
): Scenes {
  const { wallet, recipient, call, deadline, intent } = permitted
  const owners = sameAddress(wallet, recipient) ? [wallet] : [wallet, recipient]
  const probes = owners.flatMap((owner) => watched.map((token) => ({ owner, token })))
  const balances = probes.map((one) => probe(one, wallet))
  const questions = questionsOf(permitted)
  const bought = probe({ token: intent.buy, owner: recipient }, wallet)
  const steps: SimulatedCall[] = [
    ...permitted.approvals.map((step) => ({ ...step, from: wallet, gas })),
    { ...call, from: wallet, gas },
  ]
  const asked = questions.map((question) => question.call)
  return {
    questions,
    probes,
    approvals: permitted.approvals.length,
    now: {
      calls: [...asked, ...balances, ...steps, ...balances, ...allowanceOf(permitted)],
      code: probeOverrides,
      ...(deadline - now <= aheadSecondsMax ? { timestamp: deadline } : {}),
    },
    last: { calls: [bought, ...steps, bought], code: probeOverrides, timestamp: deadline },
    late: { calls: steps, timestamp: deadline + 1 },
  }
}

/** What its spender may take, and the nonce of a permit; nothing where the chain's own currency is sold. */
function allowanceOf(permitted: Permitted): readonly SimulatedCall[] {
  const { wallet, intent, signedPermit } = permitted
  const { token } = intent.sell
  if (isNative(token)) return []
  const asked = { from: wallet, to: token.address, gas: probeGas }
  const args = [wallet, spenderOf(permitted)] as const
  const data = encodeCall({ abi: erc20Abi, functionName: 'allowance', args })
  if (signedPermit === undefined) return [{ ...asked, data }]
  const nonce = isTransfer(signedPermit)
    ? {
        to: permit2Address,
        data: encodeCall({
          abi: permit2Abi,
          functionName: 'nonceBitmap',
          args: [wallet, nonceBit(signedPermit.nonce).word],
        }),
      }
    : { data: encodeCall({ abi: permitAbi, functionName: 'nonces', args: [wallet] }) }
  return [
    { ...asked, data },
    { ...asked, ...nonce },
  ]
}

/** An unused address, where the probe's code stands for the time of a simulation. */
const scratch: Address = '0x00000000000000000000000000000000ba11a575'

/**
 * Runs `BALANCE` of the address given as call data: PUSH0-free, so that it works on every fork.
 * CALLDATALOAD(0) BALANCE, MSTORE(0), RETURN(0, 32).
 */
const probeCode: Hex = '0x6000353160005260206000f3'

const probeGas = 1_000_000n

/** The code override every scenario with a probe of the chain's own currency needs. */
const probeOverrides: Readonly<Record<Address, Hex>> = { [scratch]: probeCode }

/** Reads one balance inside a simulation: a view call for ERC-20, the probe for the chain's own currency. */
function probe({ token, owner }: { token: Token; owner: Address }, wallet: Address): SimulatedCall {
  return isNative(token)
    ? { from: wallet, to: scratch, data: `0x${owner.slice(2).padStart(64, '0')}`, gas: probeGas }
    : {
        from: wallet,
        to: token.address,
        data: encodeCall({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
        gas: probeGas,
      }
}
