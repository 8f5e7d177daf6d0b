import { domainSeparator, getContractAddress, type Hex, keccak256, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getCode } from '../../src/chain/calls/account.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import { create2Proxy } from '../../src/chain/create2Proxy.ts'
import {
  isPermit2,
  nonceBit,
  nonceSlotOf,
  permit2Abi,
  permit2Address,
  permit2Domain,
  permit2Salt,
} from '../../src/chain/settlement/permit2.ts'
import { ownArtifact } from '../../src/sandbox/artifact.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({})
})
afterAll(() => fork?.close())

const codeOf = () => fork.rpc.request(getCode(permit2Address))

/** A prime: over the whole code, and through both of the values that differ between chains. */
const apart = 31

const flip = (code: Hex, byte: number): Hex =>
  `${code.slice(0, 2 + 2 * byte)}${code.slice(2 + 2 * byte, 4 + 2 * byte) === '00' ? '01' : '00'}${code.slice(4 + 2 * byte)}` as Hex

test('Permit2: our copy of its code is the one that is on every chain, for CREATE2 gives its address', () => {
  const { bytecode } = ownArtifact('Permit2')
  const from = create2Proxy.address
  expect(getContractAddress({ opcode: 'CREATE2', from, salt: permit2Salt, bytecode })).toBe(
    permit2Address,
  )
})

test('Permit2: stands in the sandbox, and is known by its code', async () => {
  const { chainId } = fork.ready
  const code = await codeOf()
  expect(isPermit2(code, chainId)).toBe(true)
  const said = await fork.rpc.request(
    readContract({
      ...{ address: permit2Address, abi: permit2Abi },
      ...{ functionName: 'DOMAIN_SEPARATOR', args: [] },
    }),
  )
  expect(said).toBe(domainSeparator({ domain: permit2Domain(chainId) }))
})

test('Permit2: any other code at its address, of another chain too, is none', async () => {
  const { chainId } = fork.ready
  const code = await codeOf()
  expect(isPermit2(code, chainId + 1)).toBe(false)
  expect(isPermit2('0x', chainId)).toBe(false)
  expect(isPermit2(`${code}00`, chainId)).toBe(false)
  const bytes = Array.from({ length: Math.floor(code.length / 2 / apart) }, (_, n) => n * apart)
  const kept = bytes.filter((byte) => isPermit2(flip(code, byte), chainId))
  expect(kept).toEqual([])
})

test('Permit2: keeps an owner’s nonces where we look for them', async () => {
  const owner = fork.ready.wallets.treasury?.address ?? '0x'
  const nonce = BigInt(keccak256('0x01'))
  const { word, bit } = nonceBit(nonce)
  await fork.rpc.request({
    method: 'anvil_setStorageAt',
    params: [permit2Address, nonceSlotOf(owner, nonce), toHex(bit, { size: 32 })],
    parse: (answer) => answer,
  })
  const read = readContract({
    ...{ address: permit2Address, abi: permit2Abi },
    ...{ functionName: 'nonceBitmap', args: [owner, word] },
  } as const)
  expect(await fork.rpc.request(read)).toBe(bit)
})
