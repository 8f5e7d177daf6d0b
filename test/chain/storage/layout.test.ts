import { encodeAbiParameters, keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { findLayout, slotOf } from '../../../src/chain/storage/layout.ts'
import type { Address } from '../../../src/core/token.ts'

const owner: Address = '0x00000000000000000000000000000000000000aa'
const spender: Address = '0x00000000000000000000000000000000000000bb'
const slot = (index: bigint) => encodeAbiParameters([{ type: 'uint256' }], [index])
const solidity = (key: Address, base: `0x${string}`) =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [key, base]))
const vyper = (key: Address, base: `0x${string}`) =>
  keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'address' }], [base, key]))
const strange = slot(77n)

describe('layout', () => {
  test('default: a balance and an allowance, wherever Solidity put the mapping', () => {
    for (const index of [0n, 3n, 9n, 51n, 255n]) {
      const balances = findLayout(new Set([strange, solidity(owner, slot(index))]), [owner])
      expect(balances).toEqual({ base: slot(index), keyFirst: true })
      const nested = solidity(spender, solidity(owner, slot(index)))
      const allowances = findLayout(new Set([strange, nested]), [owner, spender])
      expect(allowances && slotOf(allowances, [spender, owner])).toBe(
        solidity(owner, solidity(spender, slot(index))),
      )
    }
  })

  test('Vyper hashes the other way round', () => {
    const read = new Set([vyper(spender, vyper(owner, slot(5n)))])
    expect(findLayout(read, [owner, spender])).toEqual({ base: slot(5n), keyFirst: false })
  })

  test('a namespace of ERC-7201', () => {
    const base = '0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00'
    expect(findLayout(new Set([solidity(owner, base)]), [owner])?.base).toBe(base)
  })

  test('what no known layout explains stays unknown', () => {
    expect(findLayout(new Set(), [owner])).toBeUndefined()
    expect(findLayout(new Set([strange, solidity(owner, slot(300n))]), [owner])).toBeUndefined()
  })
})
