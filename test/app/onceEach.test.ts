import { expect, test } from 'vitest'
import { onceEach } from '../../src/app/openTrain.ts'
import { BallastError } from '../../src/core/errors.ts'

const trouble = (code: string) =>
  new BallastError('Trouble.', { code, remedy: 'retry', fault: 'upstream' })

test('trouble: is told once, and again when it is other trouble or another swap', () => {
  const told: string[] = []
  const tell = onceEach((swapId, error) => told.push(`${swapId} ${(error as BallastError).code}`))
  for (const code of ['A', 'A', 'A', 'B', 'A']) tell('one', trouble(code))
  tell('two', trouble('A'))
  expect(told).toEqual(['one A', 'one B', 'one A', 'two A'])
})
