import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import { callCli } from '../cli/callCli.ts'
import { balances } from '../support/balances.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { placeToken } from '../support/placeToken.ts'
import { runBallast, startBallast } from '../support/runBallast.ts'
import { swappedEvents } from '../support/swappedEvents.ts'

let fork: Fork
beforeEach(async () => {
  fork = await forkOrigin()
})
afterEach(() => fork?.close())

const treasury = () => {
  const { treasury: wallet } = fork.ready.wallets
  if (wallet === undefined) throw new Error('the world has a treasury')
  return wallet
}

/** Pipes the key in, as a person would from a file. */
async function importKey(folder: string): Promise<void> {
  const ended = runBallast(['key', 'import', '--out', 'treasury.json'], {
    cwd: folder,
    env: { WALLET_PASSWORD_FILE: './password' },
    stdin: `${treasury().privateKey}\n`,
  })
  expect(await ended).toMatchObject({ code: 0, stdout: `${treasury().address}\n`, stderr: '' })
}

/** The signer's folder: keystore, password, socket, count. */
async function signerFolder(name: string): Promise<string> {
  const folder = join(fork.dataDir, name)
  await mkdir(folder, { mode: 0o700 })
  writeFileSync(join(folder, 'password'), 'correct horse battery staple\n', { mode: 0o600 })
  await importKey(folder)
  const { tokens, router, chainId } = fork.ready
  const of = (symbol: string) => tokens[symbol]
  writeFileSync(
    join(folder, 'signer.yaml'),
    stringify(
      {
        chainId,
        wallet: treasury().address,
        key: { kind: 'keystore', file: './treasury.json' },
        socket: './signer.sock',
        router,
        feeSigner: fork.ready.feeSigner.address,
        makers: Object.values(fork.ready.makers).map(({ address }) => address),
        tokens: {
          WETH: { ...of('WETH'), perTransaction: '2', perDay: '3' },
          USDC: { ...of('USDC'), perTransaction: '30', perDay: '30' },
        },
        maxGas: '1500000',
        maxGasPrice: '200 gwei',
      },
      { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
    ),
  )
  return folder
}

/** The bot's folder: the sandbox's configuration with another signer, and no key anywhere. */
async function botFolder(name: string, policy = ''): Promise<string> {
  const folder = join(fork.dataDir, `${name}-bot`)
  await mkdir(folder)
  const signer = `{ kind: process, socket: ../${name}/signer.sock }`
  const yaml = readFileSync(fork.ready.config, 'utf8').replace('policy:\n', `policy:\n${policy}`)
  writeFileSync(
    join(folder, 'ballast.yaml'),
    yaml.replace(/^(wallet: \{.*?) \}$/m, `$1, signer: ${signer} }`),
  )
  return folder
}

/** How many transactions of the treasury are in blocks. */
const sent = () => fork.rpc.request(getTransactionCount(treasury().address, 'latest'))

const decisionsIn = (stderr: string) =>
  stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('a key in a process of its own', () => {
  test('it signs a permit too: a swap settles without an approval, and the day counts it once', async () => {
    await placeToken(fork, 'USDC', 'MoodyPermitToken')
    const own = await signerFolder('permits')
    const folder = await botFolder('permits', '  permits: [USDC]\n')
    const env = { WALLET_PASSWORD_FILE: './password' }
    const signer = startBallast(['signer', '--json'], { cwd: own, env })
    await signer.says(/\}\n/)
    const sale = ['swap', '--sell', '30 USDC', '--buy', 'WETH', '--live', '--json']
    const before = await sent()
    const settled = await callCli(sale, { cwd: folder })
    expect(settled).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(settled.stdout).results).toMatchObject([{ outcome: 'settled' }])
    expect((await sent()) - before).toBe(1)

    signer.child.kill('SIGTERM')
    const { stderr } = await signer.ended
    expect(decisionsIn(stderr)).toMatchObject([
      { answered: 'signed', kind: 'PERMIT', permitted: '30 USDC' },
      { answered: 'signed', kind: 'SWAP', sold: '30 USDC' },
    ])
  })

  test('swap --live settles through it; beyond its limits it is refused; without it nothing is signed', async () => {
    const own = await signerFolder('signer')
    const folder = await botFolder('signer')
    const ballast = (...args: string[]) => callCli([...args, '--json'], { cwd: folder })
    const swap = (sell: string) => ballast('swap', '--sell', sell, '--buy', 'USDC', '--live')

    const signer = startBallast(['signer', '--json'], {
      cwd: own,
      env: { WALLET_PASSWORD_FILE: './password' },
    })
    await signer.says(/\}\n/)
    expect(JSON.parse((await ballast('key', 'address')).stdout)).toMatchObject({
      signer: 'process',
      address: treasury().address,
      agrees: true,
    })

    const before = await balances(fork.rpc, fork.ready)
    const settled = await swap('1 WETH')
    expect(settled).toMatchObject({ code: 0, stderr: '' })
    const [{ outcome, swap: done }] = JSON.parse(settled.stdout).results
    expect(outcome).toBe('settled')
    const after = await balances(fork.rpc, fork.ready)
    const moved = (symbol: string) => (after[symbol] ?? 0n) - (before[symbol] ?? 0n)
    expect({ WETH: moved('WETH'), USDC: moved('USDC') }).toEqual({
      WETH: -BigInt(done.sold.wei),
      USDC: BigInt(done.received.wei),
    })

    // The bot's own policy allows 5 WETH: what stops this is the signer's.
    const refused = await swap('2.5 WETH')
    expect(refused.code).toBe(3)
    expect(JSON.parse(refused.stdout).results[0]).toMatchObject({
      outcome: 'refused',
      code: 'SIGNER_REFUSED',
    })

    signer.child.kill('SIGTERM')
    const { code, stderr } = await signer.ended
    expect(code).toBe(0)
    expect(decisionsIn(stderr)).toMatchObject([
      { answered: 'signed', kind: 'APPROVE' },
      { answered: 'signed', kind: 'SWAP', sold: '1 WETH' },
      { answered: 'refused', rule: 'ABOVE_PER_TRANSACTION' },
    ])

    const alone = await swap('1 WETH')
    expect(alone.code).toBe(4)
    expect(alone.stdout).toContain('SIGNER_UNAVAILABLE')
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
    // A dry run asks no signer.
    expect(await ballast('dry-run')).toMatchObject({ code: 0 })

    const digits = treasury().privateKey.slice(2, 30)
    for (const { stdout, stderr: noise } of [settled, refused, alone])
      expect(stdout + noise).not.toContain(digits)
    expect(await readFile(join(own, 'treasury.json'), 'utf8')).not.toContain(digits)
  })
})
