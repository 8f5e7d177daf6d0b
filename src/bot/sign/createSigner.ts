import { parseSignature, parseTransaction, serializeSignature, serializeTransaction } from 'viem'
import type { Hex } from '../../chain/calls/fields.ts'
import { loadEngine, recoverSigner } from '../../chain/crypto/recoverSigner.ts'
import { type Permit, permitHash, type SignedPermit } from '../../chain/settlement/permit.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import { type AttemptKind, pass, type Signed, type Transaction } from '../stages.ts'

/** Turns fields into signed bytes. The key may be in memory, in a file or in another process. */
export type Signer = {
  readonly address: Address
  /** Signs exactly these fields; whatever comes back is parsed and compared before anyone sees it. */
  sign(what: {
    readonly swapId: string
    readonly kind: AttemptKind
    readonly transaction: Transaction
  }): Promise<Signed>
  /** Signs exactly this permit, and compares who signed; absent where the holder of the key signs none. */
  readonly signPermit?: (permit: Permit) => Promise<SignedPermit>
}

/** Something that holds a key. Not believed: see {@link createSigner}. */
export type KeyHolder = {
  readonly address: Address
  signTransaction(transaction: Transaction & { readonly type: 'eip1559' }): Promise<Hex>
  /** Signs a text as EIP-191 has it, which no chain takes for a transaction; absent where the holder offers it not. */
  signMessage?(message: string): Promise<Hex>
  /** Signs a permit of a token; absent where the holder offers it not. Approvals do instead. */
  signPermit?(permit: Permit): Promise<Hex>
  /** Ends its connections, where it has any. */
  close?(): Promise<void>
}

/** Signs for one wallet through the holder of its key. */
export function createSigner(account: KeyHolder, wallet: Address): Signer {
  const signExactly = createExactSigner(account, wallet)
  return {
    address: wallet,
    async sign({ swapId, kind, transaction }) {
      const { raw, hash } = await signExactly(transaction)
      return pass<Signed>({ swapId, kind, wallet, transaction, raw, hash })
    },
    ...(account.signPermit === undefined
      ? {}
      : {
          signPermit: async (permit) =>
            comparePermit(permit, { answered: await askPermit(account, permit), wallet }),
        }),
  }
}

const withoutPermit: ReadonlySet<string> = new Set(['SIGNER_REFUSED', 'SIGNER_UNAVAILABLE'])

/**
 * A holder that refuses a permit, or leaves it to a person who is not there, may still sign the approval in its place. What
 * it signs too late is dropped: nothing but this process has seen it.
 */
async function askPermit(account: KeyHolder, permit: Permit): Promise<Hex | undefined> {
  try {
    return await account.signPermit?.(permit)
  } catch (cause) {
    if (!(cause instanceof BallastError) || !withoutPermit.has(cause.code)) throw cause
    const { summary, facts } = cause
    throw ballastError(
      'PERMIT_UNUSABLE',
      'The holder of the key signs no such permit.',
      { signer: summary, ...facts },
      cause,
    )
  }
}

/**
 * The permit is the wallet's own, over what we meant and not what the holder may have signed instead. Tokens differ in the
 * forms of a signature that they take: the lower `s`, and 27 or 28, all of them do.
 */
async function comparePermit(
  permit: Permit,
  { answered, wallet }: { answered: Hex | undefined; wallet: Address },
): Promise<SignedPermit> {
  const { r, s, yParity } = readSignature(answered)
  const signature = serializeSignature({ r, s, yParity })
  const signer = (await recoverSigner(permitHash(permit), signature)) ?? 'nobody'
  if (signer.toLowerCase() !== wallet.toLowerCase())
    throw ballastError(
      'SIGNED_DIFFERS',
      'The signer returned another permit than the one requested.',
      {
        field: 'permit',
        asked: wallet,
        signed: signer,
      },
    )
  const [deadline, v] = [BigInt(permit.deadline), 27 + yParity]
  return permit.authorization === undefined
    ? { deadline, v, r, s }
    : { nonce: permit.nonce, deadline, signature }
}

