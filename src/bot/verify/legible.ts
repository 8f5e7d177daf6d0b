import type { FirmQuote } from '../../api/firmQuote.ts'
import { assert } from '../../core/assert.ts'
import type { Quoted } from '../stages.ts'

/** A quote of this project's router: all of it can be read. */
export type Legible = Quoted & { readonly quote: FirmQuote }

/** The service's profile decides which kind of quote is asked for, and which verifier it meets. */
export function legible(quoted: Quoted): Legible {
  assert(isLegible(quoted), 'the verifier of this router is given quotes of this router')
  return quoted
}

const isLegible = (quoted: Quoted): quoted is Legible => 'widgetFeeSignature' in quoted.quote
