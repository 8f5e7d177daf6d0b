import { isLoopback } from '../core/hostOf.ts'
import { type Secret, secret, secretUrl } from '../core/secret.ts'
import { type LookUp, showVariable } from './file/variables.ts'

/** Who is told what needs attention, and the key that signs it. */
export type Webhook = { readonly url: Secret; readonly key: Secret }

/** A shorter one could be guessed. */
const shortest = 32

/** The webhook of the environment, and what is wrong with it. Nothing repeats a value. */
export function readWebhook(
  lookUp: LookUp,
  cwd: string,
): { readonly webhook: Webhook | undefined; readonly lines: readonly string[] } {
  const [url, key] = [lookUp('WEBHOOK_URL'), lookUp('WEBHOOK_SECRET')]
  const lines: string[] = []
  if (url !== undefined && !isPrivateAddress(url.value))
    lines.push(
      `${showVariable(url, cwd)}: is no https address, nor one of this machine (its value is not shown).`,
    )
  if (url !== undefined && key === undefined)
    lines.push(
      `${showVariable(url, cwd)}: stands alone: set WEBHOOK_SECRET to ${shortest} characters or more.`,
    )
  if (key !== undefined && !new RegExp(`^[\\x21-\\x7e]{${shortest},512}$`).test(key.value))
    lines.push(
      `${showVariable(key, cwd)}: is no key: set ${shortest} characters or more, without spaces (its value is not shown).`,
    )
  if (lines.length > 0 || url === undefined || key === undefined)
    return { webhook: undefined, lines }
  return { webhook: { url: secretUrl(url.value), key: secret(key.value) }, lines }
}

/** What is sent there can be read by nobody on the way. */
function isPrivateAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
