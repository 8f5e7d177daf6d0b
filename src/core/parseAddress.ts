import { getAddress } from 'viem/utils'
import { asWritten } from './display.ts'
import { invalidConfig } from './invalidConfig.ts'
import { type Address, nativeAddress, sameAddress } from './token.ts'

/** Reads an address; refuses a wrong checksum and the placeholders. */
export function parseAddress(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    reject(`${asWritten(text)} is not an address: write 0x and 40 hex digits, in quotes.`)
  const right = getAddress(text)
  const digits = text.slice(2)
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  if (!oneCase && text !== right)
    reject(
      `'${text}' has a wrong checksum: check it letter by letter; if it is the right address it is written '${right}'.`,
    )
  if (/^0x0{40}$/.test(text))
    reject('is the zero address: write the address of the contract or account.')
  if (sameAddress(text, nativeAddress))
    reject(
      "is the placeholder of the chain's own currency: that one is named by chain.currency and has no entry of its own.",
    )
  return right
}

function reject(sentence: string): never {
  throw invalidConfig([sentence])
}
