import { decodeEventLog, encodeEventTopics } from 'viem'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import { type Address, nativeAddress } from '../../src/core/token.ts'
import { balances } from '../support/balances.ts'
import type { Answered } from './driveChain.ts'
import type { Field } from './openField.ts'
import { isDecided, type JournalRows } from './readJournal.ts'

/** What a journal and a chain say of the same time, compared. Empty breaks are what every case must come to. */
export type Judgement = {
  readonly events: number
  readonly settled: number
  /** More swaps on chain than were wanted. */
  readonly doubles: number
  /** Swaps on chain that the journal does not have as settled, amount for amount. */
  readonly lost: number
  /** Swaps that the journal has as settled and the chain does not. */
  readonly phantoms: number
  readonly breaks: readonly string[]
}

type Held = Readonly<Record<string, bigint>>

/**
 * Compares what a bot's journal says with what its chain holds.
 *
 * `wanted` is how many swaps its strategies could have wanted. Where the key was used by somebody else too, nonce and
 * gas are not the journal's alone to explain.
 */
export async function judge(
  { rpc, chain, ready }: Pick<Field, 'rpc' | 'chain' | 'ready'>,
  {
    rows,
    base,
    before,
    wanted,
    foreign,
  }: { rows: JournalRows; base: number; before: Held; wanted: number; foreign: boolean },
): Promise<Judgement> {
  const wallet = ready.wallets.treasury?.address ?? '0x'
  const events = await swapped({ chain, ready }, { wallet, base })
  const mined = await transactions(chain, { wallet, base })
  const after: Held = await balances(rpc, ready)
  const nonce = Number(await chain.ask('eth_getTransactionCount', wallet, 'latest'))

  const settled = rows.swaps.filter(({ state }) => state === 'SETTLED')
  const fits = (event: Answered) =>
    settled.filter(
      (row) =>
        row.authorization === event.authorization &&
        row.sold === `${event.amountIn}` &&
        row.received === `${event.amountOut}`,
    ).length === 1
  const lost = events.filter((event) => !fits(event)).length
  const phantoms = settled.filter(
    ({ authorization }) => !events.some((event) => event.authorization === authorization),
  ).length
  const doubles = Math.max(0, events.length - wanted)

  const known = new Set(rows.attempts.map(({ hash }) => hash))
  const unknown = mined.filter(({ hash }) => !known.has(hash))
  const sum = (parts: readonly (string | null)[]) =>
    parts.reduce((total, part) => total + BigInt(part ?? 0), 0n)
  const gas = sum([
    ...rows.swaps.map(({ gas_paid }) => gas_paid),
    ...rows.attempts.filter(({ kind }) => kind === 'APPROVE').map(({ gas_paid }) => gas_paid),
  ])
  const standing = await allowances({ rpc, ready }, wallet)
  const isApproved = rows.attempts.some(({ kind }) => kind === 'APPROVE')
  const breaks = [
    !isApproved &&
      standing.length > 0 &&
      `allowances that nothing approved: ${standing.join(', ')}`,
    !isDecided(rows) &&
      `undecided: ${rows.swaps.map(({ state, code }) => `${state} ${code ?? ''}`).join(', ')}`,
    doubles > 0 && `${events.length} swaps on chain, ${wanted} wanted`,
    lost > 0 && `${lost} swaps on chain are not settled in the journal`,
    phantoms > 0 && `${phantoms} settled in the journal are not on chain`,
    unknown.length !== 0 &&
      !foreign &&
      `unknown transactions ${unknown.map(({ hash }) => hash).join(', ')}`,
    nonce !== (rows.nextNonce ?? 0) &&
      !foreign &&
      `nonce of the chain ${nonce}, of the journal ${rows.nextNonce}`,
    ...Object.entries({ ETH: { address: nativeAddress }, ...ready.tokens }).map(
      ([symbol, { address }]) => {
        // Somebody else's transaction paid for its own gas.
        if (foreign && symbol === 'ETH') return false
        const of = (token: string | null) => token?.toLowerCase() === address.toLowerCase()
        const told =
          sum(settled.filter((row) => of(row.buy_token)).map(({ received }) => received)) -
          sum(settled.filter((row) => of(row.sell_token)).map(({ sold }) => sold)) -
          (symbol === 'ETH' ? gas : 0n)
        const moved = (after[symbol] ?? 0n) - (before[symbol] ?? 0n)
        return moved !== told && `${symbol} moved by ${moved}, the journal tells ${told}`
      },
    ),
  ].filter((reason) => reason !== false)
  return { events: events.length, settled: settled.length, doubles, lost, phantoms, breaks }
}

/** The tokens that the router may still take from a wallet. */
async function allowances(
  { rpc, ready }: Pick<Field, 'rpc' | 'ready'>,
  wallet: Address,
): Promise<readonly string[]> {
  const tokens = Object.entries(ready.tokens)
  const found = await Promise.all(
    tokens.map(([, { address }]) =>
      rpc.request(
        readContract({
          ...{ address, abi: erc20Abi, functionName: 'allowance' },
          args: [wallet, ready.router],
        }),
      ),
    ),
  )
  return tokens.flatMap(([symbol], index) => (found[index] === 0n ? [] : [symbol]))
}

async function swapped(
  { chain, ready }: Pick<Field, 'chain' | 'ready'>,
  { wallet, base }: { wallet: string; base: number },
): Promise<readonly Answered[]> {
  const topics = encodeEventTopics({
    abi: swapRouterAbi,
    eventName: 'Swapped',
    args: { caller: wallet as `0x${string}` },
  })
  const fromBlock = `0x${(base + 1).toString(16)}`
  const logs: Answered[] = await chain.ask('eth_getLogs', {
    address: ready.router,
    topics,
    fromBlock,
    toBlock: 'latest',
  })
  return logs.map(
    ({ topics, data }) =>
      decodeEventLog({ abi: swapRouterAbi, eventName: 'Swapped', topics, data }).args,
  )
}

/** Every transaction of the wallet since the base, whatever it did. */
async function transactions(
  chain: Field['chain'],
  { wallet, base }: { wallet: string; base: number },
): Promise<readonly { readonly hash: string }[]> {
  const head = await chain.headNumber()
  const found: { hash: string }[] = []
  for (let height = base + 1; height <= head; height += 1) {
    const block = await chain.ask('eth_getBlockByNumber', `0x${height.toString(16)}`, true)
    for (const { hash, from } of block.transactions)
      if (from.toLowerCase() === wallet.toLowerCase()) found.push({ hash })
  }
  return found
}
