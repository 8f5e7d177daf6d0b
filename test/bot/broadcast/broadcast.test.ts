import { describe, expect, test } from 'vitest'
import { broadcast } from '../../../src/bot/broadcast/broadcast.ts'
import { type Journaled, pass } from '../../../src/bot/stages.ts'
import { RpcRefused } from '../../../src/chain/rpc/errors.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'

const hash = `0x${'1'.repeat(64)}` as const
const journaled = pass<Journaled>({ raw: '0x02', hash } as never)

/** An endpoint that ends the call as the test says. */
const endpoint = (end: () => unknown) => {
  const sent: unknown[] = []
  const rpc = {
    request: async ({ params }: { params: unknown }) => {
      sent.push(params)
      return end()
    },
  } as unknown as Rpc
  return { rpc, sent }
}
const refusing = (message: string) =>
  endpoint(() => {
    throw new RpcRefused('eth_sendRawTransaction', { code: -32_000, message })
  })

describe('broadcast', () => {
  test('default: sends exactly the journaled bytes, once', async () => {
    const { rpc, sent } = endpoint(() => hash)
    expect(await broadcast(rpc, journaled)).toEqual({ verdict: 'accepted', words: 'accepted' })
    expect(sent).toEqual([['0x02']])
  })

  test('[RPC-26] the bytes are known: says so', async () => {
    for (const words of ['already known', 'transaction already imported', 'Known transaction'])
      expect(await broadcast(refusing(words).rpc, journaled)).toEqual({
        verdict: 'already-known',
        words,
      })
  })

  test('a refusal: its verdict and its words', async () => {
    expect(await broadcast(refusing('nonce too low').rpc, journaled)).toEqual({
      verdict: 'nonce-low',
      words: 'nonce too low',
    })
    expect(await broadcast(refusing('').rpc, journaled)).toEqual({
      verdict: 'ambiguous',
      words: '',
    })
  })

  test('[RPC-34] another hash than ours: is ambiguous', async () => {
    const { rpc } = endpoint(() => `0x${'2'.repeat(64)}`)
    expect(await broadcast(rpc, journaled)).toMatchObject({ verdict: 'ambiguous' })
  })

  test('silence: is ambiguous', async () => {
    const { rpc } = endpoint(() => {
      throw new Error('socket hang up')
    })
    expect(await broadcast(rpc, journaled)).toMatchObject({ verdict: 'ambiguous' })
  })
})
