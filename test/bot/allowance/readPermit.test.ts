import { expect, test } from 'vitest'
import { readPermit } from '../../../src/bot/allowance/readPermit.ts'
import { createRpc } from '../../../src/chain/rpc/createRpc.ts'

test('a node that does not answer is no token without permits', async () => {
  await using opened = new AsyncDisposableStack()
  const rpc = opened.adopt(createRpc({ url: 'http://127.0.0.1:9' }), (one) => one.close())
  const address = `0x${'c0'.repeat(20)}` as const
  const token = { chainId: 1, address, symbol: 'USDC', decimals: 6 }
  const wallet = `0x${'aa'.repeat(20)}` as const
  await expect(readPermit(rpc, { token, wallet, traced: false })).rejects.toMatchObject({
    code: 'UNREACHABLE',
  })
})
