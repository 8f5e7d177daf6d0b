import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startLyingNode } from '../support/lyingNode.ts'
import { openBot } from '../support/openBot.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'

let fork: Fork
let config: string
let swapId: string

beforeAll(async () => {
  fork = await forkOrigin()
  const bot = await openBot(fork)
  config = bot.config.file
  const { record } = await bot.swap({ sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' })
  expect(record.state).toBe('SETTLED')
  swapId = record.id
  await bot.close()
})
afterAll(() => fork.close())

const ballast = (...args: string[]) => callCli([...args, '--config', config], { cwd: fork.dataDir })

/** The same configuration with another node. */
function through(url: string): string {
  const file = join(fork.dataDir, 'through.yaml')
  writeFileSync(
    file,
    readFileSync(config, 'utf8').replace(`rpcUrl: ${fork.ready.rpcUrl}`, `rpcUrl: "${url}"`),
  )
  return file
}

describe('ballast reconcile', () => {
  test('clean: 0, every check with its evidence, and the same as JSON', async () => {
    const { code, stdout } = await ballast('reconcile')
    expect(code).toBe(0)
    for (let id = 1; id <= 13; id += 1) expect(stdout).toMatch(new RegExp(`^I${id} +holds +`, 'm'))
    expect(stdout).toContain('2 nonces from 0 on: 2 of one attempt each')
    const { ok, checks, locks, since } = JSON.parse((await ballast('reconcile', '--json')).stdout)
    expect({ ok, locks, since }).toEqual({ ok: true, locks: [], since: null })
    expect(checks).toHaveLength(13)
    expect((await ballast('reconcile', '--since', '7d')).stdout).toContain(', since 20')
    expect((await ballast('reconcile', '--since', '7')).code).toBe(2)
  })

  test('a node that is silent leaves what it would have said unknown: 4, and nothing is locked', async () => {
    const { code, stdout } = await callCli(
      ['reconcile', '--json', '--config', through('http://127.0.0.1:9')],
      { cwd: fork.dataDir },
    )
    const { checks, locks } = JSON.parse(stdout)
    expect([code, locks]).toEqual([4, []])
    expect(
      checks.flatMap(({ id, verdict }: { id: string; verdict: string }) =>
        verdict === 'unknown' ? [id] : [],
      ),
    ).toEqual(['I1', 'I2', 'I5', 'I8', 'I11', 'I12'])
  })

  test('a node that has pruned: receipts that are gone are unknown, balances that are gone are left out', async () => {
    const node = await startLyingNode(fork.ready.rpcUrl)
    try {
      const file = through(node.url)
      const told = async () => {
        const { code, stdout } = await callCli(['reconcile', '--json', '--config', file], {
          cwd: fork.dataDir,
        })
        const { checks } = JSON.parse(stdout)
        return {
          code,
          unknown: checks.flatMap(({ id, verdict }: { id: string; verdict: string }) =>
            verdict === 'holds' ? [] : [`${id} ${verdict}`],
          ),
          amounts: checks[4].evidence,
        }
      }
      node.lie({
        bend: ({ method }, answer) =>
          method === 'eth_getTransactionReceipt' ? { ...answer, result: null } : answer,
      })
      expect(await told()).toMatchObject({ code: 4, unknown: ['I1 unknown', 'I11 unknown'] })
      // Its own block, one before, and no other state: that is what balances are compared at.
      node.lie({
        bend: ({ method, params }, answer) => {
          const [call, block] = params as [{ data?: string }, string]
          const isBalance = method === 'eth_call' && call.data?.startsWith('0x70a08231') === true
          return isBalance && block !== 'latest'
            ? { id: answer.id, error: { code: -32_000, message: 'missing trie node' } }
            : answer
        },
      })
      expect(await told()).toEqual({
        code: 0,
        unknown: [],
        amounts: expect.stringMatching(
          /^1 settled swaps as their events say, 0 of them by balances/,
        ),
      })
    } finally {
      await node.close()
    }
  })

  test('a break: 1, the facts, an exact command, and a lock that says so', async () => {
    const db = new DatabaseSync(join(fork.dataDir, 'ballast.db'))
    const paid = db.prepare('SELECT gas_paid FROM swap').get()?.gas_paid
    db.exec(`UPDATE swap SET gas_paid = '1'`)
    const { code, stdout } = await ballast('reconcile')
    const json = JSON.parse((await ballast('reconcile', '--json')).stdout)
    db.exec(`UPDATE swap SET gas_paid = '${paid}'`)
    db.exec(`UPDATE strategy_total SET sold = '1' || sold`)
    const totals = await ballast('reconcile')
    db.exec(`UPDATE strategy_total SET sold = substr(sold, 2)`)
    db.close()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^I5 +BROKEN/m)
    expect(stdout).toContain(
      `I5 LEDGER_DIFFERS\n  swapId: ${swapId}\n  what: gas paid\n  booked: 0.000000000000000001 ETH\n`,
    )
    const { checks } = json as { checks: { id: string; breaks: { facts: object }[] }[] }
    expect(checks.find(({ id }) => id === 'I5')?.breaks[0]?.facts).toMatchObject({ booked: '1' })
    expect(totals.stdout).toMatch(/TOTAL_DIFFERS\n.*\n {2}booked: 11 W?ETH sold and [\d.]+ USDC/)
    expect(stdout).toContain(`next: ballast history ${swapId}`)
    expect(stdout).toMatch(/Locked: halt wallet 0x\w+ \(LEDGER_BROKEN, lock 1\)/)
    expect(stdout).toContain(`ballast resume --config '${config}' --reason`)
    expect((await ballast('reconcile')).code).toBe(0)
    expect((await ballast('swap', '--sell', '1 WETH', '--buy', 'USDC', '--live')).code).toBe(5)
    expect((await ballast('resume', '--reason', 'put right')).code).toBe(0)
  })

  test('nothing to compare yet is no failure', async () => {
    const file = join(fork.dataDir, 'new.yaml')
    writeFileSync(file, readFileSync(config, 'utf8').replace('ballast.db', 'new.db'))
    const ended = await callCli(['reconcile', '--config', file], { cwd: fork.dataDir })
    await expectGolden('reconcile-empty', ended, { folder: fork.dataDir })
  })
})

describe('ballast history', () => {
  test('the list is narrow, and names a swap by the beginning of its id', async () => {
    const { stdout } = await ballast('history')
    const [header, line = ''] = stdout.split('\n')
    expect(header).toMatch(/^id +time +strategy +state +sell +received +bps +attempts$/)
    expect(line).toMatch(new RegExp(`^${swapId.slice(0, 8)} .*approve#0 swap#1$`))
    expect(line.length).toBeLessThan(120)
  })

  test('a swap with its attempts: kind, nonce, fee, when and where, answer, hash', async () => {
    const { stdout } = await ballast('history', swapId.slice(0, 8))
    const { swaps } = JSON.parse((await ballast('history', swapId, '--json')).stdout)
    expect(stdout).toMatch(/^ +kind +nonce +max fee +tip +signed +sent at +answer +hash$/m)
    for (const { kind, nonce, hash, sentAtBlock } of swaps[0].attempts)
      expect(stdout).toMatch(
        new RegExp(
          `^ +${kind.toLowerCase()} +${nonce} +[\\d.]+ gwei +[\\d.]+ gwei +20\\S+Z +block ${sentAtBlock} +accepted +${hash}$`,
          'm',
        ),
      )
    expect(swaps[0].attempts).toHaveLength(2)
    const listed = await ballast('history', '--attempts')
    expect(listed.stdout).toContain(swaps[0].attempts[1].hash)
    expect(await ballast('history', 'nosuch')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('UNKNOWN_SWAP'),
    })
  })
})
