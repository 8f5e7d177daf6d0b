import type { AmountText } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { type Html, html } from '../core/html.ts'
import type { LockView } from './views.ts'

/** Decimals shown; the rest is in the title. */
const decimalsShown = 6

/** `0.199203… WETH`; the whole number on hover. Cut, never rounded: nothing looks like more than it is. */
export function amount({ text, token }: AmountText): Html {
  return html`<span title="${text} ${token}">${cut(text)} ${token}</span>`
}

/** A worth, with two decimals: cut, never rounded. */
export function worthText({ text, token }: AmountText): Html {
  const [whole = '', fraction = ''] = text.split('.')
  return html`<span title="${text} ${token}">${cut(`${whole}.${fraction.slice(0, 2).padEnd(2, '0')}`)} ${token}</span>`
}

/** Gas in the chain's own currency. */
export function gas(wei: string, currency: string): Html {
  return amount({ token: currency, wei, text: formatDecimal(BigInt(wei), 18) })
}

/** `+1.2 bps` in green, `−0.4 bps` in red. */
export function bps(value: number): Html {
  const tone = value < 0 ? 'bad' : 'good'
  const sign = value < 0 ? '−' : '+'
  return html`<span class="${tone}">${sign}${Math.abs(value).toFixed(2)} bps</span>`
}

/** `12 s ago`, with the instant on hover. The script of the page keeps it up to date by its mark. */
export function ago(iso: string, now: number): Html {
  const seconds = Math.round((now - Date.parse(iso)) / 1_000)
  const text = seconds === 0 ? 'now' : seconds < 0 ? `in ${span(-seconds)}` : `${span(seconds)} ago`
  return html`<time datetime="${iso}" title="${iso}" data-age>${text}</time>`
}

/** `0x12ab…cdef`, whole on hover. */
export function showHash(text: string): Html {
  return html`<code title="${text}">${text.length > 14 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text}</code>`
}

function cut(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, '\u202f')
  if (fraction === '') return grouped
  // Of a small number the first digits that are not zero must stay.
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const kept = whole === '0' ? Math.max(decimalsShown, zeros + 3) : decimalsShown
  return `${grouped}.${fraction.slice(0, kept)}${fraction.length > kept ? '…' : ''}`
}

function span(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

const tones: Readonly<Record<string, string>> = {
  SETTLED: 'good',
  REVERTED: 'bad',
  EXPIRED_DEAD: 'bad',
  DISPLACED: 'bad',
  REJECTED: 'bad',
  ABANDONED: 'soft',
}

/** The state of a swap as a coloured mark; one that is not final is open. */
export function state(name: string): Html {
  return html`<span class="mark ${tones[name] ?? 'open'}">${name}</span>`
}

/** The actions not done at present, and why; nothing where no lock holds. */
export function lockBanner(locks: readonly LockView[], now: number): Html {
  return html`${
    locks.length > 0 &&
    html`<div class="banner"><strong>Locked</strong><ul>${locks.map(
      ({ id, kind, scope, code, reason, openedAt, expiresAt }) =>
        html`<li>${kind} ${scope}: ${reason} (${code}, lock ${id}, opened ${ago(openedAt, now)}, ${expiresAt === null ? 'until ballast resume' : html`expires ${ago(expiresAt, now)}`})</li>`,
    )}</ul></div>`
  }`
}

/** An address or a hash, with a link to the chain's explorer where one is known. */
export const linked = (
  explorer: string | null,
  kind: 'address' | 'tx' | 'block',
  text: string,
): Html =>
  explorer === null
    ? html`<code>${text}</code>`
    : html`<a href="${explorer}/${kind}/${text}" rel="noreferrer"><code>${text}</code></a>`
