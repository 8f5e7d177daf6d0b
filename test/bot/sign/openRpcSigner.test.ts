import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Hex,
  hexToBigInt,
  hexToNumber,
  parseSignature,
  parseTransaction,
  type TypedDataDefinition,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createSigner } from '../../../src/bot/sign/createSigner.ts'
import { openRpcSigner } from '../../../src/bot/sign/openRpcSigner.ts'
import { permitHash, permitTypedData } from '../../../src/chain/settlement/permit.ts'
import { heldDeadlines } from '../../support/heldDeadlines.ts'
import { aPermit } from './aPermit.ts'
import { aTransaction } from './aTransaction.ts'

const account = privateKeyToAccount(`0x${'5'.repeat(64)}`)
const wallet = account.address
/** What a signer is given by default. */
const signerMs = 10_000
const what = { swapId: 'swap-1', kind: 'SWAP' as const, transaction: aTransaction }

type Fields = Readonly<Record<string, Hex>>
type Answer = { readonly result?: unknown; readonly error?: { code: number; message: string } }

/** Signs what the request says and nothing else, as such a server does: it knows no other fields. */
async function signed(asked: Fields, chainId: number): Promise<Hex> {
  const of = (name: string) => asked[name] ?? '0x'
  expect(of('from')).toBe(wallet)
  return account.signTransaction({
    type: 'eip1559',
    chainId,
    nonce: hexToNumber(of('nonce')),
    to: of('to'),
    data: asked.data ?? of('input'),
    value: hexToBigInt(of('value')),
    gas: hexToBigInt(of('gas')),
    maxFeePerGas: hexToBigInt(of('maxFeePerGas')),
    maxPriorityFeePerGas: hexToBigInt(of('maxPriorityFeePerGas')),
  })
}

/**
 * Signs typed data as such a server does: it hashes what the request says, by the types that the request names, those of the
 * domain among them. Its numbers are decimal text, but for the chain's.
 */
async function signedTyped(asked: unknown, data: unknown): Promise<Answer> {
  expect(asked).toBe(wallet)
  expect(data).toMatchObject({
    types: { EIP712Domain: [{}, {}, {}, {}] },
    domain: { chainId: 31_337 },
    message: { value: '30000000', nonce: '4', deadline: '1800000030' },
  })
  return { result: await account.signTypedData(data as TypedDataDefinition) }
}

// By their documents: docs.web3signer.consensys.io/reference/api/json-rpc, and cmd/clef/README.md of go-ethereum.
const kinds = {
  web3signer: {
    eth_accounts: async (): Promise<Answer> => ({ result: [`0x${'1'.repeat(40)}`, wallet] }),
    // Its chain is an option of its own start.
    eth_signTransaction: async (asked: Fields): Promise<Answer> => ({
      result: await signed(asked, 31_337),
    }),
    // A text, in every version since the first that has it (23.9.0).
    eth_signTypedData: async (asked: unknown, data: unknown): Promise<Answer> =>
      signedTyped(asked, JSON.parse(z.string().parse(data))),
  },
  clef: {
    account_signTypedData: signedTyped,
    account_list: async (): Promise<Answer> => ({ result: [wallet.toLowerCase()] }),
    account_signTransaction: async (asked: Fields): Promise<Answer> => ({
      result: { raw: await signed(asked, hexToNumber(asked.chainId ?? '0x0')), tx: { hash: '0x' } },
    }),
  },
} as const

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

const connections = () =>
  new Promise<number>((resolve) => server?.getConnections((_, count) => resolve(count)))

