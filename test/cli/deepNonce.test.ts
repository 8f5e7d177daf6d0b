import { expect, test } from 'vitest'
import { deepNonce } from '../../src/app/chainNonce.ts'
import { systemClock } from '../../src/core/clock.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { transact } from '../support/transact.ts'

test('the nonce a person goes on from is one that no reorganisation within the depth takes back', async () => {
  const fork = await forkOrigin({ mining: 'auto' })
  const { address = '0x', privateKey = '0x' } = fork.ready.wallets.treasury ?? {}
  const notes: string[] = []
  const ask = (confirmations: number, blockTimeMs: number) =>
    deepNonce({
      rpc: fork.rpc,
      chain: { confirmations, blockTimeMs },
      wallet: address,
      clock: systemClock,
      signal: new AbortController().signal,
      // No block comes before it waits for one.
      note(line) {
        notes.push(line)
        for (let block = 0; block < confirmations; block++) void fork.rpc.request(anvilCalls.mine)
      },
    })
  try {
    expect(await ask(2, 1_000)).toBe(0)
    expect(notes).toEqual([])
    await transact(fork.rpc, { privateKey, to: address, data: '0x', value: 1n })
    await expect(ask(2, 0)).rejects.toMatchObject({
      code: 'NONCE_NOT_DEEP',
      facts: { nonceAtDepth: 0, nonceOfChain: 1 },
    })
    expect(await ask(2, 1_000)).toBe(1)
    expect(notes).toHaveLength(1)
  } finally {
    await fork.close()
  }
})