function readSignature(signature: Hex | undefined) {
  try {
    return parseSignature(signature ?? '0x')
  } catch (cause) {
    throw ballastError(
      'SIGNED_GARBLED',
      'The signer returned what is no signature.',
      { answered: String(signature).slice(0, 66) },
      cause,
    )
  }
}

/** The bytes alone, for a transaction that belongs to no swap; parsed back and compared like any other. */
export function createExactSigner(account: KeyHolder, wallet: Address) {
  if (!sameAddress(account.address, wallet))
    throw ballastError(
      'WALLET_KEY_MISMATCH',
      'The wallet key does not belong to the configured wallet.',
      { configured: wallet, keyIsOf: account.address },
    )
  return async (transaction: Transaction): Promise<{ readonly raw: Hex; readonly hash: Hex }> => {
    const raw = await account.signTransaction({ type: 'eip1559', ...transaction })
    await compare(raw, transaction, wallet)
    return { raw, hash: await hashOf(raw) }
  }
}

/** Parses the signed bytes back: the sent bytes are those we requested, signed by the wallet we meant. */
async function compare(raw: Hex, wanted: Transaction, wallet: Address): Promise<void> {
  const { parsed, sender } = await read(raw)
  const told = {
    type: 'eip1559',
    from: wallet,
    to: wanted.to,
    data: wanted.data,
    value: wanted.value,
    chainId: wanted.chainId,
    nonce: wanted.nonce,
    gas: wanted.gas,
    maxFeePerGas: wanted.maxFeePerGas,
    maxPriorityFeePerGas: wanted.maxPriorityFeePerGas,
    accessList: 0,
  }
  // RLP has no zero: an absent number is 0 and absent data is 0x.
  const found = {
    type: parsed.type,
    from: sender,
    to: parsed.to,
    data: parsed.data ?? '0x',
    value: parsed.value ?? 0n,
    chainId: parsed.chainId,
    nonce: parsed.nonce,
    gas: parsed.gas ?? 0n,
    maxFeePerGas: parsed.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: parsed.maxPriorityFeePerGas ?? 0n,
    accessList: parsed.accessList?.length ?? 0,
  }
  for (const [field, value] of Object.entries(told)) {
    const actual = String(found[field as keyof typeof found])
    if (String(value).toLowerCase() !== actual.toLowerCase())
      throw ballastError('SIGNED_DIFFERS', 'The signer returned a different transaction.', {
        field,
        asked: String(value),
        signed: actual,
      })
  }
  // The parser lets other encodings of the same through: nodes call those invalid, and whoever sees them can send the
  // canonical one, under a hash that the journal does not know.
  const { r = '0x', s = '0x', yParity = 0 } = parsed
  const canonical = serializeTransaction({ type: 'eip1559', ...wanted }, { r, s, yParity })
  if (canonical !== raw.toLowerCase()) throw garbled(raw)
}

/** Undefined where it is of another type, or has a signature that chains refuse. Throws where it has none. */
async function senderOf({ r, s, v, yParity, ...unsigned }: ReturnType<typeof parseTransaction>) {
  if (r === undefined || s === undefined) throw new Error('it is not signed')
  if (unsigned.type !== 'eip1559' || yParity === undefined) return undefined
  const digest = await hashOf(serializeTransaction(unsigned))
  return recoverSigner(digest, serializeSignature({ r, s, yParity }))
}

const hashOf = async (bytes: Hex): Promise<Hex> =>
  (await loadEngine()).keccak256(Buffer.from(bytes.slice(2), 'hex'))

async function read(raw: Hex) {
  try {
    const parsed = parseTransaction(raw)
    return { parsed, sender: await senderOf(parsed) }
  } catch (cause) {
    throw garbled(raw, cause)
  }
}

const garbled = (raw: Hex, cause?: unknown) =>
  ballastError(
    'SIGNED_GARBLED',
    'The signer returned what is no signed transaction.',
    { answered: String(raw).slice(0, 66) },
    cause,
  )
