import { createHttp } from '../../chain/http.ts'
import type { Channels } from '../../config/readChannels.ts'
import {
  alertText,
  answerBytesMax,
  type Channel,
  escapedText,
  refusalOfAnswer,
  timeoutMs,
  unlessAway,
} from './channel.ts'

/** A channel of Slack, by an incoming webhook. */
export function openSlack({ url }: NonNullable<Channels['slack']>): Channel {
  const http = createHttp({
    ...{ url: url.reveal(), name: 'webhook of Slack', setBy: 'SLACK_WEBHOOK_URL' },
    ...{ timeoutMs, maxBytes: answerBytesMax },
  })
  const send = async (message: Readonly<Record<string, unknown>>) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ unfurl_links: false, unfurl_media: false, ...message })
    return refusalOfAnswer('Slack', await http.send({ method: 'POST', path: '', headers, body }))
  }
  return {
    name: 'slack',
    close: () => http.close(),
    offer: (alert) =>
      unlessAway(async () => {
        const { title, lines } = alertText(alert)
        const [head, ...rest] = [title, ...lines].map(escapedText)
        const refused = await send({ text: [`*${head}*`, ...rest].join('\n') })
        if (refused === undefined || refused.isAway) return refused
        // A refusal of what it says: once more without any markup.
        return send({ text: [head, ...rest].join('\n'), mrkdwn: false })
      }),
  }
}
