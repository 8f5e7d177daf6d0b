import { expect, test } from 'vitest'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { chosenStrategies } from '../../src/engine/chosenStrategies.ts'

const loaded = ['buyer', 'seller', 'keeper'].map((name) => ({ name }) as LoadedStrategy)
const namesOf = (...names: string[]) => chosenStrategies(loaded, names).map(({ name }) => name)

test('chosenStrategies: those that are named, in the order of the file; all where none is', () => {
  expect(namesOf('keeper', 'buyer')).toEqual(['buyer', 'keeper'])
  expect(namesOf()).toEqual(['buyer', 'seller', 'keeper'])
})

test('chosenStrategies: one that is not there is refused, and what was typed commands no terminal', () => {
  expect(() => namesOf('buyer', 'seler')).toThrow(
    expect.objectContaining({
      code: 'UNKNOWN_STRATEGY',
      fault: 'usage',
      summary: "There is no strategy 'seler' in the file. Did you mean seller?",
      facts: { known: 'buyer, seller, keeper' },
    }),
  )
  expect(() => namesOf('\u001b[2Jgone')).toThrow(
    expect.objectContaining({ summary: expect.not.stringContaining('\u001b') }),
  )
})
