import { isAddress } from 'viem'
import { z } from 'zod'
import type { Address } from '../core/token.ts'

/** A JSON Schema's description of a field whose own checks it cannot express. */
const described = (pattern: string, description: string) => ({
  type: 'string' as const,
  pattern,
  description,
})

const uint256Max = 2n ** 256n - 1n

/** A chain address. Mixed case must carry a correct checksum; one case alone carries none. */
export const addressField = z
  .string()
  .refine((text): text is Address => /^0x[0-9a-fA-F]{40}$/.test(text), 'is not an address')
  // Lower case alone passes.
  .refine((text) => isAddress(text), 'is an address with a bad checksum')
  .transform((text) => text as Address)
  .meta(described('^0x[0-9a-fA-F]{40}$', 'A chain address; mixed case carries a checksum.'))

/** A non-negative integer in its smallest unit, as text. Money travels in no other form. */
export const uintField = z
  .string()
  // Ends here when it does not match: BigInt would throw past the parser.
  .regex(/^(?:0|[1-9]\d{0,77})$/, {
    error: 'is not a non-negative integer in text',
    abort: true,
  })
  .refine((text) => BigInt(text) <= uint256Max, 'is larger than a uint256')
  .meta({ description: 'An integer in the smallest unit of its token.' })

/** Bytes as `0x` and an even number of hex digits. */
export const hexField = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'is not 0x and whole bytes in hex')
  .transform((text) => text as `0x${string}`)
  .meta(described('^0x(?:[0-9a-fA-F]{2})*$', 'Bytes in hex.'))
