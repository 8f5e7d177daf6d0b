/**
 * The quoting service under load, next to floors measured in turns with it: the same server with a constant body, and
 * the two signatures of a firm quote by the compiled curve alone. Printed, never asserted: machines differ.
 *
 * `node bench/service.ts` takes about a minute. The chain is a stub in this process, so that a node's own work is not
 * measured; the client is a thread of its own, and with two cores it takes one of them.
 */
import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import fastify, { type FastifyReply } from 'fastify'
import { engine } from 'ox/wasm/Secp256k1'
import { pino } from 'pino'
import { compiledAccount } from '../src/chain/crypto/compiledAccount.ts'
import type { Rpc, RpcCall } from '../src/chain/rpc/rpc.ts'
import { type Clock, systemClock } from '../src/core/clock.ts'
import { type Address, nativeAddress, type Token } from '../src/core/token.ts'
import { createService } from '../src/service/createService.ts'
import { createMakerVenue } from '../src/service/makers/createMakerVenue.ts'
import { fixedBook } from '../src/service/makers/fixedBook.ts'
import type { ServiceMarket } from '../src/service/market.ts'
import { createUniswapV2Venue } from '../src/service/venues/createUniswapV2Venue.ts'
import type { Load, Loaded } from './loadWorker.ts'
import { median } from './measure.ts'

const { values } = parseArgs({
  options: {
    /** Of load for each figure, over all rounds. */
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '100000' },
    pairs: { type: 'string', default: '200' },
    /** `off` leaves out key, shares, balance and impact, to see what they cost. */
    limits: { type: 'string', default: 'on' },
  },
})
const connections = 20
const seconds = Number(values.seconds)
const roundsCount = Number(values.rounds)
const pairs = Number(values.pairs)
const limited = values.limits !== 'off'

const chainId = 31337
const router: Address = `0x${'a1'.repeat(20)}`
const taker: Address = `0x${'b2'.repeat(20)}`
const token = (index: number, decimals: number): Token => ({
  chainId,
  address: `0x${(index + 1).toString(16).padStart(40, '0')}`,
  symbol: `T${index}`,
  decimals,
})
const usd = token(0, 6)
const wrapped = token(1, 18)
const keys = [randomBytes(32), randomBytes(32)] as const
const accountOf = (key: Buffer) => compiledAccount(`0x${key.toString('hex')}`)
const [maker, feeSigner] = [accountOf(keys[0]), accountOf(keys[1])]
const curve = await engine()

const apiKey = 'a key of the bench'
const apiKeys = limited ? [apiKey] : []

/** A clock that a measurement may move on, to see what time releases. */
let shiftMs = 0
const clock: Clock = { now: () => systemClock.now() + shiftMs, sleep: systemClock.sleep }

/** A service over one maker with so many pairs, ten levels a side, and one pool. */
async function openDesk(count: number) {
  const bases = Array.from({ length: count }, (_, index) => token(index + 1, 18))
  const books = bases.map((base, index) => {
    const side = (step: number) =>
      Array.from({ length: 10 }, (_, nth): [string, string] => [
        `${10 + nth}`,
        (3_000 + index + step * (nth + 1) * 0.25).toFixed(2),
      ])
    return fixedBook({ base, quote: usd, bid: side(-1), ask: side(1), minimumInBase: '0.01' })
  })
  const market: ServiceMarket = {
    chain: { chainId, chain: 'local', label: 'Bench', token: 'ETH', isMainnet: false },
    blockTimeSeconds: 1,
    tokens: [usd, ...bases],
    dollars: [usd.address],
    native: { chainId, address: nativeAddress, symbol: 'ETH', decimals: 18 },
    wrapped,
    router,
    executor: `0x${'d4'.repeat(20)}`,
    feeSigner,
    feeRecipient: feeSigner.address,
    feeBps: 0,
    expiry: { defaultSeconds: 10, maxSeconds: 120 },
    venues: [
      createMakerVenue({
        ...{ name: 'maker-a', account: maker, router, books },
        share: { shareBps: limited ? 2_500 : 10_000 },
      }),
      createUniswapV2Venue({ address: `0x${'c3'.repeat(20)}`, tokens: [wrapped, usd] }),
    ],
    // What `ballast service` holds its callers to where its file says nothing.
    ...(limited ? { impactBpsMax: 1_000, needsBalance: true } : {}),
  }
  const log = pino({ level: 'silent' })
  const service = createService({ market, rpc: stubRpc(), apiKeys, clock, log })
  return { url: await service.listen(), close: service.close }
}

