import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { examineWallet } from '../../src/app/recover.ts'
import { sendRawTransaction } from '../../src/chain/calls/sendRawTransaction.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'

test('[LOCAL-27] a start finds that a transaction of the wallet waits that is not ours, and begins nothing', async () => {
  const fork = await forkOrigin()
  const { address = '0x', privateKey = '0x' } = fork.ready.wallets.treasury ?? {}
  const call = (method: string, ...params: unknown[]) =>
    fork.rpc.request({ method, params, parse: (answer) => answer })
  try {
    expect(await examineWallet(fork.rpc, { wallet: address, nextNonce: undefined })).toEqual([])
    await call('evm_setAutomine', false)
    await call('evm_setIntervalMining', 0)
    const raw = await privateKeyToAccount(privateKey).signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: 0,
      to: address,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
    })
    await fork.rpc.request(sendRawTransaction(raw))
    await expect(openBot(fork)).rejects.toMatchObject({
      code: 'NONCE_PENDING',
      fault: 'locked',
      facts: { nonceOfChain: 0, nonceOfPool: 1 },
    })
  } finally {
    await fork.close()
  }
})

test('[CHAIN-24] a wallet that has code is told of at every start', async () => {
  const fork = await forkOrigin()
  const { address = '0x' } = fork.ready.wallets.treasury ?? {}
  try {
    const params = [address, `0xef0100${'1'.repeat(40)}`]
    await fork.rpc.request({ method: 'anvil_setCode', params, parse: (answer) => answer })
    expect(await examineWallet(fork.rpc, { wallet: address, nextNonce: undefined })).toEqual([
      'the wallet has code (EIP-7702): whoever wrote it may move what it holds',
    ])
  } finally {
    await fork.close()
  }
})
