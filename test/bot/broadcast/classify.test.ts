import fc from 'fast-check'
import { BaseError, NonceTooLowError } from 'viem'
import { getNodeError } from 'viem/utils'
import { describe, expect, test, vi } from 'vitest'
import { classify } from '../../../src/bot/broadcast/classify.ts'
import { phrases, refusals } from '../../../src/bot/broadcast/phrases.ts'
import { isTakenVerdict, type Verdict } from '../../../src/bot/verdict.ts'
import { anyText } from '../../support/anyText.ts'
import { corpus, type Entry } from './corpus.ts'

const entries = Object.entries(corpus).flatMap(([client, said]) =>
  said.map((entry) => ({ client, entry })),
)
const verdictOf = ([code, message]: Entry) => classify({ code, message })
const words = (message: string) => classify({ code: -32_000, message })

describe('[RPC-26] [RPC-27] [RPC-28] [RPC-29] [RPC-30] [RPC-31] [RPC-32] [RPC-33] classify: the words of the clients', () => {
  for (const [client, said] of Object.entries(corpus))
    test(client, () => {
      expect(said.map((entry) => [entry[1], verdictOf(entry)])).toEqual(
        said.map(([, message, verdict]) => [message, verdict]),
      )
    })

  test('the corpus: at least 120 different texts, none twice for one client', () => {
    expect(new Set(entries.map(({ entry }) => entry[1])).size).toBeGreaterThanOrEqual(120)
    for (const said of Object.values(corpus))
      expect(new Set(said.map(([code, message]) => `${code} ${message}`)).size).toBe(said.length)
  })

  test('the case of a word, and what wraps a message, change nothing', () => {
    for (const { entry } of entries) {
      const [code, message, verdict] = entry
      expect(classify({ code, message: message.toUpperCase() })).toBe(verdict)
      expect(classify({ code, message: `  ${message}\n` })).toBe(verdict)
    }
  })

  test('every phrase is read as what its list says, and none is hidden by one before it', () => {
    const bare = (phrase: string) =>
      phrase.replaceAll('#', '7').replace(/^\^ /, '').replace(/ \$$/, '')
    for (const [verdict, known] of phrases)
      for (const phrase of known) expect([phrase, words(bare(phrase))]).toEqual([phrase, verdict])
    for (const phrase of refusals)
      expect([phrase, words(bare(phrase))]).toEqual([phrase, 'endpoint-fault'])
  })
})

describe('classify: traps', () => {
  const known: Readonly<Record<string, string>> = {
    'another word': 'unknown transaction',
    'a denial': 'not already known',
    'a denial of the other form': 'not a known transaction',
    'a block': 'block already known',
    'a part of a word': 'already knowns',
    'an account': 'account already exists',
    'the same nonce': 'transaction already exists with this nonce',
    'a host': 'cannot reach https://already-known.example/known-transaction',
    'a path': 'see https://node.example/already/imported',
    'beyond the bound': `${'x '.repeat(600)}already known`,
    'words of another line': 'the hash is already\nunknown',
  }
  for (const [name, message] of Object.entries(known))
    test(`${name} is not "known": ${message.slice(0, 60)}`, () => {
      expect(words(message)).toBe('ambiguous')
    })

  test('what two phrases leave behind is not a third', () => {
    expect(words('nonce already known too low')).toBe('already-known')
  })

  test('a message that says two things of the transaction says nothing', () => {
    for (const message of [
      'already known, nonce too low',
      'nonce too low; nonce too high',
      'transaction underpriced: insufficient funds for gas * price + value',
      'replacement transaction underpriced, transaction underpriced',
      'invalid sender: already known',
    ])
      expect([message, words(message)]).toEqual([message, 'ambiguous'])
  })

  test('viem would call what a node knows a nonce that is too low', () => {
    for (const message of ['transaction already imported', 'already known']) {
      const named = getNodeError(new BaseError('x', { details: message }), {})
      expect(named).toBeInstanceOf(NonceTooLowError)
      expect(words(message)).toBe('already-known')
    }
  })

  test('words of the transaction go before words and codes of the endpoint', () => {
    expect(words('rate limit: already known')).toBe('already-known')
    expect(classify({ code: 429, message: 'nonce too low' })).toBe('nonce-low')
    expect(classify({ code: -32_005, message: 'exceeds block gas limit' })).toBe('invalid')
  })

  test('JSON and markup are words like any', () => {
    expect(words('{"code":-32000,"message":"already known"}')).toBe('already-known')
    expect(words('<b>nonce</b> <i>too low</i>')).toBe('ambiguous')
    expect(words('{}')).toBe('ambiguous')
  })

  test('[RPC-04] [RPC-06] without a JSON-RPC answer: refused at the door, or unclear', () => {
    const transport = (message: string) => classify({ code: undefined, message })
    expect(transport('HTTP 429, not JSON')).toBe('endpoint-fault')
    expect(transport('HTTP 401, not JSON')).toBe('endpoint-fault')
    expect(transport('reason: ECONNREFUSED')).toBe('endpoint-fault')
    // The bytes may have gone through before.
    expect(transport('HTTP 502, not JSON')).toBe('ambiguous')
    expect(transport('HTTP 200, not JSON')).toBe('ambiguous')
    expect(transport('reason: UND_ERR_SOCKET')).toBe('ambiguous')
    expect(transport('reason: ECONNRESET')).toBe('ambiguous')
    expect(transport('reason: TimeoutError')).toBe('ambiguous')
    expect(transport('')).toBe('ambiguous')
  })
})

