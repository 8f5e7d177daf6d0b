import type { Rpc } from '../../chain/rpc/rpc.ts'
import { display } from '../../core/display.ts'
import { type BallastError, ballastError } from '../../core/errors.ts'
import type { Durable } from '../stages.ts'
import { type EndpointAnswer, isTakenVerdict, type OfferedTo, type Verdict } from '../verdict.ts'
import { type Offered, offer } from './offer.ts'

/** The verdict on the bytes after they were sent, and the words behind it. */
export type BroadcastAnswer = {
  readonly verdict: Verdict
  readonly words: string
  /** Who was given them, and what each has said so far; undefined where there is one public endpoint only. */
  readonly offered?: OfferedTo
}

/** The receivers of the bytes, and the listener for a contradiction between them. */
type Broadcasting = {
  /** Each answers within its own deadline, whatever the others do. */
  readonly endpoints: readonly Rpc[]
  /** Private relays, and no public endpoint among them. */
  readonly isPrivate?: boolean
  /** May be called after the answer was given: when the last endpoint has spoken. */
  readonly onContradiction: (error: BallastError) => void
  /** Called once with the answers that came after the one that was given, when the last endpoint has spoken. */
  readonly onLateAnswers?: (answers: readonly EndpointAnswer[]) => void
}

type Heard = Offered & EndpointAnswer

/**
 * Sends the same journaled bytes to every endpoint at once, each once. Never retried here: sending them again is a step
 * that {@link next} decides.
 *
 * Answers once one has taken them, otherwise when all have answered, with the most significant verdict. Success wins:
 * one node may mine bytes that another refuses, and a refusal ends nothing. Never throws.
 */
export function broadcast(
  { endpoints, isPrivate = false, onContradiction, onLateAnswers }: Broadcasting,
  journaled: Durable,
): Promise<BroadcastAnswer> {
  const { promise, resolve } = Promise.withResolvers<BroadcastAnswer>()
  const heard: Heard[] = []
  let told: number | undefined
  const answer = () => {
    if (told !== undefined) return
    told = heard.length
    const to = endpoints.map(({ label }) => label)
    const offered = { to, isPrivate, answers: heard.map(said) }
    resolve({ ...merge(heard), ...(isPrivate || to.length > 1 ? { offered } : {}) })
  }
  const offers = endpoints.map(async (rpc) => {
    const offered = await offer(rpc, journaled)
    heard.push({ endpoint: rpc.label, ...offered })
    if (isTakenVerdict(offered.verdict)) answer()
  })
  void Promise.all(offers).then(() => {
    answer()
    const late = heard.slice(told)
    if (late.length > 0) onLateAnswers?.(late.map(said))
    const error = contradictionIn(heard, journaled)
    if (error !== undefined) onContradiction(error)
  })
  return promise
}

const said = ({ endpoint, verdict, words }: Heard): EndpointAnswer => ({ endpoint, verdict, words })

/**
 * Ordered by significance. First, a node has the bytes; then the nonce, because another party may hold it; then faults
 * that only other bytes or more money would change. Bytes that a node may have rank before bytes that an endpoint never
 * looked at.
 */
const telling: readonly Verdict[] = [
  'accepted',
  'already-known',
  'replacement-underpriced',
  'nonce-low',
  'nonce-high',
  'insufficient-funds',
  'underpriced',
  'invalid',
  'ambiguous',
  'endpoint-fault',
]

function merge(heard: readonly Heard[]): Pick<BroadcastAnswer, 'verdict' | 'words'> {
  const verdict = telling.find((one) => heard.some((answer) => answer.verdict === one))
  return {
    verdict: verdict ?? 'ambiguous',
    words: heard.length === 1 ? (heard[0]?.words ?? '') : told(heard),
  }
}

/** Two endpoints and their words stay readable; of more, the first that spoke. */
const wordsMax = 700

const told = (heard: readonly Heard[]) =>
  display(heard.map(({ endpoint, words }) => `${endpoint}: ${words}`).join('; '), wordsMax)

/** Beside an acceptance these are no news: a nonce is used once the bytes are mined, and a node may be away or in doubt. */
const harmless: ReadonlySet<Verdict> = new Set(['nonce-low', 'endpoint-fault', 'ambiguous'])

function contradictionIn(heard: readonly Heard[], { hash }: Durable): BallastError | undefined {
  const takers = heard.filter(({ verdict }) => isTakenVerdict(verdict))
  const refusers = heard.filter(
    ({ verdict, otherHash }) =>
      (!isTakenVerdict(verdict) && !harmless.has(verdict)) || otherHash === true,
  )
  if (takers.length === 0 || refusers.length === 0) return undefined
  return ballastError(
    'BROADCAST_CONTRADICTED',
    'One endpoint took the transaction and another refused it: it counts as sent.',
    {
      hash,
      accepted: takers.map(({ endpoint }) => endpoint).join(', '),
      refused: told(refusers),
    },
  )
}
