import {
  decodeAbiParameters,
  encodeAbiParameters,
  parseAbiParameters,
  recoverTypedDataAddress,
  zeroAddress,
} from 'viem'
import type { Hex } from '../../chain/calls/fields.ts'
import type { SignedOrder } from '../../chain/settlement/order.ts'
import { authorizationTypedData, orderTypedData } from '../../chain/settlement/typedData.ts'
import type { Checklist } from '../../core/check.ts'
import { sameAddress } from '../../core/token.ts'
import type { Quoted } from '../stages.ts'
import type { Decoded } from './decode.ts'
import type { Pins } from './pins.ts'

/** Half the order of secp256k1: a signature with a larger s is the mirror of a valid one. */
const lowSMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Who signed what. Makers sign their orders; AMM legs carry no signature but typed data for the executor;
 * the fee signer's authorisation covers all of it.
 */
export async function checkSignatures(
  { wallet }: Quoted,
  { swap, orders }: Decoded,
  pins: Pins,
  checks: Checklist,
) {
  const fallbacks = swap.fallbackSwapDataArray
  checks.holds(
    'fallback-count',
    fallbacks.length === 0 || fallbacks.length === orders.length,
    `0 or ${orders.length}`,
    fallbacks.length,
  )
  for (const [index, signed] of orders.entries()) {
    const leg = `leg-${index + 1}`
    const data = fallbacks[index] ?? '0x'
    if (sameAddress(signed.order.buyer, pins.executor)) {
      checks.equal(
        `${leg}-unsigned`,
        `${zeroAddress} 0x`,
        `${signed.order.signer} ${signed.signature}`,
      )
      checks.equal(`${leg}-pool`, 'a known kind of pool', poolOf(data))
    } else {
      checks.equal(`${leg}-signature`, signed.order.signer, await orderSigner(signed, pins))
      const maker = pins.makers.some((one) => sameAddress(one, signed.order.signer))
      checks.holds(`${leg}-signer`, maker, 'a configured maker', signed.order.signer)
      if (data !== '0x') checks.equal(`${leg}-pool`, 'a known kind of pool', poolOf(data))
    }
  }
  checks.equal(
    'authorization',
    pins.feeSigner,
    await recover(swap.widgetFeeSignature, (signature) =>
      recoverTypedDataAddress({
        ...authorizationTypedData(pins, { orders, caller: wallet, swap }),
        signature,
      }),
    ),
  )
}

const orderSigner = ({ order, signature }: SignedOrder, pins: Pins) =>
  recover(signature, (canonical) =>
    recoverTypedDataAddress({ ...orderTypedData(pins, order), signature: canonical }),
  )

async function recover(signature: Hex, signer: (signature: Hex) => Promise<Hex>): Promise<string> {
  if (!/^0x[0-9a-fA-F]{128}(1b|1c)$/i.test(signature)) return 'not 65 bytes ending in 27 or 28'
  if (BigInt(`0x${signature.slice(66, 130)}`) > lowSMax) return 'a mirrored signature (high s)'
  try {
    return await signer(signature)
  } catch {
    // An r or s off the curve: the bytes are no signature of anybody's.
    return 'no signature'
  }
}

const executorData = parseAbiParameters('uint8 kind, uint24 fee')
const poolKinds: Record<number, (fee: number) => boolean> = {
  2: (fee) => fee === 3_000,
  3: (fee) => [100, 500, 3_000, 10_000].includes(fee),
}

/** What the executor's typed data asks for. The executor looks the pool up in its own factories. */
function poolOf(data: Hex): string {
  try {
    const [kind, fee] = decodeAbiParameters(executorData, data)
    if (encodeAbiParameters(executorData, [kind, fee]) !== data.toLowerCase()) return data
    return poolKinds[kind]?.(fee) === true ? 'a known kind of pool' : `kind ${kind}, fee ${fee}`
  } catch {
    // Not typed data at all: the check shows the bytes.
    return data
  }
}
