import { type Html, html } from './html.ts'

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
