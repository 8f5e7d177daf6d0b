import { spawnSync } from 'node:child_process'
import { keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import { loadEngine } from '../../../src/chain/crypto/recoverSigner.ts'

/** Says which compiled modules a process asks for. */
const listener = `import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('ox/wasm')) process.stderr.write('loads ' + specifier + ';')
    return next(specifier, context)
  },
})`
const loads = (...args: readonly string[]) => {
  const hook = `data:text/javascript,${encodeURIComponent(listener)}`
  const { status, stderr } = spawnSync(process.execPath, ['--import', hook, ...args], {
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  return [...stderr.matchAll(/loads ([^;]+);/g)].map(([, specifier]) => specifier)
}

test('loadEngine: is loaded by whoever verifies, and by no command that does not', () => {
  const verifies = `const { loadEngine } = await import('./src/chain/crypto/recoverSigner.ts'); await loadEngine()`
  expect(loads('--input-type=module', '--eval', verifies).toSorted()).toEqual([
    'ox/wasm/Hash',
    'ox/wasm/Secp256k1',
  ])
  expect(loads('src/main.ts', '--help')).toEqual([])
  expect(loads('src/main.ts', 'config', 'schema')).toEqual([])
})

test.each([
  ['service', './src/service/createService.ts', 'createService'],
  ['maker', './src/service/makers/http/createMakerServer.ts', 'createMakerServer'],
])('loadEngine: is loaded by a %s before it listens', (_, path, name) => {
  const listens = `
    const { ${name} } = await import('${path}')
    const market = { chain: { chainId: 1 }, tokens: [], venues: [], blockTimeSeconds: 1, expiry: {} }
    const clock = { now: () => 0, sleep: async () => undefined }
    const snapshots = { latest: async () => undefined, close: async () => undefined }
    const rpc = { request: () => new Promise(() => undefined) }
    const log = { warn() {}, info() {} }
    await ${name}({ market, snapshots, rpc, apiKeys: [], apiKey: undefined, clock, log }).listen()
    process.exit(0)`
  expect(loads('--input-type=module', '--eval', listens)).toContain('ox/wasm/Secp256k1')
})

test('loadEngine: is one, and hashes as viem does', async () => {
  const engine = await loadEngine()
  expect(await loadEngine()).toBe(engine)
  for (const length of [0, 1, 31, 32, 135, 136, 137, 1_000]) {
    const bytes = new Uint8Array(length).fill(length)
    expect(engine.keccak256(bytes)).toBe(keccak256(toHex(bytes)))
  }
})
