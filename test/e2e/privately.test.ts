import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Hex, keccak256, parseTransaction } from 'viem'
import { expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { type PassingCall, startRpcProxy } from '../support/rpcProxy.ts'
import { startBallast } from '../support/runBallast.ts'
import { startRelay } from '../support/startRelay.ts'
import { swappedEvents } from '../support/swappedEvents.ts'

const afterMs = 6_000

/**
 * Where the process dies: a relay has the bytes and keeps them; a public node has them just now, or not quite.
 * Another process goes on, and nothing is public before its time, nor lost, nor signed twice.
 */
test.each(['relay', 'before', 'after'] as const)(
  '[private] SIGKILL at the offer to the %s: the resumed bot keeps the rule',
  async (point) => {
    const fork = await forkOrigin()
    const relay = await startRelay(fork.ready.rpcUrl, 'keeps')
    let died = false
    let die = () => {}
    const publicly: { readonly raw: Hex; readonly at: number }[] = []
    const dying = ({ method }: PassingCall) => {
      if (method !== 'eth_sendRawTransaction' || point === 'relay' || died) return undefined
      died = true
      die()
      return 'drop' as const
    }
    const watch = (calls: readonly PassingCall[]) => {
      for (const { method, params } of calls)
        if (method === 'eth_sendRawTransaction')
          publicly.push({ raw: params[0] as Hex, at: Date.now() })
      return Promise.resolve()
    }
    const proxy = await startRpcProxy(fork.ready.rpcUrl, {
      ready: watch,
      ...(point === 'relay' ? {} : { [point]: dying }),
    })
    const router = fork.ready.router.toLowerCase()
    relay.atOffer((raw) => {
      const isSwap = parseTransaction(raw).to?.toLowerCase() === router
      relay.be(isSwap ? 'keeps' : 'forwards')
      if (!isSwap || point !== 'relay' || died) return
      died = true
      die()
    })
    const env = { RPC_URL: proxy.url, SEND_TO: relay.url }
    try {
      const eager = withStrategy(fork.ready.config, '2900 USDC', 'eager.yaml')
      const first = startBallast(['run', '--port', '0', '--config', eager], { env })
      die = () => void first.child.kill('SIGKILL')
      expect(await first.ended).toMatchObject({ signal: 'SIGKILL' })

      const idle = withStrategy(fork.ready.config, '999999 USDC', 'idle.yaml')
      const second = startBallast(['run', '--port', '0', '--config', idle], { env })
      await second.says('RESUMED')
      second.child.kill('SIGTERM')
      expect((await second.ended).code).toBe(0)

      const history = await callCli(['history', '--json', '--config', eager], {
        ...{ environment: env, cwd: fork.dataDir },
      })
      const { swaps } = JSON.parse(history.stdout) as {
        swaps: { state: string; attempts: Attempt[] }[]
      }
      expect(swaps.map(({ state }) => state)).toEqual(['SETTLED'])
      expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
      const signed = swaps[0]?.attempts.filter(({ kind }) => kind === 'SWAP') ?? []
      expect(signed).toHaveLength(1)
      const [{ signedAt, publishedAt, hash }] = signed as [Attempt]
      // The approval needed no public endpoint; of the swap they had the very bytes of the relay.
      expect(new Set(publicly.map(({ raw }) => keccak256(raw)))).toEqual(new Set([hash]))
      expect(relay.offered.map(({ raw }) => keccak256(raw))).toContain(hash)
      const published = Date.parse(publishedAt ?? '')
      expect(published).toBeGreaterThanOrEqual(Date.parse(signedAt) + afterMs)
      // On disk before any of them had it, whichever process that was.
      expect(Math.min(...publicly.map(({ at }) => at))).toBeGreaterThanOrEqual(published)
    } finally {
      await relay.close()
      await proxy.close()
      await fork.close()
    }
  },
)

type Attempt = {
  readonly kind: string
  readonly hash: Hex
  readonly signedAt: string
  readonly publishedAt: string | null
}

/** One strategy, and what relays keep becomes public after a while. */
function withStrategy(config: string, price: string, file: string): string {
  const text = readFileSync(config, 'utf8')
    .replace(
      /strategies:\n(?: {2}.*\n)+/,
      `strategies:\n  - name: sell-strength\n    use: threshold\n    params: { sell: 1 WETH, buy: USDC, price: ${price}, every: 1s }\n`,
    )
    .replace(/^chain: \{/m, `chain: { publicAfter: ${afterMs / 1_000}s, `)
  const path = join(config, '..', file)
  writeFileSync(path, text)
  return path
}
