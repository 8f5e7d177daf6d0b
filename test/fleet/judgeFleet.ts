import pg from 'pg'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import { getBalanceOf } from '../../src/chain/calls/getBalanceOf.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import type { Address } from '../../src/core/token.ts'
import { runBallast } from '../support/runBallast.ts'
import { dollarsEach, type Fleet } from './openFleet.ts'

/** How far the fleet is, by its journals. */
export type Progress = {
  readonly settled: number
  readonly open: number
  /** Swaps that ended without one. */
  readonly dead: number
}

const pools = new Map<string, pg.Pool>()

/** Answers of the database that the journals of a fleet are in. What polls it keeps its connection. */
export async function askServer(server: string, sql: string): Promise<Record<string, unknown>[]> {
  const pool = pools.get(server) ?? openPool(server)
  return (await pool.query(sql)).rows
}

function openPool(server: string): pg.Pool {
  const options = { max: 1, idleTimeoutMillis: 1_000, allowExitOnIdle: true }
  const pool = new pg.Pool({ connectionString: server, ...options })
  // A server that goes away ends idle connections; the next query has a new one.
  pool.on('error', () => {})
  pools.set(server, pool)
  return pool
}

const schemasOf = async (server: string): Promise<readonly string[]> =>
  (
    await askServer(
      server,
      "SELECT table_schema AS schema FROM information_schema.tables WHERE table_name = 'swap' AND table_schema LIKE 'wallet%'",
    )
  ).map(({ schema }) => String(schema))

/** Counts of all journals, as one moment has them. */
export async function progressOf(server: string): Promise<Progress> {
  const schemas = await schemasOf(server)
  if (schemas.length === 0) return { settled: 0, open: 0, dead: 0 }
  const all = schemas.map((schema) => `SELECT state FROM ${schema}.swap`).join(' UNION ALL ')
  const [row] = await askServer(
    server,
    `SELECT count(*) FILTER (WHERE state = 'SETTLED') AS settled,
       count(*) FILTER (WHERE state IN ('PLANNED', 'VERIFIED', 'SIGNED', 'SENT', 'INCLUDED', 'CANCELLING')) AS open,
       count(*) AS every FROM (${all}) AS swaps`,
  )
  const [settled, open, every] = [row?.settled, row?.open, row?.every].map(Number) as [
    number,
    number,
    number,
  ]
  return { settled, open, dead: every - settled - open }
}

/** What is wrong with a fleet that has come to rest, a line each: books against chain, nonces, and the books themselves. */
export async function judgeFleet(
  fleet: Pick<Fleet, 'file' | 'names' | 'markets' | 'env'>,
  server: string,
): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const name of fleet.names) {
    const [, chain] = name.split('-')
    const market = fleet.markets[Number(chain)]
    if (market === undefined) throw new Error(`${name} is on a chain`)
    const { address } = market.wallets[name] as { address: Address }
    const schema = `wallet_${31_337 + Number(chain)}_${address.slice(2).toLowerCase()}`
    const [booked] = await askServer(
      server,
      `SELECT count(*) FILTER (WHERE state = 'SETTLED') AS settled,
         count(*) FILTER (WHERE state NOT IN ('SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED', 'ABANDONED')) AS open,
         (SELECT next_nonce FROM ${schema}.wallet) AS nonce,
         (SELECT count(*) FROM (SELECT nonce FROM ${schema}.attempt GROUP BY nonce
            HAVING count(DISTINCT swap_id) > 1) AS shared) AS shared
       FROM ${schema}.swap`,
    )
    const rpc = createRpc({ url: market.rpcUrl })
    const usdc = market.tokens.USDC
    if (usdc === undefined) throw new Error('every market has USDC')
    const token = { ...usdc, symbol: 'USDC', chainId: market.chainId }
    const [nonce, left] = await Promise.all([
      rpc.request(getTransactionCount(address)),
      rpc.request(getBalanceOf(token, address)),
    ])
    await rpc.close()
    const sold = 100_000n * 10n ** 6n - left
    const should = BigInt(Number(booked?.settled) * dollarsEach) * 10n ** 6n
    if (sold !== should) wrong.push(`${name}: the chain sold ${sold}, the books ${should}`)
    if (Number(booked?.open) > 0) wrong.push(`${name}: ${booked?.open} swaps are open`)
    if (Number(booked?.nonce) !== nonce)
      wrong.push(`${name}: next nonce ${booked?.nonce}, of the chain ${nonce}`)
    if (Number(booked?.shared) > 0) wrong.push(`${name}: two swaps had one nonce`)
  }
  for (const command of [['reconcile'], ['audit', 'verify']]) {
    const { code, stdout, stderr } = await runBallast([...command, '--config', fleet.file], {
      env: fleet.env,
    })
    if (code !== 0) wrong.push(`${command.join(' ')} ended with ${code}: ${stdout} ${stderr}`)
  }
  return wrong
}