/** Serves JSON-RPC; `bend` answers instead for the methods that sign. Undefined: it never answers. */
async function serve(
  kind: keyof typeof kinds,
  bend?: (asked: Fields) => Promise<Answer> | undefined,
  list?: () => Promise<Answer>,
  bytes = 0,
): Promise<string> {
  type Method = (...params: readonly never[]) => Promise<Answer> | undefined
  const methods: Readonly<Record<string, Method>> = kinds[kind]
  server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
      const answer =
        method.includes('sign') && bend
          ? bend(params[0])
          : (list ?? (methods[method] as Method))(...(params as never[]))
      if (answer === undefined) return
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(await answer) }).padEnd(bytes))
    })()
  })
  // A connection ends when the client ends it.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.each(['web3signer', 'clef'] as const)('%s', (kind) => {
  test('signs exactly the fields it is given', async () => {
    const holder = await openRpcSigner({ kind, url: await serve(kind), wallet })
    const { raw } = await createSigner(holder, wallet).sign(what)
    expect(parseTransaction(raw)).toMatchObject({ type: 'eip1559', ...aTransaction })
    await holder.close?.()
  })

  const permit = { ...aPermit, owner: wallet }
  /** What it signs, or how it fails. */
  async function permits(url: string): Promise<unknown> {
    const holder = await openRpcSigner({ kind, url, wallet })
    const signing = createSigner(holder, wallet).signPermit?.(permit)
    const ended = await signing?.catch((error: unknown) => error)
    await holder.close?.()
    return ended
  }

  test('signs exactly the permit it is given', async () => {
    const { r, s, v } = parseSignature(await account.signTypedData(permitTypedData(permit)))
    const signature = { r, s, v: Number(v) }
    expect(await permits(await serve(kind))).toEqual({ deadline: 1_800_000_030n, ...signature })
  })

  test.each<[does: string, answer: Answer, code: string]>([
    [
      'has no such method',
      { error: { code: -32601, message: 'Method not found' } },
      'PERMIT_UNUSABLE',
    ],
    ['says no', { error: { code: -32000, message: 'request denied' } }, 'PERMIT_UNUSABLE'],
    ['sends what is no bytes', { result: 'signed' }, 'PERMIT_UNUSABLE'],
    ['sends what is no signature', { result: '0x1234' }, 'SIGNED_GARBLED'],
  ])('one that %s gives no permit', async (_, answer, code) => {
    expect(await permits(await serve(kind, async () => answer))).toMatchObject({ code })
  })

  test('the text signed, and not the typed data: is caught', async () => {
    const result = await account.signMessage({ message: { raw: permitHash(permit) } })
    const differs = { code: 'SIGNED_DIFFERS', facts: { field: 'permit' } }
    expect(await permits(await serve(kind, async () => ({ result })))).toMatchObject(differs)
  })

  test('zeros survive the request', async () => {
    const bare = {
      ...aTransaction,
      nonce: 0,
      value: 0n,
      data: '0x',
      maxPriorityFeePerGas: 0n,
    } as const
    const holder = await openRpcSigner({ kind, url: await serve(kind), wallet })
    const signed = await createSigner(holder, wallet).sign({ ...what, transaction: bare })
    expect(signed.transaction).toEqual(bare)
    await holder.close?.()
  })

  test('one that does not hold the wallet is refused at start', async () => {
    const stranger = '0x00000000000000000000000000000000000000e1'
    const holder = await openRpcSigner({ kind, url: await serve(kind), wallet: stranger })
    expect(() => createSigner(holder, stranger)).toThrow(
      expect.objectContaining({ code: 'WALLET_KEY_MISMATCH' }),
    )
    await holder.close?.()
  })

  const wrap = (raw: unknown): Answer => ({ result: kind === 'clef' ? { raw, tx: {} } : raw })

  test('a transaction of another chain is caught', async () => {
    const url = await serve(kind, async (asked) => wrap(await signed(asked, 1)))
    const holder = await openRpcSigner({ kind, url, wallet })
    await expect(createSigner(holder, wallet).sign(what)).rejects.toMatchObject({
      code: 'SIGNED_DIFFERS',
      facts: { field: 'chainId' },
    })
    await holder.close?.()
  })

  type Way = [does: string, bend: () => Promise<Answer> | undefined, code: string]
  const ways: Way[] = [
    [
      'says no',
      async (): Promise<Answer> => ({ error: { code: -32000, message: 'denied' } }),
      'SIGNER_UNAVAILABLE',
    ],
    ['sends what is no bytes', async () => wrap('signed'), 'SIGNER_UNAVAILABLE'],
    ['sends bytes that are no transaction', async () => wrap('0x02c0'), 'SIGNED_GARBLED'],
    ['sends nothing', async () => wrap('0x'), 'SIGNED_GARBLED'],
    ['never answers', () => undefined, 'SIGNER_UNAVAILABLE'],
  ]
  test.each(ways)('one that %s gives no signature', async (does, bend, code) => {
    const holder = await openRpcSigner({
      kind,
      url: await serve(kind, bend),
      wallet,
    })
    const deadlines = heldDeadlines()
    const failing = expect(createSigner(holder, wallet).sign(what)).rejects.toMatchObject({ code })
    if (does === 'never answers') {
      await vi.waitFor(() => expect(deadlines.lengths()).toContain(signerMs))
      deadlines.pass(signerMs)
    }
    await failing
    await holder.close?.()
  })

  test('one that lists no account is unavailable, and no connection to it stays', async () => {
    const url = await serve(kind, undefined, async () => ({ result: [] }))
    await expect(openRpcSigner({ kind, url, wallet })).rejects.toMatchObject({
      code: 'SIGNER_UNAVAILABLE',
    })
    await expect.poll(() => connections()).toBe(0)
  })

  test.each([
    [2 ** 20, { address: wallet }],
    [2 ** 20 + 1, { code: 'SIGNER_UNAVAILABLE' }],
  ] as const)('its answer of %i bytes is read, or not', async (bytes, expected) => {
    const url = await serve(kind, undefined, async () => ({ result: [wallet] }), bytes)
    const opened = openRpcSigner({ kind, url, wallet }).catch((error: unknown) => error)
    expect(await opened).toMatchObject(expected)
  })

  test('one that is not there is unavailable', async () => {
    await expect(openRpcSigner({ kind, url: 'http://127.0.0.1:9', wallet })).rejects.toMatchObject({
      code: 'SIGNER_UNAVAILABLE',
      fault: 'upstream',
    })
  })
})