describe('classify: properties', () => {
  const texts = fc.oneof(fc.string(), anyText({ maxLength: 3_000 }))

  test('a text that nobody knows is ambiguous, whatever its code but those of a refusal', () => {
    const unknown = fc
      .stringMatching(/^[g-z ]{0,80}$/)
      .filter((text) => !/known|spammer|unauthorized|mined|rlp|quota|sync/.test(text))
      .map((text) => `qq${text.replace(/ /g, ' qq')}`)
    const code = fc.integer().filter((one) => ![401, 403, 429, -32_005, -32_601].includes(one))
    fc.assert(
      fc.property(unknown, code, (message, number) => {
        expect(classify({ code: number, message })).toBe('ambiguous')
      }),
    )
  })

  test('never throws, and never calls taken what does not hold a phrase that says so', () => {
    const said = phrases
      .filter(([verdict]) => isTakenVerdict(verdict))
      .flatMap(([, known]) => known)
    fc.assert(
      fc.property(texts, fc.option(fc.integer(), { nil: undefined }), (message, code) => {
        const taken = isTakenVerdict(classify({ code, message }))
        const clear = message.toLowerCase().replace(/[^a-z0-9]+/g, ' ')
        const holds = said.some((phrase) => clear.includes(phrase.replace(/[\^$]/g, '').trim()))
        expect(taken && !holds).toBe(false)
      }),
    )
  })

  test('only what a node has is taken', () => {
    const all = ['accepted', ...new Set(phrases.map(([verdict]) => verdict)), 'endpoint-fault']
    expect(all.filter((verdict) => isTakenVerdict(verdict as Verdict))).toEqual([
      'accepted',
      'already-known',
    ])
  })

  test('never answers `accepted`: only a hash does', () => {
    expect(phrases.map(([verdict]) => verdict)).not.toContain('accepted')
  })

  test('of a hostile length only the beginning is looked at', () => {
    const lowered = vi.spyOn(String.prototype, 'toLowerCase')
    const split = vi.spyOn(String.prototype, 'split')
    const verdicts: Verdict[][] = []
    for (const piece of ['a', ' ', 'a:', 'http://', 'nonce too ', 'already ', '7 ', '| ', '0x']) {
      const hostile = piece.repeat(Math.ceil(2_000_000 / piece.length))
      verdicts.push([words(`${hostile} nonce too low`), words(hostile)])
    }
    for (const [longer, hostile] of verdicts) expect(longer).toBe(hostile)
    for (const { mock } of [lowered, split]) {
      expect(mock.contexts.length).toBeGreaterThan(0)
      // Unbounded, one alone takes tens of milliseconds.
      expect(Math.max(...mock.contexts.map((text) => String(text).length))).toBeLessThan(1_100)
    }
  })
})
