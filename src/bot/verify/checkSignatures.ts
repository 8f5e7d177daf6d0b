import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters, zeroAddress } from 'viem'
import type { Hex } from '../../chain/calls/fields.ts'
import type { Digests } from '../../chain/crypto/createDigests.ts'
import { recoverSigner } from '../../chain/crypto/recoverSigner.ts'
import type { Checklist } from '../../core/check.ts'
import { sameAddress } from '../../core/token.ts'
import type { Quoted } from '../stages.ts'
import type { Decoded } from './decode.ts'
import type { Pins } from './pins.ts'

/**
 * The signers of each part. Makers sign their orders; AMM legs carry typed data for the executor and no signature; the
 * fee signer's authorisation covers all of it. Returns the digest of the authorisation.
 */
export async function checkSignatures(
  {
    quoted: { wallet },
    decoded: { swap, orders },
    pins,
    digests,
  }: { quoted: Quoted; decoded: Decoded; pins: Pins; digests: Digests },
  checks: Checklist,
): Promise<Hex> {
  const fallbacks = swap.fallbackSwapDataArray
  checks.holds(
    'fallback-count',
    fallbacks.length === 0 || fallbacks.length === orders.length,
    `0 or ${orders.length}`,
    fallbacks.length,
  )
  for (const [index, { order, signature }] of orders.entries()) {
    const leg = `leg-${index + 1}`
    const data = fallbacks[index] ?? '0x'
    if (sameAddress(order.buyer, pins.executor)) {
      checks.equal(`${leg}-unsigned`, `${zeroAddress} 0x`, `${order.signer} ${signature}`)
      checks.equal(`${leg}-pool`, 'a known kind of pool', poolOf(data))
    } else {
      const signer = await signerOf(digests.order(order), signature)
      checks.equal(`${leg}-signature`, order.signer, signer)
      const isMaker = pins.makers.some((one) => sameAddress(one, order.signer))
      checks.holds(`${leg}-signer`, isMaker, 'a configured maker', order.signer)
      if (data !== '0x') checks.equal(`${leg}-pool`, 'a known kind of pool', poolOf(data))
    }
  }
  const authorization = digests.authorization({ orders, caller: wallet, swap })
  const signer = await signerOf(authorization, swap.widgetFeeSignature)
  checks.equal('authorization', pins.feeSigner, signer)
  return authorization
}

const signerOf = async (digest: Hex, signature: Hex): Promise<string> =>
  (await recoverSigner(digest, signature)) ?? `nobody: ${signature}`

const executorData = parseAbiParameters('uint8 kind, uint24 fee')
const poolKinds: Record<number, (fee: number) => boolean> = {
  2: (fee) => fee === 3_000,
  3: (fee) => [100, 500, 3_000, 10_000].includes(fee),
}

/** The request in the executor's typed data. The executor looks the pool up in its own factories. */
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
