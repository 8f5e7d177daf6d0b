import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBotAt } from '../support/openBotAt.ts'
import { startProvider } from '../support/startProvider.ts'

let fork: Fork

beforeAll(async () => {
  fork = await forkOrigin()
})
afterAll(() => fork.close())

/** Worth 3000 USD. */
const wish = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }

/** The sandbox with a node that lacks something. */
async function lacking(
  lacks: readonly string[],
  { above, policy = '' }: { above?: string | undefined; policy?: string } = {},
) {
  const provider = await startProvider(fork.ready.rpcUrl, { lacks })
  const config = join(fork.dataDir, 'capped.yaml')
  const yaml = readFileSync(fork.ready.config, 'utf8')
  writeFileSync(config, yaml.replace('policy:\n', `policy:\n${policy}`))
  const chain = [
    ...(lacks.includes('debug_traceCall') ? ['tracing: unavailable'] : []),
    ...(above === undefined
      ? []
      : [`witness: { rpcUrl: "${fork.ready.rpcUrl}", above: ${above} }`]),
  ]
  const capped = { ...fork, ready: { ...fork.ready, config } }
  const bot = await openBotAt(capped, provider.url, chain.join(', '))
  return {
    bot,
    async close() {
      await bot.close()
      await provider.close()
    },
  }
}

const [noSimulation, noTraces] = ['eth_simulateV1', 'debug_traceCall']

type Degree = readonly [
  proof: string,
  lacks: readonly string[],
  above: string | undefined,
  cap: string,
]

/** Every combination, and what a swap of the sandbox may be worth with it. */
const degrees: readonly Degree[] = [
  ['full', [], '3000 USD', 'no cap of its own'],
  ['unwitnessed', [], undefined, 'at most 100000 USD (policy.proof)'],
  ['probed', [noSimulation], '3000 USD', 'at most 50000 USD (policy.proof)'],
  ['probed-unwitnessed', [noSimulation], undefined, 'at most 50000 USD (policy.proof)'],
  ['untraced', [noTraces], '3000 USD', 'at most 10000 USD (policy.proof)'],
  ['untraced-unwitnessed', [noTraces], undefined, 'at most 10000 USD (policy.proof)'],
  ['probed-untraced', [noSimulation, noTraces], '3000 USD', 'at most 10000 USD (policy.proof)'],
  [
    'probed-untraced-unwitnessed',
    [noSimulation, noTraces],
    undefined,
    'at most 10000 USD (policy.proof)',
  ],
]

describe('proof', () => {
  test.each(degrees)(
    '%s: a swap is seen so, and doctor names it with its cap',
    async (proof, lacks, above, cap) => {
      const { bot, close } = await lacking(lacks, { above })
      try {
        const { simulation } = await bot.preview(wish)
        expect(simulation.proof).toBe(proof)
        const argv = ['doctor', '--json', '--config', bot.config.file]
        const { stdout } = await callCli(argv, { cwd: fork.dataDir })
        const { findings } = JSON.parse(stdout) as { findings: { name: string; actual: string }[] }
        const told = findings.filter(({ name }) => name.startsWith('proof of'))
        expect(told.map(({ name }) => name)).toEqual(
          above === undefined
            ? ['proof of a swap']
            : ['proof of a swap below 3000 USD', 'proof of a swap from 3000 USD on'],
        )
        expect(told.at(-1)?.actual).toBe(`${proof}: ${cap}`)
      } finally {
        await close()
      }
    },
  )

  test.each(degrees.filter(([proof]) => proof !== 'full'))(
    '%s: a swap above its cap is refused before it is simulated, and nothing is signed',
    async (proof, lacks, above) => {
      const caps = ['probed', 'untraced', 'unwitnessed'].map((gap) =>
        proof.split('-').includes(gap) ? `${gap}: 2999 USD` : `${gap}: 100000 USD`,
      )
      const policy = `  proof: { ${caps.join(', ')} }\n`
      const { bot, close } = await lacking(lacks, { above, policy })
      try {
        await expect(bot.preview(wish)).rejects.toMatchObject({
          code: 'POLICY_PROOF',
          remedy: 'skip',
          fault: 'refused',
        })
        const { record } = await bot.swap(wish)
        expect([record.state, record.code, record.attempts]).toEqual([
          'REJECTED',
          'POLICY_PROOF',
          [],
        ])
      } finally {
        await close()
      }
    },
  )

  test('the degree that a swap was signed with is in the journal, and explain tells it', async () => {
    const { bot, close } = await lacking([noSimulation])
    const { record, swapId } = await bot.swap(wish)
    await close()
    expect(record.state).toBe('SETTLED')
    const argv = ['explain', swapId, '--config', bot.config.file]
    const { stdout } = await callCli(argv, { cwd: fork.dataDir })
    const told = stdout.replace(/\s+/g, ' ')
    expect(told).toContain('proof is probed-unwitnessed')
    expect(told).toContain(
      'proof: at most 50000 USD where proof is probed-unwitnessed (policy.proof); was 3000 USD',
    )
  })
})
