import { createTransport } from 'nodemailer'
import { waitingMax } from '../../bot/journal/alerts/alerts.ts'
import type { Channels } from '../../config/readChannels.ts'
import { isLoopback } from '../../core/hostOf.ts'
import { alertText, type Channel, timeoutMs } from './channel.ts'

/** A message is several exchanges. A server that answers each a little at a time is never silent: all of them end by then. */
const messageMs = 2 * timeoutMs

/** Mail over SMTP. Its Message-ID is the id of the event, by which a mailbox knows what it has. */
export function openMail({ url, from, to }: NonNullable<Channels['mail']>): Channel {
  const { protocol, hostname, port, username, password } = new URL(url.reveal())
  const secure = protocol === 'smtps:'
  const transport = createTransport({
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
  /** Who has been told of an event that somebody else has not. */
  const toldOf = new Map<string, readonly string[]>()
  return {
    name: 'mail',
    close: async () => transport.close(),
    async offer(alert) {
      const { title, lines } = alertText(alert)
      const told = toldOf.get(alert.id) ?? []
      const left = to.filter((one) => !told.includes(one))
      try {
        const { rejected } = await transport.sendMail({
          ...{ from, to: left, subject: `Ballast: ${title}`, text: `${lines.join('\n')}\n` },
          messageId: `<${alert.id}@ballast.invalid>`,
          signal: AbortSignal.timeout(messageMs),
        })
        const refused: readonly string[] = rejected
        toldOf.delete(alert.id)
        if (refused.length === 0) return undefined
        // One refused recipient is one who was not told: the next try is for him alone.
        toldOf.set(alert.id, [...told, ...left.filter((one) => !refused.includes(one))])
        const [oldest = ''] = toldOf.keys()
        if (toldOf.size > waitingMax) toldOf.delete(oldest)
        const reason = `the mail server did not take it for ${refused.length} of ${to.length} recipients`
        return { reason, retryAfterMs: 0, isAway: false }
      } catch (error) {
        const { code = 'unknown', responseCode } = error as Failure
        return {
          // The server's own words may repeat what it was sent.
          reason: `the mail server did not take it: ${responseCode ?? code}`,
          retryAfterMs: 0,
          // 5xx at a message is about that message; at the login, code is EAUTH.
          isAway: responseCode === undefined || responseCode < 500 || code === 'EAUTH',
        }
      }
    },
  }
}

/** Facts of nodemailer about a failure. */
type Failure = { readonly code?: string; readonly responseCode?: number }
