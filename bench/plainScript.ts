/**
 * The script that Ballast is held to: a firm quote and `sendTransaction`, as the documentation of viem shows it, without
 * any check but the deadline. And the floor below it: the same quote, and bytes that were signed before.
 *
 * Started by bench/hotPath.ts; each message is a turn.
 */
import { Pool } from 'undici'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  maxUint256,
  parseAbi,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

type Turn = 'plain' | 'floor'
const [rpcUrl = '', serviceUrl = '', key = '', query = '', sold = '', router = ''] =
  process.argv.slice(2)
const account = privateKeyToAccount(key as `0x${string}`)
const chain = defineChain({
  id: 31337,
  name: 'local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [rpcUrl] } },
})
const wallet = createWalletClient({ account, chain, transport: http(rpcUrl) })
const reader = createPublicClient({ chain, transport: http(rpcUrl), pollingInterval: 200 })
const [service, node] = [new Pool(serviceUrl), new Pool(rpcUrl)]

type Quote = {
  txRequest: { target: `0x${string}`; calldata: `0x${string}`; value: string }
  orders: { deadlineTimestamp: number }[]
}

async function plain() {
  const answer = await fetch(`${serviceUrl}/v1/firm-quote?${query}`)
  const { txRequest, orders } = (await answer.json()) as Quote
  if (orders.some(({ deadlineTimestamp }) => deadlineTimestamp * 1_000 < Date.now() + 8_000))
    throw new Error('late')
  const hash = await wallet.sendTransaction({
    to: txRequest.target,
    data: txRequest.calldata,
    value: BigInt(txRequest.value),
  })
  // It may revert, for nothing was simulated: the time until it was sent is what counts here.
  await reader.waitForTransactionReceipt({ hash })
}

/** Bytes as long as a swap's, of a nonce that is far ahead: the node takes them and mines nothing. */
let ahead = 1_000_000
let next: `0x${string}`
const presign = async () => {
  ahead += 1
  next = await account.signTransaction({
    to: account.address,
    data: `0x${'ab'.repeat(1_100)}`,
    chainId: 31337,
    nonce: ahead,
    gas: 1_000_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
    type: 'eip1559',
  })
}

async function floor() {
  const answer = await service.request({ method: 'GET', path: `/v1/firm-quote?${query}` })
  await answer.body.text()
  const sent = await node.request({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${next}"]}`,
  })
  const said = (await sent.body.json()) as { error?: unknown }
  if (said.error !== undefined) throw new Error(JSON.stringify(said.error))
}

const approved = await wallet.writeContract({
  address: sold as `0x${string}`,
  abi: parseAbi(['function approve(address,uint256) returns (bool)']),
  functionName: 'approve',
  args: [router as `0x${string}`, maxUint256],
})
await reader.waitForTransactionReceipt({ hash: approved })
await presign()
process.on('message', async (turn: Turn) => {
  if (turn === 'plain') await plain()
  else {
    await floor()
    await presign()
  }
  process.send?.(turn)
})
process.send?.('ready')
