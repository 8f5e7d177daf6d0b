import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { assert } from '../../src/core/assert.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createForger } from '../../src/drill/createForger.ts'
import { quoteLies } from '../../src/drill/quoteLies.ts'
import { startLyingService } from '../../src/drill/startLyingService.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startLyingNode } from '../support/lyingNode.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'

/** Selectors of `latestRoundData()` and `getReserves()`. */
const [roundData, reserves] = ['0xfeaf968c', '0x0902f1ac']
const shrink = 100n

/** A market whose node, witness, service and makers are one party, beside an honest node. `lie` begins and ends it. */
export async function openCollusion() {
  const fork = await forkOrigin()
  const { ready } = fork
  const [sold, bought] = [ready.tokens.WETH, ready.tokens.USDC]
  const wallet = ready.wallets.treasury
  assert(sold !== undefined && bought !== undefined && wallet !== undefined, 'the fixed world')
  const account = privateKeyToAccount
  const forger = createForger({
    scene: {
      ...{ chainId: ready.chainId, router: ready.router, executor: ready.executor },
      ...{ tokens: ready.tokens, wrapped: sold.address, wallet: wallet.address },
      ...{ sold: sold.address, bought: bought.address, expirySeconds: 30 },
    },
    keys: {
      makers: Object.values(ready.makers).map(({ privateKey }) => account(privateKey)),
      feeSigner: account(ready.feeSigner.privateKey),
      stranger: account(`0x${'5'.repeat(64)}`),
    },
    settled: () => '{}',
  })
  const service = await startLyingService({
    upstream: ready.serviceUrl,
    forger,
    clock: systemClock,
  })
  const node = await startLyingNode(ready.rpcUrl)
  const second = await startLyingNode(ready.rpcUrl)
  const honest = await startRpcProxy(ready.rpcUrl)
  const bend = cheapened(fork)

  /** The configuration of the market with another text for a part of it. */
  function written(name: string, from: RegExp, to: string, base = ready.config): string {
    const file = join(fork.dataDir, name)
    const yaml = readFileSync(base, 'utf8')
    assert(from.test(yaml), 'the file has this part')
    writeFileSync(file, yaml.replace(from, to))
    return file
  }
  const unbound = () => written('unbound.yaml', bands, '')
  return {
    ...{ fork, service, node, second, honest, written, unbound },
    env: { RPC_URL: node.url, QUOTE_API_URL: service.url },
    lie(isLying: boolean) {
      service.tell(isLying ? quoteLies.find(({ name }) => name === 'collusion') : undefined)
      for (const one of [node, second]) one.lie(isLying ? { bend } : {})
    },
    /** Without bands, with a second node. */
    witnessed: (url: string) =>
      written(
        'witnessed.yaml',
        /confirmations: 2 }/,
        `confirmations: 2, witness: { rpcUrl: "${url}", above: 5000 USD } }`,
        unbound(),
      ),
    async close() {
      await Promise.all([service, node, second, honest].map((one) => one.close()))
      await fork.close()
    },
  }
}

/** The bands of the market's configuration, and its strategies. */
export const bands = / {2}bands: .*\n[\s\S]*?(?=database)/

/** WETH at a hundredth of its price: the answer of its feed, and the USDC in its pool. */
function cheapened({ ready }: Fork) {
  const yaml = readFileSync(ready.config, 'utf8')
  const addressIn = (line: RegExp) => line.exec(yaml)?.[1]?.toLowerCase()
  const feed = addressIn(/feed, pair: WETH\/USD, address: "(\w+)"/)
  const pool = addressIn(/pool, pair: WETH\/USDC, .* address: "(\w+)"/)
  const [weth, usdc] = [ready.tokens.WETH?.address ?? '', ready.tokens.USDC?.address ?? '']
  const words: Record<string, number> = {
    [`${feed} ${roundData}`]: 1,
    [`${pool} ${reserves}`]: BigInt(usdc) < BigInt(weth) ? 0 : 1,
  }
  return ({ method, params }: { method: string; params: readonly unknown[] }, answer: Answer) => {
    if (method !== 'eth_call' || typeof answer.result !== 'string') return answer
    const { to = '', data, input } = params[0] as { to?: string; data?: string; input?: string }
    const word = words[`${to.toLowerCase()} ${data ?? input}`]
    if (word === undefined) return answer
    const at = 2 + 64 * word
    const value = BigInt(`0x${answer.result.slice(at, at + 64)}`) / shrink
    const bent = value.toString(16).padStart(64, '0')
    return { ...answer, result: answer.result.slice(0, at) + bent + answer.result.slice(at + 64) }
  }
}
type Answer = { readonly result?: unknown }
