import type { Log } from '../../bot/report/createLog.ts'
import type { Channels } from '../../config/readChannels.ts'
import type { Channel } from './channel.ts'
import { openMail } from './openMail.ts'
import { openSlack } from './openSlack.ts'
import { openTelegram } from './openTelegram.ts'
import { openWebhook } from './openWebhook.ts'

/** Opens every channel that is configured. No connection is made before the first event. */
export function openChannels(
  { webhook, telegram, slack, mail }: Channels,
  log: Log,
): readonly Channel[] {
  return [
    webhook && openWebhook(webhook),
    telegram && openTelegram(telegram),
    slack && openSlack(slack),
    mail && openMail(mail, log),
  ].filter((channel) => channel !== undefined)
}
