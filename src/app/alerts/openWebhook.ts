import { createHmac } from 'node:crypto'
import { createHttp } from '../../chain/http.ts'
import type { Channels } from '../../config/readChannels.ts'
import { answerBytesMax, type Channel, refusalOfAnswer, timeoutMs, unlessAway } from './channel.ts'

/** An address of the reader's own: the event as JSON, signed over the very bytes of the body. */
export function openWebhook({ url, key }: NonNullable<Channels['webhook']>): Channel {
  const http = createHttp({
    ...{ url: url.reveal(), name: 'webhook', setBy: 'WEBHOOK_URL' },
    ...{ timeoutMs, maxBytes: answerBytesMax },
  })
  return {
    name: 'webhook',
    close: () => http.close(),
    offer: ({ id, body }) =>
      unlessAway(async () => {
        const hmac = createHmac('sha256', key.reveal()).update(body).digest('hex')
        const headers = {
          'content-type': 'application/json',
          'ballast-event-id': id,
          'ballast-signature': `sha256=${hmac}`,
        }
        return refusalOfAnswer(
          'the webhook',
          await http.send({ method: 'POST', path: '', headers, body }),
        )
      }),
  }
}
