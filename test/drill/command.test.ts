import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { expectGolden } from '../cli/expectGolden.ts'
import { goodYaml } from '../config/goodYaml.ts'

let folder: string
let outside: Server
let asked = 0
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-drill-'))
  // Stands for the user's own chain and service: nothing of a drill may arrive here.
  outside = createServer((_, response) => {
    asked += 1
    response.writeHead(500).end()
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  outside.close()
  rmSync(folder, { recursive: true })
})

async function drill(yaml: string | undefined, ...args: readonly string[]) {
  const cwd = mkdtempSync(join(folder, 'desk-'))
  if (yaml !== undefined) writeFileSync(join(cwd, 'ballast.yaml'), yaml)
  const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
  const ended = await callCli(['drill', ...args], {
    cwd,
    environment: {
      RPC_URL: url,
      QUOTE_API_URL: url,
      // Of another wallet than the one of the file: a drill that used it would be refused.
      WALLET_KEY: `0x${'7'.repeat(64)}`,
    },
  })
  return { ...ended, asked }
}

describe('ballast drill', () => {
  test('drills the user’s policy, and touches neither his chain nor his service nor his key', async () => {
    const ended = await drill(goodYaml, '--only', 'recipient-attacker,send-answer-lost', '--json')
    expect(ended.code).toBe(0)
    const { cases, ...summary } = JSON.parse(ended.stdout)
    expect(summary).toEqual({
      policy: 'ballast.yaml',
      lies: 2,
      held: 2,
      holes: 0,
      controls: 1,
      controlsAccepted: 1,
      controlsRejected: 0,
    })
    expect(cases.map(({ name, ok, by }: Record<string, unknown>) => [name, ok, by])).toEqual([
      ['honest', true, 'SETTLED'],
      ['recipient-attacker', true, 'verify.recipient'],
      ['send-answer-lost', true, 'SETTLED'],
    ])
    expect(ended.asked).toBe(0)
  })

  test.each([
    [
      'a witness',
      'confirmations: 2',
      'confirmations: 2\n  witness: { rpcUrl: "https://second.example", above: 5000 USD }',
      'REFERENCES_DISAGREE',
    ],
    [
      'bands',
      'strategies:',
      '  bands: { WETH: { min: 1500 USD, max: 8000 USD }, USDC: { min: 0.9 USD, max: 1.1 USD } }\nstrategies:',
      'worth-within-band',
    ],
    ['neither', 'confirmations: 2', 'confirmations: 1', 'PRICE_UNWITNESSED'],
  ])('node, service and makers together are held by %s', async (_, from, to, by) => {
    const { stdout } = await drill(goodYaml.replace(from, to), 'collusion', 'floor-of-references')
    expect(stdout).toMatch(new RegExp(`collusion +quote +held .*${by}`))
    expect(stdout).toContain('1 lies, 1 held, 0 holes; 2 controls accepted')
  })

  test('a floor holds the swap that states one, and the references the swap that states none', async () => {
    const only = 'price-three-percent,price-three-percent-unbounded'
    const { stdout } = await drill(goodYaml, '--only', only, '--json')
    const { cases } = JSON.parse(stdout)
    expect(cases.map(({ name, by }: Record<string, unknown>) => [name, by])).toEqual([
      ['honest', 'SETTLED'],
      ['price-three-percent', 'verify.floor'],
      ['price-three-percent-unbounded', 'policy.not-below-reference'],
    ])
  })

  test('swaps no more than the user lets be worth with the proof that the drill has', async () => {
    const capped = 'policy:\n  proof: { probed: 200 USD, unwitnessed: 100 USD }\n'
    const ended = await drill(goodYaml.replace('policy:\n', capped), '--only', 'recipient-attacker')
    expect([ended.code, ended.stdout]).toEqual([
      0,
      expect.stringContaining('1 lies, 1 held, 0 holes; 1 controls accepted'),
    ])
  })

  test('finds the hole that a careless policy leaves, exit 3', async () => {
    const careless = goodYaml.replace('maxFee: 10 bps', 'maxFee: 100 bps')
    const ended = await drill(careless, '--only', 'fee-above-policy')
    // How long a case takes, and with it the width of its column, depends on the machine.
    const stdout = ended.stdout
      .replaceAll(/(?<=accepted|HOLE) +\d+ +/g, '  0  ')
      .replaceAll(/ms +/g, 'ms  ')
    await expectGolden('drill', { ...ended, stdout }, { folder })
  })

  test('drills a policy that sells one token of two decimals, and nothing of the chain’s own', async () => {
    const narrow = goodYaml
      .replace(
        /( {2}USDC: \{ address: )"0x\w+", decimals: 6 \}\n/,
        (line, start) =>
          `${line}${start.replace('USDC', 'EURX')}"0x5fbdb2315678afecb367f032d93f642f64180ab1", decimals: 2 }\n`,
      )
      .replace(/tokens: \[ETH.*/, 'tokens: [WETH, USDC, EURX]')
      .replace(/pairs: .*/, 'pairs: [EURX/USDC]')
      .replace(/perSwap: \[.*/, 'perSwap: [1500 EURX]')
      .replace(/perDay: \[.*/, 'perDay: [9000 EURX]')
    const ended = await drill(narrow, 'native-currency-sold', 'price-in-chorus', 'simulated-more')
    expect(ended.code).toBe(0)
    expect(
      ended.stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(['accepted', 'accepted', 'held', 'held'])
    expect(ended.stdout).toContain('2 lies, 2 held, 0 holes; 2 controls accepted')
  })

  test('without a configuration it drills that of the sandbox', async () => {
    const ended = await drill(undefined, 'token-approve')
    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(/^policy: the sandbox's own \(there is no ballast\.yaml here\)\n/)
    expect(ended.stdout).toMatch(/token-approve +quote +held .*verify\.router/)
  })

  test('a case nobody knows: is a mistake in the call, exit 2', async () => {
    const { code, stderr } = await drill(undefined, '--only', 'recipient-atacker')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "ballast: The drill has no case 'recipient-atacker'. Did you mean recipient-attacker? (UNKNOWN_CASE)\n",
    })
  })

  test('a configuration with a mistake: is said before anything is drilled', async () => {
    const { code, stderr } = await drill(goodYaml.replace('maxGas:', 'maxGass:'))
    expect(code).toBe(2)
    expect(stderr).toMatch(/maxGass/)
  })
})
