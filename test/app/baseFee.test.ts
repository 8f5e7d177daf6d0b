import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodes } from '../../src/cli/exitCodes.ts'
import { callCli } from '../cli/callCli.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { startLyingNode } from '../support/lyingNode.ts'

test('a chain without a base fee: doctor, a dry run and run refuse it at once, in the same sentence', async () => {
  const fork = await forkOrigin()
  const node = await startLyingNode(fork.ready.rpcUrl, {
    bend: ({ method }, answer) => {
      if (method.startsWith('eth_getBlock')) answer.result.baseFeePerGas = undefined
      return answer
    },
  })
  const config = join(fork.dataDir, 'old.yaml')
  const yaml = readFileSync(fork.ready.config, 'utf8')
  writeFileSync(config, yaml.replace(fork.ready.rpcUrl, node.url))
  try {
    for (const command of ['doctor', 'dry-run', 'run']) {
      const { code, stdout, stderr } = await callCli([command, '--config', config], {
        cwd: fork.dataDir,
      })
      expect([command, code]).toEqual([command, exitCodes.usage])
      expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain(
        'The blocks of this chain have no base fee (EIP-1559), above which every transaction here names what it pays: use a node that shows it, or trade on another chain.',
      )
      // A report of doctor names no codes.
      if (command !== 'doctor') expect(stderr).toContain('(BASE_FEE_MISSING)')
    }
  } finally {
    await node.close()
    await fork.close()
  }
})
