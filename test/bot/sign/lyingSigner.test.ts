import { type Hex, serializeTransaction } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerOf } from '../../../src/bot/sign/answerOf.ts'
import { createSigner, type KeyHolder } from '../../../src/bot/sign/createSigner.ts'
import type { Address } from '../../../src/core/token.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
beforeAll(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterAll(async () => {
  await bot?.close()
  await fork?.close()
})

type Asked = Parameters<KeyHolder['signTransaction']>[0]

const treasury = () => fork.ready.wallets.treasury as { address: Address; privateKey: Hex }
const honest = () => privateKeyToAccount(treasury().privateKey)
const signing = (change: (asked: Asked) => Partial<Asked>) => (asked: Asked) =>
  honest().signTransaction({ ...asked, ...change(asked) })

/** What a signer could answer instead, and how it is caught. */
const lies: Readonly<Record<string, readonly [KeyHolder['signTransaction'], code: string]>> = {
  'another target': [signing(() => ({ to: treasury().address })), 'SIGNED_DIFFERS'],
  'another value': [signing(({ value }) => ({ value: value + 1n })), 'SIGNED_DIFFERS'],
  'another nonce': [signing(({ nonce }) => ({ nonce: nonce + 1 })), 'SIGNED_DIFFERS'],
  'another chain': [signing(() => ({ chainId: 1 })), 'SIGNED_DIFFERS'],
  'another fee': [
    signing(({ maxFeePerGas }) => ({ maxFeePerGas: maxFeePerGas * 2n })),
    'SIGNED_DIFFERS',
  ],
  'another call': [signing(({ data }) => ({ data: `${data}00` })), 'SIGNED_DIFFERS'],
  'another key': [
    (asked) => privateKeyToAccount(generatePrivateKey()).signTransaction(asked),
    'SIGNED_DIFFERS',
  ],
  'no signature': [async (asked) => serializeTransaction(asked), 'SIGNED_GARBLED'],
  garbage: [async () => '0xdeadbeef', 'SIGNED_GARBLED'],
  'what is no text': [async () => undefined as never, 'SIGNED_GARBLED'],
  '[LOCAL-36] no answer': [
    () => answerOf({ signer: 'signer', timeoutMs: 200 }, () => new Promise(() => undefined)),
    'SIGNER_UNAVAILABLE',
  ],
}

describe('a signer that answers with', () => {
  test.each(Object.entries(lies))(
    '[LOCAL-37] %s: is refused, and nothing is journaled',
    async (_, lie) => {
      const [signTransaction, code] = lie
      const { address } = treasury()
      const signer = createSigner({ address, signTransaction }, address)
      const sale = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }
      const { record, failure } = await bot.swap(sale, { signer })
      expect(failure).toMatchObject({ code })
      expect(record).toMatchObject({ state: 'ABANDONED', code, attempts: [], txHash: null })
    },
  )

  test('the truth: settles, so that the above is no accident', async () => {
    const sale = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }
    const { record } = await bot.swap(sale)
    expect(record.state).toBe('SETTLED')
  })
})
