import { createTransport, type NodemailerError } from 'nodemailer'
import { type WaitingAlert, waitingMax } from '../../bot/journal/alerts/alerts.ts'
import type { Log } from '../../bot/report/createLog.ts'
import type { Channels } from '../../config/readChannels.ts'
import { isLoopback } from '../../core/hostOf.ts'
import type { Secret } from '../../core/secret.ts'
import { alertText, type Channel, type Refusal, timeoutMs } from './channel.ts'

/** A message is several exchanges. A server that answers each a little at a time is never silent: all of them end by then. */
const messageMs = 2 * timeoutMs

/** So often, over a quarter of an hour and more, a recipient may be refused for now, such as one whose mailbox is full. */
const triesMax = 8

/**
 * Mail over SMTP. Its Message-ID is the id of the event, by which a mailbox knows what it has. Where somebody took it, one
 * who is refused for good keeps nothing from the others, such as the end: the next mail tells them who hears nothing.
 */
export function openMail({ url, from, to }: NonNullable<Channels['mail']>, log: Log): Channel {
  const transport = transportTo(url)
  /** Who is still to be told of an event that somebody took. A restart forgets it, and tells everybody again. */
  const leftOf = new Map<string, readonly string[]>()
  /** Whom the server last refused for good, or too often. */
  const unreached = new Set<string>()

  async function send(alert: WaitingAlert): Promise<Answer> {
    const { title, lines } = alertText(alert)
    const left = leftOf.get(alert.id)
    const missing = [...unreached].map(
      (one) => `The mail server refuses ${one}, who hears nothing.`,
    )
    return await transport
      .sendMail({
        ...{ from, to: [...(left ?? to)], subject: `Ballast: ${title}` },
        text: `${[...lines, ...missing].join('\n')}\n`,
        messageId: `<${alert.id}@ballast.invalid>`,
        signal: AbortSignal.timeout(messageMs),
      })
      .catch((error: Answer) => {
        // All who are left are refused.
        if (left !== undefined && error.rejectedErrors !== undefined) return error
        throw error
      })
  }

  return {
    name: 'mail',
    close: async () => transport.close(),
    async offer(alert) {
      const { id, tries } = alert
      try {
        const { accepted = [], rejectedErrors = [] } = await send(alert)
        for (const one of accepted) unreached.delete(one)
        // The next try is for them alone.
        const left = rejectedErrors.filter(
          ({ permanent }) => permanent !== true && tries < triesMax,
        )
        const lost = rejectedErrors.filter((one) => !left.includes(one))
        for (const { recipient = '' } of lost) unreached.add(recipient)
        const ofAll = (some: typeof left) => `${some.length} of ${to.length} recipients`
        if (lost.length > 0)
          log.warn({ id, channel: 'mail' }, `the mail server does not take it for ${ofAll(lost)}`)
        leftOf.delete(id)
        if (left.length === 0) return undefined
        leftOf.set(
          id,
          left.map(({ recipient = '' }) => recipient),
        )
        const [oldest = ''] = leftOf.keys()
        if (leftOf.size > waitingMax) leftOf.delete(oldest)
        const reason = `the mail server did not take it for ${ofAll(left)}`
        return { reason, retryAfterMs: 0, isAway: false }
      } catch (error) {
        return refusalOf(error as Answer)
      }
    },
  }
}

function transportTo(url: Secret) {
  const { protocol, hostname, port, username, password } = new URL(url.reveal())
  const secure = protocol === 'smtps:'
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // Beyond this machine nothing is said before the connection is encrypted.
    requireTLS: !secure && !isLoopback(hostname),
    ignoreTLS: !secure && isLoopback(hostname),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    // The text is ours: no file and no address is ever fetched for it.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
}

const refusalOf = ({ code = 'unknown', responseCode }: Answer): Refusal => ({
  // The server's own words may repeat what it was sent.
  reason: `the mail server did not take it: ${responseCode ?? code}`,
  retryAfterMs: 0,
  // 5xx at a message is about that message; at the login, code is EAUTH.
  isAway: responseCode === undefined || responseCode < 500 || code === 'EAUTH',
})

/** What nodemailer says of a mail that somebody took, or of a failure. */
type Answer = Pick<NodemailerError, 'code' | 'responseCode' | 'rejectedErrors'> & {
  readonly accepted?: readonly string[]
}
