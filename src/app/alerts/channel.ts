import type {
  AlertEvent,
  AlertItem,
  AlertSource,
  WaitingAlert,
} from '../../bot/journal/alerts/alerts.ts'
import type { HttpAnswer } from '../../chain/http.ts'
import { retryAfterMs } from '../../chain/retryAfterMs.ts'
import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { secondMs } from '../../core/spans.ts'

/** Why an event was not taken. */
export type Refusal = {
  /** For the log: a sentence without anything secret. */
  readonly reason: string
  /** How long the receiver wants to be left alone; 0 where it does not say. */
  readonly retryAfterMs: number
  /** Whether another event would fare the same now. */
  readonly isAway: boolean
}

/** A way to tell a person. */
export type Channel = {
  /** Under which its deliveries are on record. */
  readonly name: 'webhook' | 'telegram' | 'slack' | 'mail'
  /** Sends one event; undefined where the receiver took it. */
  offer(alert: WaitingAlert): Promise<Refusal | undefined>
  close(): Promise<void>
}

/** For one exchange: what answers a webhook may have to be started for it. */
export const timeoutMs = 15 * secondMs
export const answerBytesMax = 65_536

/** The body of an event. */
export type AlertBody = AlertItem &
  AlertSource & { readonly id: string; readonly event: AlertEvent; readonly at: string }

/** A sentence is a line or two; nothing longer than this is read on a telephone. */
const sentenceMax = 1_500

/** An event for a person: a title, and lines below it. */
export function alertText({ body }: WaitingAlert): {
  readonly title: string
  readonly lines: readonly string[]
} {
  const { id, event, severity, code, subject, since, at, sentence, next, ...source } = JSON.parse(
    body,
  ) as AlertBody
  const { chainId, wallet, mode } = source
  const isOver = event === 'ended'
  const cut = (text: string) => display(text, sentenceMax)
  return {
    title: `${isOver ? 'OVER' : severity.toUpperCase()} ${code}: ${cut(subject)}`,
    lines: [
      // As it was told when it began: an end is noted, not looked at again.
      isOver ? `It was: ${cut(sentence)}` : cut(sentence),
      ...(isOver ? [] : [`Next: ${cut(next)}`]),
      `Since ${since}${isOver ? `, over at ${at}` : ''} · ${mode}, chain ${chainId}, wallet ${wallet} · event ${id}`,
    ],
  }
}

/** The three characters that Slack and Telegram read as their own; Slack wants no other to be replaced. */
export const escapedText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** What an HTTP answer means; undefined for 2xx. */
export function refusalOfAnswer(who: string, { status, headers }: HttpAnswer): Refusal | undefined {
  if (status >= 200 && status < 300) return undefined
  return {
    reason: `${who} answered with ${status}`,
    retryAfterMs: retryAfterMs(headers) ?? 0,
    // Of one event alone a receiver may say that it is wrong.
    isAway: status === 429 || status === 408 || status >= 500,
  }
}

/** A receiver that cannot be reached is a refusal; everything else is a defect. */
export async function unlessAway(
  ask: () => Promise<Refusal | undefined>,
): Promise<Refusal | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return { reason: error.summary, retryAfterMs: 0, isAway: true }
  }
}
