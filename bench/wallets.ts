/**
 * Swaps per minute of one wallet, and of ten in the same process over one journal, one market and one node with blocks of a
 * second. Both take turns; each wallet begins its next swap when the one before it is deep.
 *
 * `node bench/wallets.ts [--wallets 10] [--swaps 4] [--rounds 3]`
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { drive } from '../src/bot/life/drive.ts'
import type { Drivetrain } from '../src/bot/life/train.ts'
import { draft } from '../src/bot/policy/checkPlan.ts'
import { createSigner } from '../src/bot/sign/createSigner.ts'
import { localKey } from '../src/bot/sign/localKey.ts'
import { getTransactionCount } from '../src/chain/calls/account.ts'
import { parseAmount, tokenOf } from '../src/core/amount.ts'
import { systemClock } from '../src/core/clock.ts'
import { secret } from '../src/core/secret.ts'
import { planOf } from '../src/engine/planOf.ts'
import { readWorld } from '../src/sandbox/readWorld.ts'
import { startSandbox } from '../src/sandbox/startSandbox.ts'
import { openBot } from '../test/support/openBot.ts'
import { silent } from '../test/support/silent.ts'
import { median } from './measure.ts'

const { values } = parseArgs({
  options: {
    wallets: { type: 'string', default: '10' },
    swaps: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
  },
})
const [count, swaps, rounds] = [values.wallets, values.swaps, values.rounds].map(Number) as [
  number,
  number,
  number,
]
const dir = mkdtempSync(join(tmpdir(), 'ballast-wallets-'))
const world = readWorld(fileURLToPath(new URL('../src/sandbox/world.yaml', import.meta.url)))
const names = Array.from({ length: count }, (_, nth) => `desk-${nth}`)
const sandbox = await startSandbox({
  world: {
    ...world,
    wallets: {
      ...world.wallets,
      ...Object.fromEntries(names.map((name) => [name, { native: '10', WETH: '100' }])),
    },
  },
  dataDir: dir,
  clock: systemClock,
  log: silent,
})
const { ready } = sandbox
writeFileSync(
  ready.config,
  readFileSync(ready.config, 'utf8').replace(
    '  notional:',
    '  allowances: [100000 WETH]\n  notional:',
  ),
)
const bot = await openBot({ ready, dataDir: dir, also: [] })
const { config, market, journal } = bot
const { chainId } = config.chain
const sell = parseAmount('0.05 WETH', config.tokens.bySymbol)
const buy = tokenOf('USDC', config.tokens.bySymbol)
const floor = parseAmount('100 USDC', config.tokens.bySymbol)

/** A wallet with its key, and the train that drives its swaps. */
async function openDesk(name: string) {
  const { address, privateKey } = ready.wallets[name] ?? {}
  if (address === undefined || privateKey === undefined) throw new Error(`${name} is in the world`)
  const nonceOfChain = await market.rpc.request(getTransactionCount(address))
  await journal.wallet.adopt({ chainId, wallet: address, nonceOfChain })
  const train: Drivetrain = {
    ...bot.train,
    // As `ballast run` polls.
    pollMs: 500,
    signer: createSigner(localKey(secret(privateKey)), address),
    async fees(gas) {
      const nonce = await market.rpc.request(getTransactionCount(address))
      return { ...(await bot.train.fees(gas)), nonce }
    },
  }
  return async function swap(): Promise<void> {
    const { plan, rules } = await planOf(
      { config, market },
      {
        strategy: name,
        intent: { sell, buy, floor, reason: 'a bench' },
        indication: undefined,
        recipient: address,
      },
    )
    const own = { ...plan, wallet: address }
    const planned = draft(own, {
      ...rules,
      spent: await journal.limits.spent(own),
      now: systemClock.now(),
    })
    await journal.swaps.reserve(planned, () => {})
    const { state } = await drive(planned, train)
    if (state !== 'SETTLED') throw new Error(`a swap of ${name} ended ${state}`)
  }
}

type Desk = Awaited<ReturnType<typeof openDesk>>

/** Swaps per minute of desks that work at the same time. */
async function perMinute(desks: readonly Desk[]): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(
    desks.map(async (swap) => {
      for (let nth = 0; nth < swaps; nth += 1) await swap()
    }),
  )
  return (desks.length * swaps * 60_000) / (performance.now() - startedAt)
}

try {
  const desks = await Promise.all(names.map(openDesk))
  const [first] = desks
  if (first === undefined) throw new Error('there is a wallet')
  // The first swap of each approves.
  await Promise.all(desks.map((swap) => swap()))
  const [alone, together]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await perMinute([first]))
    together.push(await perMinute(desks))
  }
  const ratio = median(together.map((figure, round) => figure / (count * (alone[round] ?? 0))))
  console.log(`one wallet            ${median(alone).toFixed(1)} swaps a minute`)
  console.log(
    `${count} wallets            ${median(together).toFixed(1)} swaps a minute   ${ratio.toFixed(2)} of ${count} times one   target >= 0.8`,
  )
} finally {
  await bot.close()
  await sandbox.close()
  rmSync(dir, { recursive: true, force: true })
}
