import { getAddress } from 'viem'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'

/** Calldata from one of its bytes on. Places are counted in bytes from there; a read outside of the bytes throws. */
export type AbiReader = {
  uint(at: number): bigint
  bool(at: number): boolean
  address(at: number): Address
  bytes16(at: number): Hex
  /** Bytes of any length, whose place stands at `at`. */
  bytes(at: number): Hex
  /** A tuple whose place stands at `at`. */
  tuple(at: number): AbiReader
  /** A list whose place stands at `at`: its items' places, and a reader that they are counted from. */
  list(at: number): { readonly items: AbiReader; readonly places: readonly number[] }
}

/**
 * Reads the bytes of a stranger, as {@link abiWords} writes them. As viem's decoder does, it passes over dirty padding and
 * trailing bytes: encode again and compare. What it reads is in all no longer than the bytes, wherever they point.
 */
export function readAbi(data: Hex): AbiReader {
  const digits = data.slice(2)
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) throw outside('digit')
  let left = digits.length
  /** So many digits from a place on, each counted once. */
  const take = (from: number, length: number): string => {
    left -= length
    if (left < 0 || from + length > digits.length) throw outside('place')
    return digits.slice(from, from + length)
  }
  const from = (start: number): AbiReader => {
    const word = (at: number) => {
      const begin = start + 2 * at
      if (begin + 64 > digits.length) throw outside('word')
      return digits.slice(begin, begin + 64)
    }
    const uint = (at: number) => BigInt(`0x${word(at)}`)
    const count = (at: number) => {
      const value = uint(at)
      if (value > BigInt(digits.length)) throw outside('count')
      return Number(value)
    }
    return {
      uint,
      bool(at) {
        const value = uint(at)
        if (value > 1n) throw outside('truth value')
        return value === 1n
      },
      address: (at) => getAddress(`0x${word(at).slice(24)}`),
      bytes16: (at) => `0x${word(at).slice(0, 32)}`,
      bytes(at) {
        const place = count(at)
        return `0x${take(start + 2 * place + 64, 2 * count(place))}`
      },
      tuple: (at) => from(start + 2 * count(at)),
      list(at) {
        const place = count(at)
        const length = count(place)
        take(start + 2 * place + 64, 64 * length)
        return {
          items: from(start + 2 * place + 64),
          places: Array.from({ length }, (_, index) => 32 * index),
        }
      },
    }
  }
  return from(0)
}

const outside = (what: string) => new RangeError(`calldata with a ${what} that is none`)
