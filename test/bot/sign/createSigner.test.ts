import {
  concat,
  fromRlp,
  type Hex,
  numberToHex,
  parseSignature,
  parseTransaction,
  serializeSignature,
  type TransactionSerializableEIP1559,
  toRlp,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { createSigner, type KeyHolder } from '../../../src/bot/sign/createSigner.ts'
import { localKey } from '../../../src/bot/sign/localKey.ts'
import type { Transaction } from '../../../src/bot/stages.ts'
import { permitTypedData } from '../../../src/chain/settlement/permit.ts'
import { ballastError } from '../../../src/core/errors.ts'
import { secret } from '../../../src/core/secret.ts'
import { aPermit } from './aPermit.ts'

const key = `0x${'5'.repeat(64)}` as const
const honest = privateKeyToAccount(key)
const wallet = honest.address
const transaction: Transaction = {
  to: '0x00000000000000000000000000000000000000b1',
  data: '0x1234',
  value: 5n,
  gas: 100_000n,
  maxFeePerGas: 20n,
  maxPriorityFeePerGas: 1n,
  chainId: 31_337,
  nonce: 7,
}
const what = { swapId: 'swap-1', kind: 'SWAP' as const, transaction }

/** Signs something else than it was asked. */
const liar = (changes: Partial<TransactionSerializableEIP1559>, account = honest): KeyHolder => ({
  address: wallet,
  signTransaction: (asked) => account.signTransaction({ ...asked, ...changes }),
})

describe('sign', () => {
  test('default: signs exactly the fields it is given', async () => {
    const signed = await createSigner(localKey(secret(key)), wallet).sign(what)
    expect(parseTransaction(signed.raw)).toMatchObject({ type: 'eip1559', ...transaction })
  })

  test('zeros: a nonce, a value and data of nothing survive the encoding', async () => {
    const bare = {
      ...transaction,
      nonce: 0,
      value: 0n,
      data: '0x',
      gas: 0n,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
    } as const
    const signed = await createSigner(localKey(secret(key)), wallet).sign({
      ...what,
      transaction: bare,
    })
    expect(signed.transaction).toEqual(bare)
  })

  test('[LOCAL-38] a key of another wallet is refused at start', () => {
    expect(() => createSigner(localKey(secret(`0x${'6'.repeat(64)}`)), wallet)).toThrow(
      expect.objectContaining({ code: 'WALLET_KEY_MISMATCH', fault: 'usage' }),
    )
  })

  const lies: Record<string, Partial<TransactionSerializableEIP1559>> = {
    to: { to: '0x00000000000000000000000000000000000000ff' },
    data: { data: '0x' },
    value: { value: 6n },
    gas: { gas: 100_001n },
    maxFeePerGas: { maxFeePerGas: 1_200_000_000_000_000n },
    maxPriorityFeePerGas: { maxPriorityFeePerGas: 2n },
    chainId: { chainId: 1 },
    nonce: { nonce: 8 },
    accessList: { accessList: [{ address: wallet, storageKeys: [] }] },
  }
  for (const [field, changes] of Object.entries(lies))
    test(`[LOCAL-37] a signer that changes ${field} is caught`, async () => {
      await expect(createSigner(liar(changes), wallet).sign(what)).rejects.toMatchObject({
        code: 'SIGNED_DIFFERS',
        facts: { field },
      })
    })

  test('[LOCAL-37] a signer that signs another type is caught', async () => {
    const { maxFeePerGas: gasPrice, maxPriorityFeePerGas: _, ...fields } = transaction
    const legacy: KeyHolder = {
      address: wallet,
      signTransaction: () => honest.signTransaction({ ...fields, type: 'legacy', gasPrice }),
    }
    await expect(createSigner(legacy, wallet).sign(what)).rejects.toMatchObject({
      code: 'SIGNED_DIFFERS',
      facts: { field: 'type' },
    })
  })

  test('an answer that is no transaction is shown by its first 32 bytes', async () => {
    const garbled: KeyHolder = {
      address: wallet,
      signTransaction: async () => `0x${'ab'.repeat(99)}`,
    }
    await expect(createSigner(garbled, wallet).sign(what)).rejects.toMatchObject({
      code: 'SIGNED_GARBLED',
      facts: { answered: `0x${'ab'.repeat(32)}` },
    })
  })

  test.each<[string, number, Hex]>([
    // Any byte that is not zero reads as one.
    ['a parity of 28', 9, '0x1c'],
    ['a nonce with a zero before it', 1, '0x0007'],
  ])('[LOCAL-37] other bytes of the same transaction are caught: %s', async (_, field, bytes) => {
    const other: KeyHolder = {
      address: wallet,
      async signTransaction(asked) {
        const raw = await honest.signTransaction(asked)
        const fields = fromRlp(`0x${raw.slice(4)}`, 'hex') as Hex[]
        // The signature of this transaction has a parity of one.
        expect(fields[9]).toBe('0x01')
        fields[field] = bytes
        return concat(['0x02', toRlp(fields)])
      },
    }
    const odd = { ...transaction, value: 6n }
    await expect(
      createSigner(other, wallet).sign({ ...what, transaction: odd }),
    ).rejects.toMatchObject({ code: 'SIGNED_GARBLED' })
  })

  test('[LOCAL-37] a signer that signs with another key is caught', async () => {
    const other = privateKeyToAccount(`0x${'6'.repeat(64)}`)
    await expect(createSigner(liar({}, other), wallet).sign(what)).rejects.toMatchObject({
      code: 'SIGNED_DIFFERS',
      facts: { field: 'from' },
    })
  })
})

describe('signPermit', () => {
  const permit = { ...aPermit, owner: wallet }
  type Holder = NonNullable<KeyHolder['signPermit']>
  const asking = (signPermit: Holder) =>
    createSigner({ ...localKey(secret(key)), signPermit }, wallet).signPermit?.(permit)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

  test('a key in memory signs exactly what it is given', async () => {
    const signed = await createSigner(localKey(secret(key)), wallet).signPermit?.(permit)
    const { r, s, v } = parseSignature(await honest.signTypedData(permitTypedData(permit)))
    expect(signed).toEqual({ r, s, v: Number(v), deadline: BigInt(permit.deadline) })
  })

  const lies: Readonly<Record<string, readonly [Holder, code: string]>> = {
    'another amount': [
      (one) => honest.signTypedData(permitTypedData({ ...one, wei: one.wei + 1n })),
      'SIGNED_DIFFERS',
    ],
    'another key': [
      (one) => privateKeyToAccount(`0x${'6'.repeat(64)}`).signTypedData(permitTypedData(one)),
      'SIGNED_DIFFERS',
    ],
    'the same in its higher form, which some tokens refuse': [
      async (one) => {
        const { r, s, yParity } = parseSignature(await honest.signTypedData(permitTypedData(one)))
        const higher = numberToHex(order - BigInt(s), { size: 32 })
        return serializeSignature({ r, s: higher, yParity: 1 - yParity })
      },
      'SIGNED_DIFFERS',
    ],
    garbage: [async () => '0x1234', 'SIGNED_GARBLED'],
    nothing: [async () => undefined as never, 'SIGNED_GARBLED'],
  }
  for (const [what, [lie, code]] of Object.entries(lies))
    test(`a holder that signs ${what} is caught`, async () => {
      await expect(asking(lie)).rejects.toMatchObject({ code })
    })

  test.each([
    ['SIGNER_REFUSED', 'PERMIT_UNUSABLE'],
    ['SIGNER_UNAVAILABLE', 'PERMIT_UNUSABLE'],
    ['SIGNED_DIFFERS', 'SIGNED_DIFFERS'],
  ] as const)('a holder that fails with %s: %s', async (its, code) => {
    const fails = async () => {
      throw ballastError(its, 'It says why.', { rule: 'SO' })
    }
    await expect(asking(fails)).rejects.toMatchObject({ code, facts: { rule: 'SO' } })
  })

  test('a holder that breaks is no refusal', async () => {
    const breaks = async () => {
      throw new TypeError('broken')
    }
    await expect(asking(breaks)).rejects.toThrow(TypeError)
  })

  test('a holder that offers none is asked for none', () => {
    const { address, signTransaction } = localKey(secret(key))
    expect(createSigner({ address, signTransaction }, wallet).signPermit).toBeUndefined()
  })
})
