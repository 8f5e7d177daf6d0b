import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { callWith, resumeCall } from '../../src/app/calls.ts'
import { shellWord } from '../../src/core/shellWord.ts'

const paths = ['plain/ballast.yaml', 'a b', "Bob's", "'", '$HOME `id` "x"', '#%&;|<>*?~', 'ü']

/** The words that a shell makes of a text. */
const words = (text: string) =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${text}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

test.each(paths)('a shell reads it as it is written: %s', (path) => {
  expect(words(shellWord(path))).toEqual([path])
  expect(words(callWith(path, 'ballast plan'))).toEqual(['ballast', 'plan', '--config', path])
  expect(words(resumeCall(path))).toEqual(['ballast', 'resume', '--config', path, '--reason', '…'])
})

test('a plain word needs no quotes', () => {
  expect(shellWord('./market/ballast.yaml')).toBe('./market/ballast.yaml')
})
