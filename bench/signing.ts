/**
 * What a signature costs, next to viem and to the curve alone. All candidates take turns within each round, in rotated
 * order; a ratio is the median over rounds of the ratio within a round, so other work on the machine touches all alike.
 *
 * `node bench/signing.ts [--rounds 9]`
 */
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { hashTypedData, recoverAddress, recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { compiledAccount } from '../src/chain/crypto/compiledAccount.ts'
import { createDigests } from '../src/chain/crypto/createDigests.ts'
import { loadEngine, recoverSigner } from '../src/chain/crypto/recoverSigner.ts'
import type { DigestSigner } from '../src/chain/crypto/signer.ts'
import { encodeOrders } from '../src/chain/settlement/codec.ts'
import type { ExactInput, Order } from '../src/chain/settlement/order.ts'
import { authorizationTypedData } from '../src/chain/settlement/typedData.ts'
import { orderTypedData } from '../test/support/orderTypedData.ts'
import { median } from './measure.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
const privateKey = `0x${'1'.repeat(64)}` as const
const account = privateKeyToAccount(privateKey)
const signer: DigestSigner = compiledAccount(privateKey)
const engine = await loadEngine()
const keyBytes = Buffer.from(privateKey.slice(2), 'hex')
const domain = { chainId: 31337, router: account.address }
const digests = createDigests(domain)

let nth = 0n
/** Another one each time: nothing may be remembered from the last. */
const order = (): Order => {
  nth += 1n
  return {
    id: nth,
    signer: account.address,
    buyer: account.address,
    seller: account.address,
    buyerToken: account.address,
    sellerToken: account.address,
    buyerTokenAmount: 10n ** 18n + nth,
    sellerTokenAmount: 3_000_000_000n,
    caller: account.address,
    quoteId: `0x${'ab'.repeat(16)}`,
    deadlineTimestamp: 1_800_000_000n,
  }
}
const hash = digests.order(order())
const signature = await account.sign({ hash })
const authorized = () => {
  const orders = [{ order: order(), signature }]
  const swap: ExactInput = {
    orders: encodeOrders(orders),
    recipient: account.address,
    amountIn: 3_000_000_000n,
    amountOutMinimum: 10n ** 18n,
    toWrap: false,
    toUnwrap: false,
    widgetFee: { signer: account.address, feeRecipient: account.address, feeRate: 0n },
    widgetFeeSignature: '0x',
    fallbackSwapDataArray: [],
  }
  return { orders, caller: account.address, swap }
}

type Candidate = {
  readonly name: string
  readonly runs: number
  readonly run: () => unknown
  /** What it is compared with. */
  readonly to: readonly string[]
}
const curve = 'curve: sign a hash'
const curveBack = 'curve: recover from a hash'
const compiled = 'compiled curve: sign a hash'
const candidates: readonly Candidate[] = [
  { name: compiled, runs: 200, run: () => engine.sign(hash, keyBytes), to: [curve] },
  { name: curve, runs: 60, run: () => sign({ hash, privateKey, to: 'hex' }), to: [] },
  {
    name: 'viem: order digest',
    runs: 200,
    run: () => hashTypedData(orderTypedData(domain, order())),
    to: [],
  },
  {
    name: 'ours: order digest',
    runs: 400,
    run: () => digests.order(order()),
    to: ['viem: order digest'],
  },
  {
    name: 'viem: sign an order',
    runs: 60,
    run: () => account.signTypedData(orderTypedData(domain, order())),
    to: [curve],
  },
  {
    name: 'ours: sign an order',
    runs: 60,
    run: () => signer.sign({ hash: digests.order(order()) }),
    to: ['viem: sign an order', compiled],
  },
  {
    name: 'viem: sign an authorisation',
    runs: 60,
    run: () => account.signTypedData(authorizationTypedData(domain, authorized())),
    to: [curve],
  },
  {
    name: 'ours: sign an authorisation',
    runs: 60,
    run: () => signer.sign({ hash: digests.authorization(authorized()) }),
    to: ['viem: sign an authorisation', compiled],
  },
  { name: curveBack, runs: 20, run: () => recoverAddress({ hash, signature }), to: [] },
  {
    name: 'viem: recover an order',
    runs: 20,
    run: () => recoverTypedDataAddress({ ...orderTypedData(domain, order()), signature }),
    to: [curveBack],
  },
  {
    name: 'ours: recover an order',
    runs: 20,
    run: () => recoverSigner(digests.order(order()), signature),
    to: ['viem: recover an order', curveBack],
  },
]

const rounds: Map<string, number>[] = []
for (let round = -1; round < Number(values.rounds); round += 1) {
  const figures = new Map<string, number>()
  for (let index = 0; index < candidates.length; index += 1) {
    const candidate = candidates[(index + Math.max(round, 0)) % candidates.length]
    if (candidate === undefined) continue
    const started = performance.now()
    for (let run = 0; run < candidate.runs; run += 1) await candidate.run()
    figures.set(candidate.name, ((performance.now() - started) * 1_000) / candidate.runs)
  }
  // The first round warms up.
  if (round >= 0) rounds.push(figures)
}

for (const { name, to } of candidates) {
  const micros = median(rounds.map((figures) => figures.get(name) ?? Number.NaN))
  const ratios = to.map((other) => {
    const within = rounds.map((figures) => (figures.get(name) ?? 0) / (figures.get(other) ?? 1))
    return `${median(within).toFixed(2)} × ${other}`
  })
  console.log(`${name.padEnd(30)}${micros.toFixed(1).padStart(9)} µs   ${ratios.join(', ')}`)
}
