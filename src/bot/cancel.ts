import { outbid } from '../chain/outbid.ts'
import { assert } from '../core/assert.ts'
import { BallastError } from '../core/errors.ts'
import type { Drivetrain } from './drivetrain.ts'
import type { Swap } from './journal/swaps/load.ts'

/**
 * Closes the nonce of a swap whose deadline has passed: signs and stores a transfer of nothing to oneself that replaces,
 * in any mempool, whatever was offered under that nonce before. Sending it is the next step.
 */
export async function cancel(swap: Swap, train: Drivetrain): Promise<void> {
  const { wallet, swapId } = swap.plan
  const old = swap.attempts.filter(({ bytes: { kind } }) => kind !== 'APPROVE').at(-1)?.bytes
  assert(old !== undefined, 'only a signed swap is cancelled')
  const { chainId, nonce } = old.transaction
  const gas = await train.gasOfCancel()
  const fresh = await train.fees(gas)
  const fees = outbid(old.transaction, { fresh, most: train.gasPriceMax })
  if (fees === undefined)
    throw new BallastError('A cancellation would cost more than policy.maxGasPrice.', {
      code: 'GAS_PRICE_ABOVE_POLICY',
      remedy: 'retry',
      fault: 'refused',
      facts: { replaces: old.hash, gasPriceMax: train.gasPriceMax },
    })
  await train.journal.guard('cancel', { swapId })
  const signed = await train.signer.sign({
    swapId,
    kind: 'CANCEL',
    transaction: { to: wallet, data: '0x', value: 0n, gas, ...fees, chainId, nonce },
  })
  train.inspect.cancellation(signed)
  await train.journal.commitCancel(signed, old.hash)
}
