import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { generatedPages } from '../scripts/generatedPages.ts'

describe('generated pages', () => {
  for (const { file, text } of generatedPages())
    test(`${file} is what the code says`, () => {
      expect(readFileSync(file, 'utf8') === text, `${file} is out of date: run npm run docs`).toBe(
        true,
      )
    })
})
