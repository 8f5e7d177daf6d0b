import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'

let fork: Fork
/** The fork's service, but for its indications, which say half of what they should. */
const lowballer = createServer((request, response) => {
  void (async () => {
    const answer = await fetch(`${fork.ready.serviceUrl}${request.url}`)
    const text = await answer.text()
    const halved = text.replace(
      /"buyerTokenAmountWei":"(\d+)"/,
      (_, wei: string) => `"buyerTokenAmountWei":"${BigInt(wei) / 2n}"`,
    )
    const isIndication = request.url?.startsWith('/v1/indicative-quote') === true
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(isIndication ? halved : text)
  })().catch(() => request.socket.destroy())
})

beforeAll(async () => {
  fork = await forkOrigin()
  await new Promise<void>((resolve) => lowballer.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  lowballer.closeAllConnections()
  lowballer.close()
  await fork.close()
})

const swap = (config: string, env: Record<string, string> = {}) =>
  callCli(['swap', '--sell', '1 WETH', '--buy', 'USDC', '--json', '--config', config], {
    ...{ environment: env, cwd: fork.dataDir },
  })

test('swap without a floor: a service that indicates too little does not lower it', async () => {
  const { port } = lowballer.address() as AddressInfo
  const { code, stdout } = await swap(fork.ready.config, {
    QUOTE_API_URL: `http://127.0.0.1:${port}`,
  })
  const [outcome] = JSON.parse(stdout).results
  expect(code).toBe(0)
  expect(outcome.indicative.received.text).toBe('1500')
  // 3000 by the pool and by the feeds, less policy.maxSlippage of 50 bps.
  expect(outcome.intent.floor).toEqual({ token: 'USDC', wei: '2985000000', text: '2985' })
  expect(outcome.reason).toBe(
    'sell 1 WETH for USDC; floor 50 bps below the median of 2 references, 3000 USDC',
  )
})

test('swap without a floor: refused where no reference answers, with the reasons', async () => {
  const yaml = readFileSync(fork.ready.config, 'utf8')
  const without = (name: string, lines: string) => {
    const file = join(fork.dataDir, name)
    writeFileSync(
      file,
      yaml.replace(/ {2}references:[\s\S]*?(?= {2}stablecoins)/, `  references:${lines}\n`),
    )
    return file
  }
  const none = await swap(without('none.yaml', ' []'))
  expect(none.code).toBe(3)
  expect(JSON.parse(none.stdout).error).toMatchObject({
    code: 'FLOOR_NEEDED',
    message: 'No reference prices 1 WETH in USDC: give --floor, the least to receive.',
    facts: { 'policy.references': 'no reference prices WETH in USDC' },
  })
  const feed = `{ kind: feed, pair: WETH/USDC, address: "0x${'ab'.repeat(20)}", maxAge: 1h }`
  const silent = await swap(without('silent.yaml', `\n    - ${feed}`))
  expect(silent.code).toBe(3)
  const { code, facts } = JSON.parse(silent.stdout).error
  expect(code).toBe('FLOOR_NEEDED')
  expect(Object.keys(facts).at(-1)).toMatch(/^feed WETH\/USDC 0x/i)
})
