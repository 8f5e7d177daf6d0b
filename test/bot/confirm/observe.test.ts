import { zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { observe } from '../../../src/bot/confirm/observe.ts'
import type { Receipt } from '../../../src/chain/calls/getReceipt.ts'
import type { Finality } from '../../../src/chain/finality.ts'
import { createRpc } from '../../../src/chain/rpc/createRpc.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { withRetries } from '../../../src/chain/rpc/withRetries.ts'
import { type Anvil, anvilCalls, startAnvil } from '../../../src/sandbox/startAnvil.ts'
import { type Answer, startLyingNode } from '../../support/lyingNode.ts'
import { transact } from '../../support/transact.ts'

const privateKey = generatePrivateKey()
const { address: wallet } = privateKeyToAccount(privateKey)
let anvil: Anvil
let chain: Rpc
let node: Awaited<ReturnType<typeof startLyingNode>>
let rpc: Rpc
let mined: Receipt
let other: Receipt
beforeAll(async () => {
  anvil = await startAnvil()
  chain = createRpc({ url: anvil.rpcUrl })
  await chain.request(anvilCalls.setBalance(wallet, 10n ** 18n))
  await chain.request(anvilCalls.mineAtOnce)
  mined = await transact(chain, { privateKey, to: wallet, data: '0x' })
  other = await transact(chain, { privateKey, to: wallet, data: '0x' })
  await chain.request(anvilCalls.mine)
  node = await startLyingNode(anvil.rpcUrl)
  rpc = withRetries(createRpc({ url: node.url }), { attempts: 1 })
})
afterAll(async () => {
  await rpc.close()
  await node.close()
  await chain.close()
  await anvil.close()
})
beforeEach(() => node.lie({}))

const seen = (confirmations: Finality = 2) =>
  observe(
    rpc,
    { wallet, consumes: undefined, attempts: [{ kind: 'SWAP', hash: mined.hash }], nonce: 0 },
    { confirmations },
  )
/** Bends the receipt, or the block at its height. */
const bending = (method: string, change: (result: Answer) => void) =>
  node.lie({
    bend: (asked, answer) => {
      if (asked.method === method && (method !== 'eth_getBlockByNumber' || asked.nth > 0))
        change(answer.result)
      return answer
    },
  })
const receipt = 'eth_getTransactionReceipt'
const byHash = 'eth_getTransactionByHash'
const unavailable = { code: 'CONFIRMATION_UNAVAILABLE', remedy: 'retry' }

test('default: the receipt, its block being the canonical one', async () => {
  const { hash, blockHash, gasUsed, gasPaid, logs } = mined
  const tipPaid = gasUsed * 10n ** 9n
  expect(await seen()).toMatchObject({
    unsettled: false,
    receipts: [{ receipt: { hash, blockHash, gasUsed, gasPaid, tipPaid, logs } }],
  })
})

const foreign: Readonly<Record<string, (result: Answer) => void>> = {
  '[RPC-36] of another transaction': (result) => {
    result.transactionHash = other.hash
  },
  '[RPC-36] of another sender': (result) => {
    result.from = zeroAddress
  },
  '[RPC-37] without a status': (result) => {
    delete result.status
  },
  '[RPC-37] with a state root, as before Byzantium': (result) => {
    delete result.status
    result.root = `0x${'3'.repeat(64)}`
  },
  '[RPC-13] with a status that is none': (result) => {
    result.status = '0x2'
  },
}
for (const [name, change] of Object.entries(foreign))
  test(`a receipt ${name}: nothing is seen at all`, async () => {
    bending(receipt, change)
    await expect(seen()).rejects.toMatchObject(unavailable)
  })

test('[RPC-36] a receipt of another block than the canonical one: does not count', async () => {
  bending(receipt, (result) => {
    result.blockHash = other.blockHash
  })
  expect(await seen()).toMatchObject({ unsettled: true, receipts: [] })
})

test('[RPC-36] a header that is not the receipt’s: does not count', async () => {
  bending('eth_getBlockByNumber', (result) => {
    result.hash = `0x${'3'.repeat(64)}`
  })
  expect(await seen()).toMatchObject({ unsettled: true, receipts: [] })
})

test('[RPC-17] no receipt for what a block holds: the nonce is spent, and nothing is concluded', async () => {
  const lacking = (...lacks: readonly string[]) =>
    node.lie({
      bend: ({ method }, answer) => (lacks.includes(method) ? { ...answer, result: null } : answer),
    })
  lacking(receipt)
  expect(await seen()).toMatchObject({ deepNonce: 1, unsettled: true, receipts: [] })
  // What no block holds either was never mined there.
  lacking(receipt, byHash)
  expect(await seen()).toMatchObject({ deepNonce: 1, unsettled: false, receipts: [] })
  // Before the nonce is spent at depth nothing depends on it, and it is not read.
  const calls: string[] = []
  node.lie({
    bend({ method }, answer) {
      calls.push(method)
      return method === receipt ? { ...answer, result: null } : answer
    },
  })
  expect(await seen(3)).toMatchObject({ deepNonce: 0, unsettled: false, receipts: [] })
  expect(calls).not.toContain(byHash)
})

test.each([
  ['of another transaction', () => ({ hash: other.hash, blockHash: other.blockHash })],
  ['that is none', () => 'mined'],
])('the transaction behind a missing receipt %s: nothing is seen at all', async (_, result) => {
  node.lie({
    bend: ({ method }, answer) =>
      method === receipt
        ? { ...answer, result: null }
        : method === byHash
          ? { ...answer, result: result() }
          : answer,
  })
  await expect(seen()).rejects.toMatchObject(unavailable)
})

/** What the node says of the newest block that is final. */
const finalIs = (answer: (block: Answer) => Answer) =>
  node.lie({
    bend: (asked, said) => (asked.params[0] === 'finalized' ? answer(said) : said),
  })

test.each(['safe', 'finalized'] as const)(
  "%s: deep is what the chain's own word says",
  async (word) => {
    const { head, deep, deepNonce } = await seen(word)
    expect(deep?.number).toBe(head.number - (word === 'safe' ? 1 : 2))
    expect(deepNonce).toBe(word === 'safe' ? 2 : 1)
  },
)

test('a final block above the head: the head is the deepest that counts', async () => {
  finalIs((said) => ({ ...said, result: { ...said.result, number: '0xffff' } }))
  const { head, deep } = await seen('finalized')
  expect(deep).toEqual(head)
})

test('no block is final yet: nothing is deep', async () => {
  finalIs((said) => ({ ...said, result: null }))
  expect(await seen('finalized')).toMatchObject({ deep: undefined, deepNonce: undefined })
})

test('an endpoint without a word for it: nothing is seen at all', async () => {
  finalIs(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -39_001, message: 'Unknown block' } }))
  await expect(seen('finalized')).rejects.toMatchObject({ code: 'RPC_REFUSED', remedy: 'retry' })
})
