import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({
    world: (world) => ({ ...world, service: { ...world.service, widgetFeeBps: 5 } }),
  })
})
afterAll(() => fork?.close())

const preview = async (config: string) => {
  const wish = ['--sell', '1 WETH', '--buy', 'USDC']
  const { stdout } = await callCli(['swap', ...wish, '--json', '--config', config], {
    cwd: fork.dataDir,
  })
  return JSON.parse(stdout).results[0]
}

describe('a service that takes a fee', () => {
  test('is paid where the configuration names who receives it', async () => {
    expect(await preview(fork.ready.config)).toMatchObject({ outcome: 'would-swap' })
  })

  test('is refused where it does not', async () => {
    const config = join(fork.dataDir, 'nobody.yaml')
    const text = readFileSync(fork.ready.config, 'utf8')
    writeFileSync(config, text.replace(/feeRecipients: \[.*\]/, 'feeRecipients: []'))
    expect(await preview(config)).toMatchObject({
      outcome: 'refused',
      code: 'VERIFY_FEE_RECIPIENT',
    })
  })
})
