import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Hex, parseTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { type PassingCall, startRpcProxy } from '../support/rpcProxy.ts'
import { startBallast } from '../support/runBallast.ts'
import { swappedEvents } from '../support/swappedEvents.ts'

/** Where the process dies: what the node had of the signed bytes by then. */
const points = {
  '[LOCAL-07] before the node has the bytes': 'before',
  '[LOCAL-08] after the node has the bytes, before the answer': 'after',
} as const

describe('crash', () => {
  for (const [name, point] of Object.entries(points))
    test(`SIGKILL right after signing, ${name}: exactly one swap settles`, async () => {
      const fork = await forkOrigin()
      let die = () => {}
      let died = false
      const onSwap = (call: PassingCall) => {
        if (died || !isSwap(call, fork.ready.router)) return undefined
        died = true
        die()
        return 'drop' as const
      }
      const proxy = await startRpcProxy(fork.ready.rpcUrl, { [point]: onSwap })
      const env = { RPC_URL: proxy.url }
      try {
        const first = startBallast(['run', '--port', '0', '--config', eager(fork.ready.config)], {
          env,
        })
        die = () => void first.child.kill('SIGKILL')
        expect(await first.ended).toMatchObject({ signal: 'SIGKILL' })

        const second = startBallast(['run', '--port', '0', '--config', idle(fork.ready.config)], {
          env,
        })
        await second.says('RESUMED')
        second.child.kill('SIGTERM')
        const { code, stdout } = await second.ended
        expect(code).toBe(0)
        expect(stdout).toContain('RESUMED SETTLED sell-strength')

        const { swaps } = JSON.parse(
          (
            await callCli(['history', '--json', '--config', fork.ready.config], {
              cwd: fork.dataDir,
            })
          ).stdout,
        )
        expect(swaps.map(({ state }: { state: string }) => state)).toEqual(['SETTLED'])
        const events = await swappedEvents(fork.rpc, fork.ready)
        expect(events.map(({ amountOut }) => `${amountOut}`)).toEqual([swaps[0].received.wei])
      } finally {
        await proxy.close()
        await fork.close()
      }
    })
})

function isSwap({ method, params }: PassingCall, router: string): boolean {
  if (method !== 'eth_sendRawTransaction') return false
  return parseTransaction(params[0] as Hex).to?.toLowerCase() === router.toLowerCase()
}

/** The bot with one strategy that trades at once. */
function eager(config: string): string {
  return withStrategy(config, 'sell-strength', '2900 USDC', 'eager.yaml')
}

/** The bot with one strategy that never trades: whatever settles was decided before. */
function idle(config: string): string {
  return withStrategy(config, 'idle', '999999 USDC', 'idle.yaml')
}

function withStrategy(config: string, name: string, price: string, file: string): string {
  const text = readFileSync(config, 'utf8').replace(
    /strategies:\n(?: {2}.*\n)+/,
    `strategies:\n  - name: ${name}\n    use: threshold\n    params: { sell: 1 WETH, buy: USDC, price: ${price}, every: 1s }\n`,
  )
  const path = join(config, '..', file)
  writeFileSync(path, text)
  return path
}