const desk = await openDesk(3)
const large = await openDesk(pairs)
const worker = new Worker(new URL('./loadWorker.ts', import.meta.url))
async function load(options: Omit<Load, 'connections' | 'headers'>) {
  const begun = process.threadCpuUsage()
  const loaded = await new Promise<Loaded>((resolve) => {
    worker.once('message', resolve)
    worker.postMessage({ connections, headers: { apikey: apiKey }, ...options })
  })
  return { ...loaded, cpu: cpuSince(begun, loaded.requests) }
}

/** Microseconds that this thread worked for one of so many: the same on an idle and on a loaded machine. */
function cpuSince(begun: NodeJS.CpuUsage, count: number): number {
  const { user, system } = process.threadCpuUsage(begun)
  return (user + system) / count
}

const quote = `chain=local&token_in=${wrapped.address}&token_out=${usd.address}&from_address=${taker}&amount=1.5`
const paths = {
  firm: `/v1/firm-quote?${quote}&expiry_time=5`,
  indicative: `/v1/indicative-quote?${quote}`,
  book: '/v1/orderbook?chain=local',
}
const bodyOf = async (url: string) =>
  Buffer.from(await (await fetch(url, { headers: { apikey: apiKey } })).bytes())
const firmBytes = await bodyOf(desk.url + paths.firm)
const bookBytes = await bodyOf(large.url + paths.book)

/** The server's own cost: the framework, a request id, bytes that are there already. */
const floor = fastify({ genReqId: () => crypto.randomUUID() })
floor.addHook('onRequest', async (request, reply) => {
  reply.header('x-request-id', request.id)
})
const send = (bytes: Buffer) => async (_: unknown, reply: FastifyReply) =>
  reply.header('content-type', 'application/json; charset=utf-8').send(bytes)
floor.get('/firm', send(firmBytes))
floor.get('/book', send(bookBytes))
const floorUrl = await floor.listen({ port: 0, host: '127.0.0.1' })

const line = (name: string, figure: string, note = '') =>
  console.log(`${name.padEnd(46)}${figure.padStart(14)}   ${note}`)
