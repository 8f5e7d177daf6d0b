import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { watchConfig } from '../../src/config/watchConfig.ts'
import { BallastError } from '../../src/core/errors.ts'
import { manualClock } from '../bot/schedule/manualClock.ts'

let file: string
let seen: string[]
let asked: boolean
let stop: AbortController
let step: (times?: number) => Promise<void>
let watching: Promise<void>

beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'watch-')), 'ballast.yaml')
  writeFileSync(file, 'first')
  seen = []
  asked = false
  stop = new AbortController()
  const clock = manualClock(Date.UTC(2026, 0, 1))
  step = (times = 1) => clock.moveTo(clock.now() + times * 1_000)
  watching = watchConfig({
    file,
    text: 'first',
    clock,
    signal: stop.signal,
    isAsked: () => asked,
    load(text) {
      if (text.startsWith('wrong'))
        throw new BallastError('It is wrong.', { code: 'X', remedy: 'halt', fault: 'usage' })
      if (text.startsWith('bug')) throw new RangeError('Maximum call stack size exceeded')
      return text
    },
    onChange: (text) => {
      seen.push(`changed: ${text}`)
    },
    onProblem: ({ code }) => seen.push(`problem: ${code}`),
  })
})
afterEach(async () => {
  stop.abort()
  await watching
})

describe('watchConfig', () => {
  test('a file that stands still is not spoken of', async () => {
    writeFileSync(file, 'first')
    await step(5)
    expect(seen).toEqual([])
  })

  test('a new text is taken when it was the same twice', async () => {
    writeFileSync(file, 'second')
    await step()
    expect(seen).toEqual([])
    await step()
    expect(seen).toEqual(['changed: second'])
    await step(3)
    expect(seen).toEqual(['changed: second'])
  })

  test('a file that is being written is waited for', async () => {
    for (const half of ['', 'sec', 'second: ', 'second: whole']) {
      writeFileSync(file, half)
      await step()
    }
    expect(seen).toEqual([])
    await step()
    expect(seen).toEqual(['changed: second: whole'])
  })

  test('a file that another takes the place of is followed', async () => {
    for (const text of ['second', 'third']) {
      writeFileSync(`${file}.new`, text)
      renameSync(`${file}.new`, file)
      await step(2)
    }
    expect(seen).toEqual(['changed: second', 'changed: third'])
  })

  test('a moment without a file is nothing; longer is a problem, told once', async () => {
    rmSync(file)
    await step()
    writeFileSync(file, 'first')
    await step(2)
    expect(seen).toEqual([])
    rmSync(file)
    await step(5)
    expect(seen).toEqual(['problem: CONFIG_UNREADABLE'])
    writeFileSync(file, 'second')
    await step(2)
    expect(seen).toEqual(['problem: CONFIG_UNREADABLE', 'changed: second'])
  })

  test('a wrong text is told once, and the right one after it is taken', async () => {
    writeFileSync(file, 'wrong')
    await step(5)
    expect(seen).toEqual(['problem: X'])
    writeFileSync(file, 'wrong again')
    await step(2)
    writeFileSync(file, 'third')
    await step(2)
    expect(seen).toEqual(['problem: X', 'problem: X', 'changed: third'])
  })

  test('a text that breaks the reader is a problem of the text; the watch goes on', async () => {
    writeFileSync(file, 'bug')
    await step(5)
    expect(seen).toEqual(['problem: CONFIG_UNREADABLE'])
    writeFileSync(file, 'third')
    await step(2)
    expect(seen).toEqual(['problem: CONFIG_UNREADABLE', 'changed: third'])
  })

  test('whoever asks gets an answer, changed or not', async () => {
    await step(2)
    asked = true
    await step()
    asked = false
    await step(3)
    expect(seen).toEqual(['changed: first'])
  })

  test('ends with the signal', async () => {
    stop.abort()
    await expect(watching).resolves.toBeUndefined()
  })
})
