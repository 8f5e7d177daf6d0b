import { display } from './display.ts'
import { BallastError } from './errors.ts'
import type { Remedy } from './errorTable.ts'
import { withoutSecrets } from './secret.ts'

/** One thing that was compared before money moved: what had to be, and what was. The name begins with its stage: `verify.floor`. */
export type Check = {
  readonly name: string
  readonly ok: boolean
  readonly expected: string
  readonly actual: string
}

/** Compares everything first and concludes once, so that a refusal shows all that was wrong. */
export type Checklist = {
  /** Notes a comparison; returns whether it held. */
  holds(name: string, ok: boolean, expected: unknown, actual: unknown): boolean
  /** Equal as text, without regard to letter case: addresses and hex arrive in both. */
  equal(name: string, expected: unknown, actual: unknown): boolean
  /** All comparisons so far. Throws {@link Refused} when one failed. */
  conclude(): readonly Check[]
}

/** The sentence that a failed check refuses a swap with. */
export const refusalSentence = ({ name, expected, actual }: Check): string =>
  `Refused: ${name}: expected ${expected}, got ${actual}.`

/** The same behind a word that says that it was refused. */
export const bareRefusal = (sentence: string): string => sentence.replace(/^Refused: /, '')

/** A check failed: the swap was not signed. Carries every check, passed and failed. */
export class Refused extends BallastError {
  readonly stage: string
  readonly checks: readonly Check[]

  constructor(stage: string, failed: Check, checks: readonly Check[], remedy: Remedy) {
    super(refusalSentence(failed), {
      code: codeOf(failed.name),
      remedy,
      fault: 'refused',
    })
    this.stage = stage
    this.checks = checks
  }
}

/** Starts a list for one stage. Earlier stages' checks are carried along, so the last list is the whole story. */
export function createChecklist(
  stage: string,
  { earlier = [], remedy = 'skip' }: { earlier?: readonly Check[]; remedy?: Remedy } = {},
): Checklist {
  const own: Check[] = []
  const holds = (name: string, ok: boolean, expected: unknown, actual: unknown) => {
    own.push({
      name: `${stage}.${name}`,
      ok,
      expected: readable(expected),
      actual: readable(actual),
    })
    return ok
  }
  return {
    holds,
    equal: (name, expected, actual) => holds(name, same(expected, actual), expected, actual),
    conclude() {
      const checks = [...earlier, ...own]
      const failed = own.find(({ ok }) => !ok)
      if (failed !== undefined) throw new Refused(stage, failed, checks, remedy)
      return checks
    },
  }
}

const same = (a: unknown, b: unknown) =>
  a === b || String(a).toLowerCase() === String(b).toLowerCase()

/** A sentence with names, amounts and an address or two. */
const textMax = 500

/** Long bytes are cut where they stand: a check is read by a person, the bytes themselves are in the journal. */
function readable(value: unknown): string {
  // Masked before it is cut: half a secret is not recognised later.
  const text = display(withoutSecrets(String(value)), Number.MAX_SAFE_INTEGER).replace(
    /0x[0-9a-fA-F]{67,}/g,
    (bytes) => `${bytes.slice(0, 66)}… (${bytes.length} characters)`,
  )
  return text.length <= textMax ? text : `${text.slice(0, textMax)}… (${text.length} characters)`
}

const codeOf = (name: string) => name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
