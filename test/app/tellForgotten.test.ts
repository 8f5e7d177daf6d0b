import { expect, test } from 'vitest'
import { tellForgotten } from '../../src/app/tellForgotten.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'

test('what strategies remembered under other parameters is named, and nothing of the others', async () => {
  const said: string[] = []
  const notes = { weekly: { carried: '1000000000', target: null }, empty: {}, same: undefined }
  const strategies = Object.keys(notes).map((name) => ({ name, params: {} }) as LoadedStrategy)
  await tellForgotten(strategies, {
    forgotten: async (name) => notes[name as keyof typeof notes] as never,
    say: (line) => void said.push(line),
  })
  expect(said).toEqual([
    'FORGOT  weekly: its parameters have changed, and it begins without its notes of before: carried 1000000000, target null',
  ])
})
