import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { presets } from '../../src/config/presets.ts'
import { type Anvil, anvilCalls, startAnvil } from '../../src/sandbox/startAnvil.ts'
import { callCli } from './callCli.ts'

const preset = presets.find(({ name }) => name === 'base')
if (preset === undefined) throw new Error('base has a preset')

const cwd = mkdtempSync(join(tmpdir(), 'ballast-preset-'))
let anvil: Anvil

beforeAll(async () => {
  anvil = await startAnvil({ chainId: preset.chainId })
  await callCli(['config', 'init', '--chain', preset.name], { cwd })
  const file = join(cwd, 'ballast.yaml')
  const hash = `"0x${'ab'.repeat(32)}"`
  const account = '"0x5FbDB2315678afecb367f032d93F642f64180aa3"'
  writeFileSync(
    file,
    readFileSync(file, 'utf8')
      .replace('routerCodeHash: "FILL IN"', `routerCodeHash: ${hash}`)
      .replaceAll('"FILL IN"', account),
  )
})
afterAll(async () => {
  await anvil.close()
  rmSync(cwd, { recursive: true, force: true })
})

const word = (value: number | string) =>
  typeof value === 'number'
    ? value.toString(16).padStart(64, '0')
    : Buffer.from(value).toString('hex').padEnd(64, '0')

/** A contract that answers any call with these words. */
function answering(...words: readonly string[]) {
  const stores = words.map(
    (one, index) => `7f${one}60${(32 * index).toString(16).padStart(2, '0')}52`,
  )
  return `0x${stores.join('')}60${(32 * words.length).toString(16)}6000f3` as const
}
const calledText = (text: string) => answering(word(32), word(text.length), word(text))

/** What doctor says of the tokens and feeds of the preset, on a chain with these contracts at its addresses. */
async function examined(decimalsOf: (right: number) => number, nameOf: (right: string) => string) {
  const rpc = createRpc({ url: anvil.rpcUrl })
  const { wrapped, stablecoins, feeds } = preset as NonNullable<typeof preset>
  for (const { address, decimals } of [{ ...wrapped, decimals: 18 }, ...stablecoins])
    await rpc.request(anvilCalls.setCode(address, answering(word(decimalsOf(decimals)))))
  for (const { address, is } of feeds)
    await rpc.request(anvilCalls.setCode(address, calledText(nameOf(is))))
  await rpc.close()
  const environment = { RPC_URL: anvil.rpcUrl }
  const { stdout } = await callCli(['doctor', '--json'], { cwd, environment })
  const all: { name: string; state: string }[] = JSON.parse(stdout).findings
  return all
    .filter(({ name }) => /^(?:token|feed) /.test(name))
    .map(({ name, state }) => `${name}: ${state}`)
    .sort()
}

const named = ['feed USDC/USD', 'feed WETH/USD', 'token USDC', 'token WETH']
const all = (state: string) => named.map((name) => `${name}: ${state}`)

test('doctor: the facts of a preset are compared with the chain, each of them', async () => {
  const same = <value>(right: value) => right
  expect(await examined(same, same)).toEqual(all('ok'))
  expect(
    await examined(
      (right) => right - 1,
      () => 'BTC / USD',
    ),
  ).toEqual(all('fail'))
})

test('doctor: a chain where nothing stands at the addresses of the preset fails each of them', async () => {
  const rpc = createRpc({ url: anvil.rpcUrl })
  const { wrapped, stablecoins, feeds } = preset
  for (const { address } of [wrapped, ...stablecoins, ...feeds])
    await rpc.request(anvilCalls.setCode(address, '0x'))
  await rpc.close()
  const environment = { RPC_URL: anvil.rpcUrl }
  const { stdout } = await callCli(['doctor'], { cwd, environment })
  for (const name of named) expect(stdout).toMatch(new RegExp(`^fail +${name} `, 'm'))
})

test.each([
  ['polygon', 'finalized'],
  ['ethereum', '2'],
  ['gnosis', '2'],
])('config init: %s waits for %s', async (name, confirmations) => {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-final-'))
  await callCli(['config', 'init', '--chain', name], { cwd: folder })
  expect(readFileSync(join(folder, 'ballast.yaml'), 'utf8')).toContain(
    `\n  confirmations: ${confirmations}`,
  )
})
