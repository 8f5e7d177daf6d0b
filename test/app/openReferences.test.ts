import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openReferences } from '../../src/app/openReferences.ts'
import { createQuoteApi } from '../../src/bot/quote/api/createQuoteApi.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { systemClock } from '../../src/core/clock.ts'
import { goodYaml } from '../config/goodYaml.ts'

const clock = systemClock

/** Whether the order book at an address is the word of the quoting service itself. */
async function isOwn(url: string): Promise<boolean> {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-references-'))
  const references = `  references: [{ kind: order-book, pair: WETH/USDC, url: "${url}" }]\n`
  const service = 'https://quotes.example'
  const text = goodYaml.replace('http://127.0.0.1:8546', service)
  writeFileSync(join(cwd, 'ballast.yaml'), text.replace('strategies:', `${references}strategies:`))
  const config = loadConfig({ file: 'ballast.yaml', environment: {}, cwd })
  await using opened = new AsyncDisposableStack()
  const rpc = opened.adopt(createRpc({ url: 'http://127.0.0.1:9' }), (one) => one.close())
  const options = { url: service, apiKey: undefined, timeoutMs: 1_000, clock }
  const quotes = opened.adopt(createQuoteApi(options), (one) => one.close())
  const parts = { config, rpc, witness: undefined, quotes, clock }
  const { references: found } = opened.adopt(openReferences(parts), (one) => one.close())
  const [first] = found
  return first?.kind === 'order-book' && first.book.own
}

test.each([
  ['https://quotes.example', true],
  ['https://quotes.example:8443/v1', true],
  ['https://QUOTES.example.', true],
  ['https://books.example', false],
])('the order book at %s is of the service itself: %o', async (url, own) => {
  expect(await isOwn(url)).toBe(own)
})
