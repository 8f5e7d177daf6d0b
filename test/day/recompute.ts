import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  decodeAbiParameters,
  decodeEventLog,
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionData as encode,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  toEventSelector,
} from 'viem'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import { unpacked } from '../../src/bot/journal/store/packed.ts'
import { uniswapV3PeripheryArtifact } from '../../src/sandbox/artifact.ts'
import type { Evening } from './runDay.ts'

// What `ballast report` says, by other code: amounts and prices from the chain, quotes from the tape of the service's answers.
// The journal is read for what only it can know: which swaps there were, when each thing was done, and at which blocks
// prices were looked at. Nothing of src/bot/report or src/story is used.

type Json = Readonly<Record<string, unknown>>
/** A row of the journal. */
type Row = Readonly<Record<string, unknown>>
type Token = { readonly symbol: string; readonly address: Hex; readonly decimals: number }
type Block = { readonly timestamp: number; readonly baseFee: bigint; readonly hash: Hex }
type Log = {
  readonly address: Hex
  readonly topics: [Hex, ...Hex[]]
  readonly data: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
}

const abi = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'function fee() view returns (uint24)',
  'function factory() view returns (address)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 limit)) returns (uint256, uint160, uint32, uint256)',
])
const swapTopics = [
  toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
  toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)'),
]
const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
const sum = (values: readonly bigint[]) => values.reduce((all, one) => all + one, 0n)
const iso = (at: number) => new Date(at).toISOString()
const mean = (values: readonly number[]) =>
  values.reduce((all, one) => all + one, 0) / values.length

/** To the nearest hundredth, half away from zero, as a report rounds. */
function bps(part: bigint, whole: bigint): number | null {
  if (whole === 0n) return null
  const sign = part < 0n ? -1n : 1n
  const scaled = (part * sign * 1_000_000n * 2n + whole) / (2n * whole)
  return Number(sign * scaled) / 100
}

/** Neighbouring sums, each rounded: the parts add up to the rounded whole. */
function partsBps(parts: readonly bigint[], whole: bigint): readonly number[] {
  const upto = parts.map((_, index) => bps(sum(parts.slice(0, index + 1)), whole) ?? 0)
  return upto.map((value, index) => hundredth(value - (upto[index - 1] ?? 0)))
}

const hundredth = (value: number) => Math.round(value * 100) / 100