const processor = (cpu: number) => `${cpu.toFixed(0)} µs of processor`
const rate = ({ perSecond }: Pick<Loaded, 'perSecond'>) => `${perSecond.toFixed(0)} /s`
const times = ({ p50, p99, failed }: Pick<Loaded, 'p50' | 'p99' | 'failed'>) =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${failed > 0 ? `, ${failed} FAILED` : ''}`

const namesOf = {
  constantFirm: '  constant body of one',
  firm: 'firm quotes, 3 pairs',
  book: `order book of ${pairs} pairs (${bookBytes.length >> 10} KiB)`,
  constantBook: '  constant body of it',
}

for (const path of Object.values(paths)) await load({ url: desk.url, path, seconds: 1 })
await load({ url: large.url, path: paths.book, seconds: 1 })
for (const path of ['/firm', '/book']) await load({ url: floorUrl, path, seconds: 1 })
await released()

type Round = { readonly signing: ReturnType<typeof signingRate> } & Readonly<
  Record<keyof typeof namesOf, Awaited<ReturnType<typeof load>>>
>
// In turns, so that what else the machine does meets all of them alike.
const rounds: Round[] = []
for (let round = 0; round < roundsCount; round += 1) {
  const part = { seconds: seconds / roundsCount }
  rounds.push({
    signing: signingRate(part.seconds / 2),
    firm: await load({ url: desk.url, path: paths.firm, ...part }),
    constantFirm: await load({ url: floorUrl, path: '/firm', ...part }),
    book: await load({ url: large.url, path: paths.book, ...part }),
    constantBook: await load({ url: floorUrl, path: '/book', ...part }),
  })
}
const middle = (figureOf: (round: Round) => number) => median(rounds.map(figureOf))
/** What a round shows in the middle of all of them. */
const loaded = (name: Exclude<keyof Round, 'signing'>) =>
  line(
    namesOf[name],
    rate({ perSecond: middle((round) => round[name].perSecond) }),
    `${times({
      p50: middle((round) => round[name].p50),
      p99: middle((round) => round[name].p99),
      failed: rounds.reduce((sum, round) => sum + round[name].failed, 0),
    })}, ${processor(middle((round) => round[name].cpu))}`,
  )

const indicative = await load({ url: desk.url, path: paths.indicative, seconds })
const firmOfMany = await load({ url: large.url, path: paths.firm, seconds })

line(
  'two signatures by the compiled curve, alone',
  rate({ perSecond: middle(({ signing }) => signing.perSecond) }),
  processor(middle(({ signing }) => signing.cpu)),
)
loaded('constantFirm')
loaded('firm')
line(
  '  of the two signatures alone',
  middle(({ firm, signing }) => firm.perSecond / signing.perSecond).toFixed(2),
  'target >= 0.6, p99 <= 20 ms',
)
line(
  '  of them in processor time',
  middle(({ firm, signing }) => signing.cpu / firm.cpu).toFixed(2),
  'without what else the machine does',
)
line(
  '  of both floors, in processor time',
  // One thread serves and signs: the times of a request add up.
  middle(({ firm, signing, constantFirm }) => (signing.cpu + constantFirm.cpu) / firm.cpu).toFixed(
    2,
  ),
)
line(`firm quotes, ${pairs} pairs`, rate(firmOfMany), times(firmOfMany))
line('indicative quotes, 3 pairs', rate(indicative), times(indicative))
loaded('book')
loaded('constantBook')
line(
  '  of the constant body',
  middle(({ book, constantBook }) => book.perSecond / constantBook.perSecond).toFixed(2),
  'target >= 0.8',
)

const total = Number(values.requests)
const mixed = async (requests: number) => {
  await load({ url: desk.url, path: paths.indicative, requests: Math.round(requests * 0.8) })
  await load({ url: desk.url, path: paths.book, requests: Math.round(requests * 0.1) })
  await load({ url: desk.url, path: paths.firm, requests: Math.round(requests * 0.1) })
}
await mixed(total / 10)
await released()
const before = heapMb()
await mixed(total)
const reservedAtOnce = await reserved()
await released()
const after = heapMb()
line(`heap before ${total} requests`, `${before.toFixed(1)} MB`)
line('heap after them', `${after.toFixed(1)} MB`, 'target: flat')
line('resident', `${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`)
line('reserved inventory at the end of the load', reservedAtOnce.toFixed(0))
line('  after the deadlines', (await reserved()).toFixed(0), 'target 0')

await worker.terminate()
await desk.close()
await large.close()
await floor.close()

/** The two signatures of a firm quote of one maker leg, each of the last one's bytes: the curve and nothing else. */
function signingRate(forSeconds: number) {
  let digest: Uint8Array = randomBytes(32)
  let signed = 0
  const begun = process.threadCpuUsage()
  const begin = performance.now()
  while (performance.now() - begin < forSeconds * 1_000) {
    for (const key of keys)
      digest = curve.sign(digest, key, { prehash: false, extraEntropy: false }).slice(1, 33)
    signed += 1
  }
  const perSecond = signed / ((performance.now() - begin) / 1_000)
  return { perSecond, cpu: cpuSince(begun, signed) }
}

/** The sum of what all makers have promised, in token units. */
async function reserved(): Promise<number> {
  const text = await (await fetch(`${desk.url}/metrics`)).text()
  return [...text.matchAll(/^reserved_inventory\{.*\} (\S+)$/gm)].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  )
}

/** Moves the clocks past every deadline, and waits for the block that shows it. */
async function released(): Promise<void> {
  shiftMs += 200_000
  await systemClock.sleep(1_500)
}

function heapMb(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round += 1) collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

/** A chain with a block a second on which everybody holds and has approved a lot. */
function stubRpc(): Rpc {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const much = 2n ** 120n
  const answers: Readonly<Record<string, string>> = {
    '0x70a08231': `0x${word(much)}`,
    '0xdd62ed3e': `0x${word(much)}`,
    '0x0902f1ac': `0x${word(3_000_000n * 10n ** 6n)}${word(1_000n * 10n ** 18n)}${word(0n)}`,
  }
  const answer = ({ method, params }: RpcCall<unknown>): unknown => {
    if (method === 'eth_getBlockByNumber') {
      const now = Math.floor(clock.now() / 1_000)
      const quantity = `0x${now.toString(16)}`
      const hash = `0x${word(BigInt(now))}`
      const parentHash = `0x${word(BigInt(now - 1))}`
      return { number: quantity, timestamp: quantity, hash, parentHash, baseFeePerGas: '0x1' }
    }
    if (method !== 'eth_call') return '0x'
    const { data } = params[0] as { data: string }
    return answers[data.slice(0, 10)] ?? `0x${word(0n)}`
  }
  return {
    label: 'stub',
    request: async (call) => call.parse(answer(call)),
    batch: async (calls) =>
      calls.map((call) => ({ ok: true, value: call.parse(answer(call)) })) as never,
    close: async () => undefined,
    isOneExchange: () => true,
  }
}
