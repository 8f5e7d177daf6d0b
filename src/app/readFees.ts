import { getBlock } from '../chain/calls/node.ts'
import { feesFor } from '../chain/fees.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { readTip } from '../chain/tip.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'

type Endpoints = {
  readonly rpc: Rpc
  readonly witness: { readonly rpc: Rpc } | undefined
  readonly clock: Clock
}

/** The fees of now. Throws GAS_PRICE_ABOVE_POLICY where they leave no room for a replacement. */
export async function readFees(
  { rpc, witness, clock }: Endpoints,
  { gasPriceMax, tipMax }: Pick<Config['policy'], 'gasPriceMax' | 'tipMax'>,
) {
  const [block, tip] = await Promise.all([
    rpc.request(getBlock('latest')),
    readTip({ rpc, witness, clock }, tipMax),
  ])
  if (block === undefined)
    throw ballastError('FEES_UNAVAILABLE', 'The chain could not be read for its fees.', {
      reason: 'the endpoint has no latest block',
    })
  const { baseFeePerGas } = block
  const fees = feesFor({ baseFeePerGas, priorityFee: tip }, { ceiling: gasPriceMax })
  if (baseFeePerGas + tip > fees.maxFeePerGas)
    throw ballastError(
      'GAS_PRICE_ABOVE_POLICY',
      'Gas costs more than policy.maxGasPrice, less room for a replacement.',
      { gasPrice: baseFeePerGas + tip, gasPriceMax },
    )
  return fees
}