function decimal(wei: bigint, decimals: number): string {
  const digits = (wei < 0n ? -wei : wei).toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${wei < 0n ? '-' : ''}${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`
}

const amount = ({ symbol, decimals }: Token, wei: bigint) => ({
  ...{ token: symbol, wei: wei.toString(), text: decimal(wei, decimals) },
})

/** A rate in words: what is bought for one sold, cut to what means something. */
function rate(sell: Token, sold: bigint, buy: Token, bought: bigint): string {
  const digits = decimal(
    (bought * 10n ** BigInt(sell.decimals + 18)) / (sold * 10n ** BigInt(buy.decimals)),
    18,
  )
  const [whole = '0', fraction = ''] = digits.split('.')
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const kept = fraction.slice(0, whole === '0' ? zeros + 7 : 6).replace(/0+$/, '')
  return `${kept === '' ? whole : `${whole}.${kept}`} ${buy.symbol} per ${sell.symbol}`
}

/** One price against another in bps, cut towards less after two decimals. */
function apart(bought: bigint, sold: bigint, fromBought: bigint, fromSold: bigint): number {
  const [above, base] = [bought * fromSold * 1_000_000n, fromBought * sold]
  const part = above - base * 1_000_000n
  const cut = part >= 0n || part % base === 0n ? part / base : part / base - 1n
  return Number(cut) / 100
}

function spread(values: readonly (number | undefined)[]) {
  const known = values.flatMap((value) => value ?? []).sort((a, b) => a - b)
  const at = (share: number) => known[Math.max(0, Math.ceil(share * known.length) - 1)]
  return known.length === 0 ? null : { count: known.length, half: at(0.5), most: at(0.95) }
}

function openChain(rpcUrl: string) {
  const memory = new Map<string, Promise<unknown>>()
  const request = <result>(method: string, ...params: unknown[]): Promise<result> => {
    const key = JSON.stringify([method, params])
    const known = memory.get(key) ?? send(method, params)
    memory.set(key, known)
    return known as Promise<result>
  }
  const send = async (method: string, params: unknown[]) => {
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await answer.json()) as { result: unknown; error?: unknown }
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  const hex = (block: number) => `0x${block.toString(16)}`
  return {
    request,
    hex,
    async block(number: number): Promise<Block> {
      const raw = await request<Record<string, Hex>>('eth_getBlockByNumber', hex(number), false)
      return {
        timestamp: Number(raw.timestamp),
        baseFee: BigInt(raw.baseFeePerGas ?? 0),
        hash: raw.hash ?? '0x',
      }
    },
    async read(to: Hex, functionName: string, block: number): Promise<readonly bigint[]> {
      const data = encode({ abi, functionName } as never)
      const answer = await request<Hex>('eth_call', { to, data }, hex(block))
      return [decodeFunctionResult({ abi, functionName, data: answer } as never)].flat() as bigint[]
    },
    logs: (block: number) =>
      request<Log[]>('eth_getLogs', { fromBlock: hex(block), toBlock: hex(block) }),
  }
}

type Chain = ReturnType<typeof openChain>

/** Everything in the market that has a price, by the deployment's own record. */
function openPrices(chain: Chain, { market }: Evening, tokens: readonly Token[]) {
  const made = JSON.parse(readFileSync(join(market, 'deployment.json'), 'utf8')) as {
    pools: Hex[]
    feeds: Record<string, Hex>
  }
  const tokenNamed = (symbol: string): Token => {
    const found = tokens.find((one) => one.symbol === symbol)
    if (found === undefined) throw new Error(`${symbol} was traded`)
    return found
  }
  const [weth, usdc] = [tokenNamed('WETH'), tokenNamed('USDC')]
  const [v2 = '0x', v3 = '0x'] = made.pools as [Hex, Hex]
  const isFirst = (token: Token) =>
    BigInt(token.address) < BigInt((token === weth ? usdc : weth).address)
  const feedOf = (token: Token) => made.feeds[token.symbol] ?? '0x'
  const middleOf = (values: readonly bigint[]) =>
    [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)] ?? 0n

  async function spot(pool: Hex, sell: Token, wei: bigint, block: number): Promise<bigint> {
    if (pool === v2) {
      const [first = 0n, second = 0n] = await chain.read(v2, 'getReserves', block)
      const [own, other] = isFirst(sell) ? [first, second] : [second, first]
      return (wei * other) / own
    }
    const [root = 0n] = await chain.read(v3, 'slot0', block)
    const [own, other] = isFirst(sell) ? [2n ** 192n, root ** 2n] : [root ** 2n, 2n ** 192n]
    return (wei * other) / own
  }

  /**
   * The middle of three sources at a block, each with its time: two pools, each the middle of three looks, and the feeds.
   * Only the journal knows which of them answered: a price that was not read is not in the middle.
   */
  async function middle(sell: Token, wei: bigint, block: number, answered: readonly string[]) {
    const buy = sell === weth ? usdc : weth
    const looks = [0, 5, 10].map((back) => Math.max(0, block - back))
    const pools = await Promise.all(
      [v2, v3].map(async (pool) =>
        middleOf(await Promise.all(looks.map((at) => spot(pool, sell, wei, at)))),
      ),
    )
    const [[, sold = 0n, , soldAt = 0n], [, bought = 1n, , boughtAt = 0n]] = await Promise.all([
      chain.read(feedOf(sell), 'latestRoundData', block),
      chain.read(feedOf(buy), 'latestRoundData', block),
    ])
    const byFeeds =
      (wei * sold * 10n ** BigInt(buy.decimals)) / (bought * 10n ** BigInt(sell.decimals))
    const { timestamp } = await chain.block(block)
    const feeds = `feed ${sell.symbol}/USD ${feedOf(sell)} × feed ${buy.symbol}/USD ${feedOf(buy)}`
    const all = [
      { source: `uniswap-v2 WETH/USDC ${v2}`, fair: pools[0] ?? 0n, at: timestamp },
      { source: `uniswap-v3 WETH/USDC ${v3}`, fair: pools[1] ?? 0n, at: timestamp },
      { source: feeds, fair: byFeeds, at: Math.min(timestamp, Number(soldAt), Number(boughtAt)) },
    ]
    const own = all.filter(({ source }) => answered.includes(source))
    if (own.length < 2 || own.length < answered.length)
      throw new Error(`at block ${block} ${answered.join(', ')} answered`)
    return {
      fair: middleOf(own.map(({ fair }) => fair)),
      at: Math.min(...own.map(({ at }) => at)) * 1_000,
      sources: own.map(({ source }) => source),
    }
  }

  /** Uniswap's own quoter, put into the state of a block for one call, and the pair's own formula. */
  async function pools(sell: Token, wei: bigint, block: number) {
    const buy = sell === weth ? usdc : weth
    const [first = 0n, second = 0n] = await chain.read(v2, 'getReserves', block)
    const [own, other] = isFirst(sell) ? [first, second] : [second, first]
    const byPair = (wei * 997n * other) / (own * 1_000n + wei * 997n)
    const [fee] = await chain.read(v3, 'fee', block)
    const [factory] = await chain.read(v3, 'factory', block)
    const { bytecode } = uniswapV3PeripheryArtifact('QuoterV2')
    const needs = encodeAbiParameters(
      [{ type: 'address' }, { type: 'address' }],
      [String(factory) as Hex, weth.address],
    )
    const code = await chain.request<Hex>(
      'eth_call',
      { data: `${bytecode}${needs.slice(2)}`, gas: '0x1c9c380' },
      'latest',
    )
    const quoter = `0x${'9'.repeat(40)}`
    const asked = {
      ...{ tokenIn: sell.address, tokenOut: buy.address, amountIn: wei },
      ...{ fee: Number(fee), limit: 0n },
    }
    const answer = await chain.request<Hex>(
      'eth_call',
      {
        to: quoter,
        data: encodeFunctionData({ abi, functionName: 'quoteExactInputSingle', args: [asked] }),
      },
      chain.hex(block),
      { [quoter]: { code } },
    )
    const [byV3] = decodeFunctionResult({
      ...{ abi, functionName: 'quoteExactInputSingle', data: answer },
    })
    return byV3 > byPair ? { pool: v3, bought: byV3 } : { pool: v2, bought: byPair }
  }
  return { weth, usdc, middle, pools }
}

const text = (value: unknown) => (value instanceof Uint8Array ? unpacked(value) : String(value))
const json = (value: unknown) => JSON.parse(text(value))

/** Rows of the journal's file. */
function openRows(path: string) {
  const db = new DatabaseSync(path, { readOnly: true })
  const rows = (sql: string) => db.prepare(sql).all() as Row[]
  return { rows, close: () => db.close() }
}

type FirmBody = {
  readonly amountOut: string
  readonly source: string
  readonly orders: readonly {
    readonly signer: Hex
    readonly buyer: Hex
    readonly sellerToken: Hex
    readonly sellerTokenAmount: string
    readonly buyerToken: Hex
    readonly buyerTokenAmount: string
    readonly quoteId: string
    readonly deadlineTimestamp: number
  }[]
}

/** What a report of the evening must be, figure by figure. */
export async function recompute(evening: Evening, ready: { readonly router: Hex }, until: string) {
  const chain = openChain(evening.rpcUrl)
  const { rows, close } = openRows(evening.journal)
  try {
    return await reportOf(evening, { chain, rows, router: ready.router, until })
  } finally {
    close()
  }
}

type Opened = {
  readonly chain: Chain
  readonly rows: ReturnType<typeof openRows>['rows']
  readonly router: Hex
  readonly until: string
}

async function reportOf(evening: Evening, { chain, rows, router, until }: Opened) {
  const swapRows = rows('SELECT * FROM swap ORDER BY created_at, id')
  const tokens = new Map<string, Token>()
  const tokenOf = (one: Token) => {
    const known = tokens.get(one.address.toLowerCase()) ?? one
    tokens.set(one.address.toLowerCase(), known)
    return known
  }
  const asked = rows('SELECT * FROM aftermath WHERE asked IS NOT NULL ORDER BY at, subject').map(
    (row) => ({ ...row, ...json(row.asked) }),
  ) as unknown as {
    strategy: string
    sell: { token: Token; wei: string }
    buy: Token
    found: unknown
  }[]
  for (const row of [...swapRows.map(({ plan }) => json(plan).intent), ...asked]) {
    tokenOf(row.sell.token)
    tokenOf(row.buy)
  }
  const prices = openPrices(chain, evening, [...tokens.values()])
  const quotes = evening.tape
    .filter(({ path, status }) => path.startsWith('/v1/firm-quote') && status === 200)
    .map(({ body }) => JSON.parse(body) as FirmBody)
  const indications = evening.tape
    .filter(({ path, status }) => path.startsWith('/v1/indicative-quote') && status === 200)
    .map(({ body }) => JSON.parse(body) as Record<string, string>)

  async function swapOf(row: Row) {
    const plan = json(row.plan)
    const [sell, buy] = [tokenOf(plan.intent.sell.token), tokenOf(plan.intent.buy)]
    const wei = BigInt(plan.intent.sell.wei)
    const attempts = rows(`SELECT * FROM attempt WHERE swap_id = '${row.id}' ORDER BY created_at`)
    const events = rows(`SELECT * FROM event WHERE swap_id = '${row.id}' ORDER BY seq`)
    const seen = rows(`SELECT * FROM aftermath WHERE subject = '${row.id}'`).map(({ found }) =>
      json(found),
    )[0] as {
      marks: { afterMs: number; block: number; sources: readonly string[] }[]
      pools?: { when: string; block: number }[]
    }
    const own = rows(`SELECT * FROM quote WHERE swap_id = '${row.id}'`)[0]
    const decided =
      plan.arrival && (await prices.middle(sell, wei, plan.arrival.block, plan.arrival.sources))
    const appraisal = own && json(own.simulation).appraisal
    const asked = appraisal && {
      ...(await prices.middle(
        sell,
        wei,
        appraisal.block,
        appraisal.references.map(({ source }: { source: string }) => source),
      )),
      askedAt: Number(appraisal.askedAt),
    }
    return { row, plan, sell, buy, wei, attempts, events, seen, own, decided, asked }
  }
  type Swap = Awaited<ReturnType<typeof swapOf>>
  const swaps = await Promise.all(swapRows.map(swapOf))

  /** A transaction of the wallet, as the chain has it. */
  async function paidFor(hash: Hex) {
    const receipt = await chain.request<Record<string, Hex>>('eth_getTransactionReceipt', hash)
    if (receipt === null) return { total: 0n, base: 0n, tip: 0n, used: 0n }
    const used = BigInt(receipt.gasUsed ?? 0)
    const price = BigInt(receipt.effectiveGasPrice ?? 0)
    const { baseFee } = await chain.block(Number(receipt.blockNumber))
    return { total: used * price, base: used * baseFee, tip: used * (price - baseFee), used }
  }

  const firmOf = ({ own }: Swap) => {
    if (own === undefined) return undefined
    const id = String(own.quote_id).replace(/^0x|-/g, '')
    const firm = quotes.find(({ orders: [first] }) => first?.quoteId.replaceAll('-', '') === id)
    if (firm === undefined) throw new Error('its quote is on the tape')
    return firm
  }

  /** By the instants of the journal; undefined where it did not come so far. */
  function timingOf(swap: Swap) {
    const { row, own, events, attempts } = swap
    const receivedAt = own && json(own.simulation).receivedAt
    const sent = events.find(({ type }) => type === 'SENT')
    const included = events.findLast(({ type }) => type === 'INCLUDED')
    const main = attempts.find(({ kind }) => kind === 'SWAP')
    const deadline = Math.min(...(firmOf(swap)?.orders ?? []).map((one) => one.deadlineTimestamp))
    const apartMs = (to: unknown, from: unknown) =>
      to == null || from == null ? undefined : Number(to) - Number(from)
    return {
      quoteAgeMs: apartMs(row.signed_at, receivedAt),
      inclusionMs: apartMs(included?.at, sent?.at),
      inclusionBlocks: apartMs(row.included_block, main?.sent_at_block),
      leftSeconds:
        own === undefined || included === undefined
          ? undefined
          : deadline - Math.ceil(Number(included.at) / 1_000),
    }
  }

  async function settledOf(swap: Swap) {
    const { row, plan, sell, buy, wei, attempts, seen, own, decided } = swap
    const hash = String(row.included_hash) as Hex
    const block = Number(
      (await chain.request<Record<string, Hex>>('eth_getTransactionReceipt', hash)).blockNumber,
    )
    const logs = await chain.logs(block)
    const mine = logs.filter((log) => same(log.transactionHash, hash))
    const routed = mine
      .filter((log) => same(log.address, router))
      .map((log) => decodeEventLog({ abi: swapRouterAbi, ...log }))
    const moved = routed.flatMap((one) => (one.eventName === 'Swapped' ? one.args : []))[0]
    if (moved === undefined) throw new Error(`${hash} swapped nothing`)
    const firm = quotes.find(({ orders: [first] }) =>
      same(`0x${first?.quoteId.replaceAll('-', '')}`, moved.quoteId),
    )
    if (firm === undefined) throw new Error('its quote is on the tape')
    const [sold, received, quoted] = [moved.amountIn, moved.amountOut, BigInt(firm.amountOut)]
    const call = await chain.request<{ input: Hex }>('eth_getTransactionByHash', hash)
    const [params] = decodeFunctionData({ abi: swapRouterAbi, data: call.input })
      .args as unknown as [{ amountOutMinimum: bigint }]
    const worth = (fair: bigint) => (fair * sold) / wei
    const simulation = json(own?.simulation)
    const atQuote = swap.asked ?? { fair: 0n }
    const paid = await Promise.all(attempts.map((one) => paidFor(String(one.hash) as Hex)))
    const gas = sum(paid.map(({ total }) => total))
    const tip = sum(paid.map((one) => one.tip))
    const base = sum(paid.map((one) => one.base))
    const inBought = (cost: bigint) =>
      buy === prices.weth ? cost : (cost * atQuote.fair + wei - 1n) / wei
    const parts = {
      delay: worth(decided?.fair ?? 0n) - worth(atQuote.fair),
      spread: worth(atQuote.fair) - worth(quoted),
      slippage: worth(quoted) - received,
      gas: inBought(gas),
    }
    const total = parts.delay + parts.spread + parts.slippage + parts.gas
    const marks = await Promise.all(
      seen.marks.map(async ({ afterMs, block: at, sources }) => {
        await isOfInstant(at, { block, afterMs })
        const value = worth((await prices.middle(sell, wei, at, sources)).fair)
        return { afterMs, block: at, worth: value, gain: received - value }
      }),
    )
    const pools = await Promise.all(
      [
        { when: 'decision', block: Number(plan.arrival.block) },
        { when: 'inclusion', block: block - 1 },
      ].map(async ({ when, block: at }) => {
        const { pool, bought } = await prices.pools(sell, wei, at)
        return { when, block: at, pool, bought, gain: received - worth(bought) }
      }),
    )
    const legs = legsOf(firm, {
      mine,
      router,
      wei,
      middle: atQuote.fair,
      alone: pools[1]?.bought ?? 0n,
    })
    const indication = indications.find(
      (one) =>
        one.sellerTokenAmountWei === plan.indication?.sold.wei &&
        one.buyerTokenAmountWei === plan.indication?.bought.wei,
    )
    if (indication === undefined) throw new Error('its indication is on the tape')
    const [shownSold, shown] = [
      BigInt(indication.sellerTokenAmountWei ?? 0),
      BigInt(indication.buyerTokenAmountWei ?? 0),
    ]
    const prediction = BigInt(simulation.received.wei)
    const gasOf = (await paidFor(hash)).used
    return {
      ...{ swap, block, sold, received, quoted, firm, parts, total, tip, gas, base, marks, pools },
      ...{ legs, timing: timingOf(swap), prediction, gasOf, predictedGas: BigInt(simulation.gas) },
      ...{
        worth: worth(decided?.fair ?? 0n),
      },
      tipInBought: inBought(tip),
      over: apart(quoted, wei, shown, shownSold),
      overMinimum: apart(received, sold, params.amountOutMinimum, wei),
      slipped: 0 - apart(received, sold, quoted, wei),
      shownPrice: rate(sell, shownSold, buy, shown),
      quoteMs: Number(simulation.receivedAt) - Number(simulation.requestedAt),
      neighbours: neighboursOf(logs, mine),
    }
  }

  /** A block is the newest one at its instant: that of the swap, and so many milliseconds after it. */
  async function isOfInstant(at: number, { block, afterMs }: { block: number; afterMs: number }) {
    const due = (await chain.block(block)).timestamp * 1_000 + afterMs
    const [own, next] = [await chain.block(at), await chain.block(at + 1)]
    const fits = own.timestamp * 1_000 <= due && (next.timestamp * 1_000 > due || afterMs === 0)
    if (!fits) throw new Error(`block ${at} is not that of ${afterMs} ms after block ${block}`)
  }

  const isSettled = ({ row }: Swap) => row.state === 'SETTLED'
  const settled = await Promise.all(swaps.filter(isSettled).map(settledOf))
  type Settled = (typeof settled)[number]
  const groups = <one>(all: readonly one[], keyOf: (one: one) => string) =>
    [...Map.groupBy(all, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, own]) => own)
  const series = ({ swap: { row, sell, buy } }: { swap: Pick<Swap, 'row' | 'sell' | 'buy'> }) =>
    [row.strategy, sell.address, buy.address].join(' ').toLowerCase()
  const of = ({ swap: { row, sell, buy } }: Settled) => ({
    ...{ strategy: row.strategy, sell: sell.symbol, buy: buy.symbol },
  })

  const newest = settled.map((one) => {
    const { swap, parts, sold, received, marks, pools, legs } = one
    const { row, plan, sell, buy, decided } = swap
    const text = (wei: bigint) => amount(buy, wei)
    const [delay = 0, spent = 0, slip = 0, gas = 0] = partsBps(Object.values(parts), one.worth)
    return {
      id: row.id,
      at: iso(Number(row.created_at)),
      strategy: row.strategy,
      sold: amount(sell, sold),
      received: text(received),
      source: one.firm.source,
      benchmark: 'independent sources',
      benchmarkSources: decided?.sources,
      benchmarkAgeMs: Number(row.created_at) - (decided?.at ?? 0),
      prices: {
        decision: rate(sell, sold, buy, one.worth),
        indication: one.shownPrice,
        firm: rate(sell, swap.wei, buy, one.quoted),
        realised: rate(sell, sold, buy, received),
      },
      cost: {
        ...{ delay: text(parts.delay), spread: text(parts.spread) },
        ...{ slippage: text(parts.slippage), gas: text(parts.gas) },
        ...{ gasTip: text(one.tipInBought), total: text(one.total) },
      },
      bps: {
        ...{ delay, spread: spent, slippage: slip, gas },
        total: hundredth(delay + spent + slip + gas),
      },
      overIndicationBps: one.over,
      overMinimumBps: one.overMinimum,
      slippageBps: one.slipped,
      blocks: {
        decision: plan.arrival.block,
        quote: json(swap.own?.simulation).appraisal.block,
        inclusion: one.block,
      },
      gasPaid: {
        ...{ totalWei: String(one.gas), baseWei: String(one.base), tipWei: String(one.tip) },
        restWei: String(one.gas - one.base - one.tip),
      },
      effectiveSpreadBps: bps(-2n * (marks[0]?.gain ?? 0n), marks[0]?.worth ?? 0n),
      markouts: marks.map(({ afterMs, block, worth, gain }) => ({
        ...{ afterSeconds: afterMs / 1_000, block, worth: text(worth), gain: text(gain) },
        ...{ bps: bps(gain, worth), missing: null },
      })),
      pools: pools.map(({ bought, gain, ...pool }) => ({
        ...{ ...pool, bought: text(bought), gain: text(gain), bps: bps(gain, bought) },
        missing: null,
      })),
      legs: legs.map(({ overMiddle, overPools, filled, ...leg }) => ({
        ...{ maker: leg.maker, sell: leg.sell, soldWei: String(leg.sold), buy: leg.buy },
        promisedWei: String(leg.promised),
        filledBy: { kind: filled.by, address: filled.address },
        filledWei: String(filled.bought),
        ...{ overMiddle: text(overMiddle), overPools: text(overPools) },
      })),
      sandwich: one.neighbours,
      timing: one.timing,
    }
  })

  const total = (all: readonly Settled[], figure: (one: Settled) => bigint) => sum(all.map(figure))
  const execution = groups(settled, series).flatMap((all) => {
    const [first] = all
    if (first === undefined) return []
    const { sell, buy } = first.swap
    const text = (figure: (one: Settled) => bigint) => amount(buy, total(all, figure))
    const worth = total(all, (one) => one.worth)
    const names = ['delay', 'spread', 'slippage', 'gas'] as const
    const sums = names.map((name) => total(all, (one) => one.parts[name]))
    const [delay = 0, spent = 0, slip = 0, gas = 0] = partsBps(sums, worth)
    return {
      ...of(first),
      swaps: all.length,
      sold: amount(
        sell,
        total(all, (one) => one.sold),
      ),
      received: text((one) => one.received),
      benchmark: 'independent sources at the decision',
      measured: all.length,
      ...{ gasUnpriced: 0, indicationOnly: 0, withoutBenchmark: 0 },
      worth: amount(buy, worth),
      cost: {
        delay: text((one) => one.parts.delay),
        spread: text((one) => one.parts.spread),
        slippage: text((one) => one.parts.slippage),
        gas: text((one) => one.parts.gas),
        gasTip: text((one) => one.tipInBought),
        total: text((one) => one.total),
      },
      bps: {
        ...{ delay, spread: spent, slippage: slip, gas },
        total: hundredth(delay + spent + slip + gas),
      },
    }
  })

  const quality = groups(settled, series).flatMap((all) => {
    const [first] = all
    if (first === undefined) return []
    const { buy } = first.swap
    const summed = (found: readonly { readonly worth: bigint; readonly gain: bigint }[]) => {
      const [worth, gain] = [sum(found.map((one) => one.worth)), sum(found.map((one) => one.gain))]
      return {
        ...{ swaps: found.length, missing: 0 },
        ...{ worth: amount(buy, worth), gain: amount(buy, gain), bps: bps(gain, worth) },
      }
    }
    const marks = all.flatMap((one) => one.marks)
    const instants = [...new Set(marks.map(({ afterMs }) => afterMs))].sort((a, b) => a - b)
    const own = marks.filter(({ afterMs }) => afterMs === 0)
    const through = all.filter(({ neighbours }) => neighbours.pools > 0)
    return {
      ...of(first),
      swaps: all.length,
      effectiveSpreadBps: bps(
        -2n * sum(own.map(({ gain }) => gain)),
        sum(own.map(({ worth }) => worth)),
      ),
      markouts: instants.map((afterMs) => ({
        afterSeconds: afterMs / 1_000,
        ...summed(marks.filter((mark) => mark.afterMs === afterMs)),
      })),
      pools: ['decision', 'inclusion'].map((when) => ({
        when,
        ...summed(
          all
            .flatMap((one) => one.pools)
            .filter((one) => one.when === when)
            .map(({ bought, gain }) => ({ worth: bought, gain })),
        ),
      })),
      sandwich: {
        checked: through.length,
        neighboured: through.filter(({ neighbours: one }) => one.before + one.after > 0).length,
        suspected: through.filter(({ neighbours }) => neighbours.suspected).length,
      },
    }
  })

  const isSent = ({ attempts }: Swap) =>
    attempts.some(({ kind, sent_at_block }) => kind === 'SWAP' && sent_at_block !== null)
  const hasFaded = ({ row }: Swap) =>
    ['REVERTED', 'EXPIRED_DEAD', 'DISPLACED'].includes(String(row.state))
  /** Every firm quote that passed all checks, whatever came of it. */
  const offers = swaps.flatMap((swap) => {
    const firm = firmOf(swap)
    if (swap.own === undefined || firm === undefined) return []
    const { receivedAt, requestedAt } = json(swap.own.simulation)
    const fill = settled.find((one) => one.swap === swap)
    return { swap, firm, fill, quoteMs: receivedAt - requestedAt }
  })
  const makerOf = (order: FirmBody['orders'][number]) =>
    BigInt(order.signer) === 0n ? '' : order.buyer.toLowerCase()
  const orders = offers.flatMap((offer) =>
    offer.firm.orders.map((order, index) => ({ offer, maker: makerOf(order), index })),
  )
  const known = (values: readonly number[]) =>
    values.length === 0 ? null : hundredth(mean(values))
  const makers = groups(orders, ({ maker }) => maker).map((all) => {
    const maker = all[0]?.maker ?? ''
    const own = [...new Set(all.map(({ offer }) => offer))]
    const filled = all.flatMap(({ offer, index }) => offer.fill?.legs[index] ?? [])
    const marks = own.flatMap(({ fill }) => fill?.marks ?? [])
    const instants = [...new Set(marks.map(({ afterMs }) => afterMs))].sort((a, b) => a - b)
    const over = (figure: 'overMiddle' | 'overPools') =>
      known(filled.map((leg) => bps(leg[figure], leg.filled.bought - leg[figure]) ?? 0))
    const declined = filled.filter((leg) => maker !== '' && leg.filled.by === 'pool').length
    const times = (test: (swap: Swap) => boolean) =>
      all.filter(({ offer }) => test(offer.swap)).length
    return {
      maker: maker === '' ? 'pools' : maker,
      ...{ offered: all.length, taken: times(isSent), filled: filled.length - declined, declined },
      faded: times(hasFaded),
      quoteMs: spread(own.map(({ quoteMs }) => quoteMs)),
      ...{ overMiddleBps: over('overMiddle'), overPoolsBps: over('overPools') },
      markouts: instants.map((afterMs) => ({
        afterSeconds: afterMs / 1_000,
        bps: known(
          marks
            .filter((mark) => mark.afterMs === afterMs)
            .map(({ gain, worth }) => bps(gain, worth) ?? 0),
        ),
      })),
    }
  })

  const venues = groups(offers, ({ firm }) => firm.source).map((all) => {
    const fills = all.flatMap(({ fill }) => fill ?? [])
    const times = (test: (swap: Swap) => boolean) => all.filter(({ swap }) => test(swap)).length
    const [sent, faded] = [times(isSent), times(hasFaded)]
    return {
      source: all[0]?.firm.source,
      ...{ accepted: all.length, sent, settled: fills.length, faded },
      fadeRate: hundredth((100 * (faded + 1)) / (sent + 20)) / 100,
      overIndicationBps: known(fills.map(({ over }) => over)),
      slippageBps: known(fills.map(({ slipped }) => slipped)),
    }
  })

  /** Swaps that ended without a fill, and refused wishes; one that is not looked at yet is in the count alone. */
  const wishes = [
    ...swaps
      .filter((swap) => !isSettled(swap))
      .map(({ row, sell, buy, wei, seen, decided }) => ({
        ...{ strategy: String(row.strategy), sell, buy, wei, found: seen, decided: decided?.fair },
      })),
    ...asked.map((row) => ({
      ...{ strategy: row.strategy, sell: tokenOf(row.sell.token), buy: tokenOf(row.buy) },
      ...{ wei: BigInt(row.sell.wei), found: json(row.found), decided: undefined },
    })),
  ]
  const costs = await Promise.all(
    wishes.map(async ({ found, ...wish }) => {
      const marks = await Promise.all(
        (found as Swap['seen']).marks.map(async ({ afterMs, block, sources }) => ({
          afterMs,
          fair: (await prices.middle(wish.sell, wish.wei, block, sources)).fair,
        })),
      )
      const before = wish.decided ?? marks[0]?.fair ?? 0n
      return { ...wish, marks: marks.map((mark) => ({ ...mark, before })) }
    }),
  )
  const opportunity = groups(costs, ({ strategy, sell, buy }) =>
    [strategy, sell.address, buy.address].join(' ').toLowerCase(),
  ).flatMap((all) => {
    const [first] = all
    if (first === undefined) return []
    const marks = all.flatMap((one) => one.marks)
    const instants = [...new Set(marks.map(({ afterMs }) => afterMs))].sort((a, b) => a - b)
    return {
      ...{ strategy: first.strategy, sell: first.sell.symbol, buy: first.buy.symbol },
      wishes: all.length,
      costs: instants.map((afterMs) => {
        const own = marks.filter((mark) => mark.afterMs === afterMs)
        const worth = sum(own.map(({ before }) => before))
        const cost = worth - sum(own.map(({ fair }) => fair))
        return {
          ...{ afterSeconds: afterMs / 1_000, wishes: own.length, missing: 0 },
          ...{
            worth: amount(first.buy, worth),
            cost: amount(first.buy, cost),
            bps: bps(cost, worth),
          },
        }
      }),
    }
  })

  const differences = settled.map(
    ({ received, prediction }) => Number(((received - prediction) * 1_000_000n) / prediction) / 100,
  )
  const share = (part: number, whole: number) =>
    whole === 0 ? null : hundredth((100 * part) / whole)
  const count = (test: (swap: Swap) => boolean) => swaps.filter(test).length
  const quoted = count(
    ({ own, row }) => own !== undefined || /^(VERIFY|POLICY|SIMULATE)_/.test(String(row.code)),
  )
  const accepted = count(({ own }) => own !== undefined)
  const sent = count(isSent)
  const ended = (state: string) => count(({ row }) => row.state === state)
  const taken = count(({ events }) => events.some(({ type }) => type === 'SENT'))
  const stopped = groups(
    swaps.filter(({ row }) => ['REJECTED', 'ABANDONED'].includes(String(row.state))),
    ({ row }) => String(row.code ?? row.state),
  ).map((all) => ({ code: all[0]?.row.code ?? all[0]?.row.state, count: all.length }))
  const unplanned = groups(rows('SELECT code, times FROM refusal'), ({ code }) => String(code))
    .map((all) => ({
      code: all[0]?.code,
      count: all.reduce((times, one) => times + Number(one.times), 0),
    }))
    .sort((a, b) => b.count - a.count)
  const slots = groups(rows('SELECT * FROM slot WHERE slots > 0 ORDER BY slot'), (row) =>
    String(row.strategy),
  )
  const gasForNothing = await Promise.all(
    swaps
      .filter((swap) => !isSettled(swap))
      .flatMap(({ attempts }) => attempts.map((one) => paidFor(String(one.hash) as Hex))),
  )
  return {
    ...{
      mode: 'live',
      market: 'synthetic',
      wallet: json(swapRows[0]?.plan).wallet,
      chain: 'local',
    },
    ...{ until, strategy: null, from: iso(Number(swapRows[0]?.created_at)), swaps: swaps.length },
    rates: {
      ...{
        planned: swaps.length,
        quoted,
        accepted,
        signed: count(({ row }) => row.nonce !== null),
      },
      ...{ sent, taken, settled: settled.length, reverted: ended('REVERTED') },
      expired: ended('EXPIRED_DEAD'),
      expiredUnsent: count((swap) => swap.row.state === 'EXPIRED_DEAD' && !isSent(swap)),
      ...{ displaced: ended('DISPLACED'), open: 0 },
      stopped,
      shares: {
        quotedOfPlanned: share(quoted, swaps.length),
        acceptedOfQuoted: share(accepted, quoted),
        sentOfAccepted: share(sent, accepted),
        takenOfSent: share(taken, sent),
        settledOfSent: share(settled.length, sent),
        revertedOfSent: share(ended('REVERTED'), sent),
      },
    },
    unplanned,
    timing: {
      quoteAgeMs: spread(swaps.map(timingOf).map((timing) => timing.quoteAgeMs)),
      inclusionMs: spread(swaps.map(timingOf).map((timing) => timing.inclusionMs)),
      inclusionBlocks: spread(swaps.map(timingOf).map((timing) => timing.inclusionBlocks)),
      leftSeconds: spread(swaps.map(timingOf).map((timing) => timing.leftSeconds)),
    },
    gasForNothingWei: String(sum(gasForNothing.map((one) => one.total))),
    ...{ execution, newest, venues },
    schedules: groups(settled, series).map((all) => scheduleOf(all, swaps, prices)),
    slots: {
      counts: slots.map((all) => {
        const times = (state: string) =>
          all
            .filter((row) => row.state === state)
            .reduce((found, row) => found + Number(row.slots), 0)
        return {
          strategy: all[0]?.strategy,
          ...{ done: times('done'), passed: times('passed'), missed: times('missed') },
          failed: times('failed'),
        }
      }),
      notDone: slots
        .flat()
        .filter((row) => ['missed', 'failed'].includes(String(row.state)))
        .toSorted((one, other) => Number(one.slot) - Number(other.slot))
        .map(({ strategy, slot, upto, slots: times, state, reason }) => ({
          ...{ strategy, slot: iso(Number(slot)), upto: iso(Number(upto)), slots: times },
          ...{ state, reason },
        })),
    },
    ...{ quality, makers, opportunity },
    parity: {
      swaps: settled.length,
      exact: settled.filter(({ received, prediction }) => received === prediction).length,
      meanBps: hundredth(mean(differences)),
      worstBps: hundredth(Math.min(...differences)),
      gasMeanBps: hundredth(
        mean(
          settled.map(
            ({ gasOf, predictedGas }) =>
              Number(((gasOf - predictedGas) * 1_000_000n) / predictedGas) / 100,
          ),
        ),
      ),
    },
  }
}

/** Fills as a series: prices are USDC for one WETH, in doubles. */
function scheduleOf(
  all: readonly ScheduledFill[],
  every: readonly ScheduledFill['swap'][],
  { weth }: { readonly weth: Token },
): Json {
  const [first] = all
  if (first === undefined) return {}
  const { row, sell } = first.swap
  const isSale = sell === weth
  const price = (sold: bigint, bought: bigint, sells: boolean) =>
    sells
      ? Number(bought) / 1e6 / (Number(sold) / 1e18)
      : Number(sold) / 1e6 / (Number(bought) / 1e18)
  const own = price(sum(all.map(({ sold }) => sold)), sum(all.map((one) => one.received)), isSale)
  const mids = all.map(({ sold, worth }) => price(sold, worth, isSale))
  const scheduled = isSale
    ? mean(mids)
    : mids.length / mids.reduce((found, mid) => found + 1 / mid, 0)
  // Every middle that any swap of the pair was planned or quoted at, each until the next.
  const points = every
    .flatMap(({ row: at, sell: sells, wei, decided, asked }) => [
      ...(decided === undefined
        ? []
        : [{ at: Number(at.created_at), price: price(wei, decided.fair, sells === weth) }]),
      ...(asked === undefined
        ? []
        : [{ at: asked.askedAt, price: price(wei, asked.fair, sells === weth) }]),
    ])
    .sort((a, b) => a.at - b.at)
  const [from, until] = [all[0], all.at(-1)].map((one) => Number(one?.swap.row.created_at))
  let [weighted, span] = [0, 0]
  for (const [index, { at, price: known }] of points.entries()) {
    const lasts =
      Math.min(points[index + 1]?.at ?? until ?? 0, until ?? 0) - Math.max(at, from ?? 0)
    if (lasts <= 0) continue
    weighted += known * lasts
    span += lasts
  }
  const better = (value: number, than: number) =>
    1e4 * (isSale ? value / than - 1 : 1 - value / than)
  const timeWeighted = span === 0 ? undefined : weighted / span
  return {
    ...{ strategy: row.strategy, side: isSale ? 'sell' : 'buy', price: 'USDC per WETH' },
    ...{ fills: all.length, fixedAmount: all.every(({ sold }) => sold === first.sold) },
    ...{ withMid: all.length, averagePrice: own, scheduledMid: scheduled },
    executionSkillBps: hundredth(better(own, scheduled)),
    timeWeightedMid: timeWeighted ?? null,
    timingLuckBps: timeWeighted === undefined ? null : hundredth(better(scheduled, timeWeighted)),
    firstMid: mids[0],
    againstFirstBps: hundredth(better(own, mids[0] ?? 0)),
  }
}

type ScheduledFill = {
  readonly swap: {
    readonly row: Row
    readonly sell: Token
    readonly wei: bigint
    readonly decided: { readonly fair: bigint } | undefined
    readonly asked: { readonly fair: bigint; readonly askedAt: number } | undefined
  }
  readonly sold: bigint
  readonly received: bigint
  readonly worth: bigint
}

type Legs = {
  readonly mine: readonly Log[]
  readonly router: Hex
  readonly wei: bigint
  readonly middle: bigint
  readonly alone: bigint
}

/** The tape's orders beside the logs of the swap: each order left one trace, in their order. */
function legsOf({ orders }: FirmBody, { mine, router, wei, middle, alone }: Legs) {
  const traces = mine.flatMap((log) => {
    if (swapTopics.includes(log.topics[0])) {
      const words = decodeAbiParameters(
        Array.from({ length: 4 }, () => ({ type: 'int256' }) as const),
        log.data,
      )
      const [a, b, c, d] = words as [bigint, bigint, bigint, bigint]
      const bought = log.topics[0] === swapTopics[0] ? (a < 0n ? -a : -b) : c > 0n ? c : d
      return [{ by: 'pool', address: log.address, bought }]
    }
    if (!same(log.address, router)) return []
    const { eventName, args } = decodeEventLog({ abi: swapRouterAbi, ...log })
    return eventName === 'OrderFilled'
      ? [{ by: 'maker', address: args.buyer as Hex, bought: args.buyerAmount }]
      : []
  })
  if (traces.length !== orders.length) throw new Error('each order leaves one trace')
  return orders.map((order, index) => {
    const filled = traces[index] ?? { by: '', address: '0x' as Hex, bought: 0n }
    const sold = BigInt(order.sellerTokenAmount)
    return {
      maker: BigInt(order.signer) === 0n ? null : order.buyer,
      ...{ sell: order.sellerToken, sold, buy: order.buyerToken },
      ...{ promised: BigInt(order.buyerTokenAmount), filled },
      overMiddle: filled.bought - (middle * sold) / wei,
      overPools: filled.bought - (alone * sold) / wei,
    }
  })
}

/** Who else traded in the pools of a swap, in its block. */
function neighboursOf(logs: readonly Log[], mine: readonly Log[]) {
  const isTrade = ({ topics }: Log) => swapTopics.includes(topics[0])
  const isFirst = ({ topics, data }: Log) => {
    const head = BigInt(data.slice(0, 66))
    return topics[0] === swapTopics[0] ? head >> 255n === 0n && head > 0n : head > 0n
  }
  const ways = new Map(mine.filter(isTrade).map((log) => [log.address.toLowerCase(), isFirst(log)]))
  const at = Number(mine[0]?.transactionIndex)
  const others = logs
    .filter((log) => isTrade(log) && !mine.includes(log) && ways.has(log.address.toLowerCase()))
    .map((log) => ({
      hash: log.transactionHash,
      pool: log.address,
      place: Number(log.transactionIndex) < at ? 'before' : 'after',
      side: isFirst(log) === ways.get(log.address.toLowerCase()) ? 'same' : 'opposite',
    }))
  const placed = (place: string) => others.filter((one) => one.place === place)
  const sides = (place: string, side: string) =>
    placed(place).flatMap((one) => (one.side === side ? one.pool.toLowerCase() : []))
  return {
    ...{ pools: ways.size, before: placed('before').length, after: placed('after').length },
    suspected: sides('before', 'same').some((pool) => sides('after', 'opposite').includes(pool)),
    nearest: [...placed('before').slice(-10), ...placed('after').slice(0, 10)],
  }
}
