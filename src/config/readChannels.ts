import { isLoopback } from '../core/hostOf.ts'
import { type Secret, secret, secretUrl } from '../core/secret.ts'
import { isEncoded } from './file/codecs.ts'
import { type LookUp, showVariable, type Variable } from './file/variables.ts'

/** Who is told what needs attention: each channel that the environment has. */
export type Channels = {
  /** An address, and the key that signs what is sent there. */
  readonly webhook?: { readonly url: Secret; readonly key: Secret }
  /** `url` ends with the token of the bot. */
  readonly telegram?: { readonly url: Secret; readonly chat: string }
  readonly slack?: { readonly url: Secret }
  readonly mail?: { readonly url: Secret; readonly from: string; readonly to: readonly string[] }
}

/** A shorter one could be guessed. */
const shortest = 32

const hidden = '(its value is not shown)'
const address = /^[^\s@<>,;:"()]{1,64}@[^\s@<>,;:"()]{1,255}$/

/** The channels of the environment, and what is wrong with them. Nothing repeats a value. */
export function readChannels(
  lookUp: LookUp,
  cwd: string,
): {
  readonly channels: Channels
  /** The address of an external dead-man switch. */
  readonly heartbeat: Secret | undefined
  /** Every variable of theirs that is set. */
  readonly variables: readonly Variable[]
  readonly lines: readonly string[]
} {
  const lines: string[] = []
  const variables: Variable[] = []
  /** The values of variables that belong together; undefined where none is set, or one is wrong. */
  const together = (
    wanted: Readonly<Record<string, { is: (text: string) => boolean; not: string }>>,
  ) => {
    const found = Object.keys(wanted).map((name) => [name, lookUp(name)] as const)
    const set = found.flatMap(([, variable]): readonly Variable[] => (variable ? [variable] : []))
    variables.push(...set)
    const [first] = set
    if (first === undefined) return undefined
    const missing = found.flatMap(([name, variable]) => (variable === undefined ? [name] : []))
    const wrong = set.filter(({ name, value }) => wanted[name]?.is(value) !== true)
    if (missing.length > 0)
      lines.push(`${showVariable(first, cwd)}: stands alone: set ${missing.join(' and ')} as well.`)
    for (const one of wrong)
      lines.push(`${showVariable(one, cwd)}: ${wanted[one.name]?.not} ${hidden}.`)
    return missing.length + wrong.length > 0 ? undefined : set.map(({ value }) => value)
  }

  const webhook = together({
    WEBHOOK_URL: privateAddress,
    WEBHOOK_SECRET: {
      is: (text) => new RegExp(`^[\\x21-\\x7e]{${shortest},512}$`).test(text),
      not: `is no key: set ${shortest} characters or more, without spaces`,
    },
  })
  const telegram = together({
    TELEGRAM_BOT_TOKEN: {
      is: (text) => /^\d{1,20}:[\w-]{20,100}$/.test(text),
      not: 'is no token of a bot, such as BotFather gives',
    },
    TELEGRAM_CHAT_ID: {
      is: (text) => /^(?:-?\d{1,20}|@\w{1,64})$/.test(text),
      not: 'is neither the number of a chat nor the @name of a channel',
    },
  })
  const api = together({ TELEGRAM_API_URL: privateAddress })
  const slack = together({ SLACK_WEBHOOK_URL: privateAddress })
  const mail = together({
    SMTP_URL: {
      is: isMailServer,
      not: 'is no address of a mail server, such as smtps://user:password@mail.example with its % written as %25',
    },
    MAIL_FROM: { is: (text) => address.test(text), not: 'is no mail address' },
    MAIL_TO: {
      is: (text) => listed(text).every((one) => address.test(one)),
      not: 'is no list of mail addresses, with commas between them',
    },
  })
  const heartbeat = together({ HEARTBEAT_URL: privateAddress })
  if (lines.length > 0) return { channels: {}, heartbeat: undefined, variables, lines }
  return {
    heartbeat: heartbeat && secretUrl(at(heartbeat, 0)),
    channels: {
      ...(webhook && { webhook: { url: secretUrl(at(webhook, 0)), key: secret(at(webhook, 1)) } }),
      ...(telegram && { telegram: telegramOf(telegram, api?.[0]) }),
      ...(slack && { slack: { url: secretUrl(at(slack, 0)) } }),
      ...(mail && {
        mail: { url: secretUrl(at(mail, 0)), from: at(mail, 1), to: listed(at(mail, 2)) },
      }),
    },
    variables,
    lines,
  }
}

const at = (values: readonly string[], index: number): string => values[index] ?? ''

const listed = (text: string) => text.split(',').map((one) => one.trim())

/** The token is hidden by itself as well: a refusal may repeat it without the address. */
function telegramOf(values: readonly string[], api = 'https://api.telegram.org') {
  const token = secret(at(values, 0)).reveal()
  const url = secretUrl(`${api.replace(/\/$/, '')}/bot${token}`)
  return { url, chat: at(values, 1) }
}

/** What is sent there can be read by nobody on the way. */
const privateAddress = {
  is(text: string): boolean {
    if (!URL.canParse(text)) return false
    const { protocol, hostname, username, password } = new URL(text)
    if (![username, password].every(isEncoded)) return false
    return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  },
  not: 'is no https address, nor one of this machine, or has a % that encodes nothing (write %25)',
}

/** Over TLS from the start (smtps), or before anything is said (smtp): see the channel. */
function isMailServer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, username, password } = new URL(text)
  if (![username, password].every(isEncoded)) return false
  // A query would set options of the library, TLS among them.
  return /^smtps?:$/.test(protocol) && hostname !== '' && pathname.length < 2 && search === ''
}
