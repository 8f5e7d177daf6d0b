import { z } from 'zod'
import type { WaitingAlert } from '../../bot/journal/alerts/alerts.ts'
import { createHttp } from '../../chain/http.ts'
import type { Channels } from '../../config/readChannels.ts'
import { display } from '../../core/display.ts'
import { secondMs } from '../../core/spans.ts'
import {
  alertText,
  answerBytesMax,
  type Channel,
  escapedText,
  type Refusal,
  timeoutMs,
  unlessAway,
} from './channel.ts'

/** Every answer of the Bot API, whatever its status. */
const answer = z.object({
  ok: z.boolean(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
})

/** A chat of Telegram, by `sendMessage` of its Bot API. */
export function openTelegram({ url, chat }: NonNullable<Channels['telegram']>): Channel {
  const http = createHttp({
    ...{ url: url.reveal(), name: 'Bot API of Telegram', setBy: 'TELEGRAM_API_URL' },
    ...{ timeoutMs, maxBytes: answerBytesMax },
  })

  async function send(message: Readonly<Record<string, unknown>>): Promise<Answer> {
    const { status, text } = await http.send({
      method: 'POST',
      path: '/sendMessage',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ chat_id: chat, link_preview_options: { is_disabled: true } },
        ...message,
      }),
    })
    return { status, ...read(text) }
  }

  return {
    name: 'telegram',
    close: () => http.close(),
    offer: (alert) =>
      unlessAway(async () => {
        const marked = await send({ text: htmlOf(alert), parse_mode: 'HTML' })
        const isMarkup = marked.status === 400 && /can't parse/i.test(marked.description ?? '')
        // What it cannot read as markup it takes as it stands.
        return refusal(isMarkup ? await send({ text: plainOf(alert) }) : marked)
      }),
  }
}

type Answer = z.output<typeof answer> & { readonly status: number }

function read(text: string): z.output<typeof answer> {
  try {
    return answer.parse(JSON.parse(text))
  } catch {
    // The page of a proxy: its status says enough.
    return { ok: false }
  }
}

function refusal({ ok, status, description = '', parameters }: Answer): Refusal | undefined {
  if (ok && status === 200) return undefined
  return {
    reason: `Telegram answered with ${status} ${display(description, 200)}`.trim(),
    retryAfterMs: (parameters?.retry_after ?? 0) * secondMs,
    // Of a message alone it says 400; a token, a chat or a limit is wrong for all of them.
    isAway: status !== 400,
  }
}

const plainOf = (alert: WaitingAlert): string => {
  const { title, lines } = alertText(alert)
  return [title, ...lines].join('\n')
}

const htmlOf = (alert: WaitingAlert): string => {
  const { title, lines } = alertText(alert)
  return [`<b>${escapedText(title)}</b>`, ...lines.map(escapedText)].join('\n')
}
