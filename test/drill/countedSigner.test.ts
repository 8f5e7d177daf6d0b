import { expect, test } from 'vitest'
import { countedSigner } from '../../src/app/drill/drillBot.ts'

/** What a drill counts as signed. */

type Signer = Parameters<typeof countedSigner>[0]

test('a transaction and a permit count, once each and only when they are signed', async () => {
  let count = 0
  let isRefusing = false
  const answer = async () => {
    if (isRefusing) throw new Error('refused')
    return 'signed'
  }
  const signer = { sign: answer, signPermit: answer } as unknown as Signer
  const counted = countedSigner(signer, () => {
    count += 1
  })
  const what = {} as never
  expect(await counted.sign(what)).toBe('signed')
  expect(await counted.signPermit?.(what)).toBe('signed')
  expect(count).toBe(2)
  isRefusing = true
  await expect(counted.signPermit?.(what)).rejects.toThrow('refused')
  expect(count).toBe(2)
})

test('a key that signs no permits stays one', () => {
  const signer = { sign: async () => 'signed' } as unknown as Signer
  expect(countedSigner(signer, () => {})).not.toHaveProperty('signPermit')
})
