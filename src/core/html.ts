import { assert } from './assert.ts'
import { display, foreignMax } from './display.ts'

declare const markup: unique symbol

/** Finished HTML. Only {@link html} makes it, so a text from outside cannot pass for it. */
export type Html = { readonly [markup]: true }

type Part = string | number | Html | undefined | null | false | readonly Part[]

const finished = new WeakMap<object, string>()

/** Longer texts are cut: none of ours is this long, one from outside may be. */
const textMax = foreignMax

/**
 * HTML with every inserted text escaped; lists are joined, nothing stands for undefined, null and false.
 * Attribute values are always written in double quotes.
 *
 * @example html`<p title="${hint}">${rows.map((row) => html`<b>${row.name}</b>`)}</p>`
 */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const text = fixed.map((piece, index) => piece + render(parts[index])).join('')
  const made = Object.freeze({}) as Html
  finished.set(made, text)
  return made
}

/** The document as it is sent. */
export function printHtml(made: Html): string {
  return finished.get(made) ?? ''
}

/** A script of our own as an element. A text that could end it early is refused. */
export function fixedScript(text: string): Html {
  assert(!/<\/script|<!--/i.test(text), 'a script of a page holds no end of itself')
  const made = Object.freeze({}) as Html
  finished.set(made, `<script>${text}</script>`)
  return made
}

function render(part: Part): string {
  if (part === undefined || part === null || part === false) return ''
  if (typeof part === 'number') return String(part)
  if (typeof part === 'string') return escaped(display(part, textMax))
  if (Array.isArray(part)) return part.map(render).join('')
  return finished.get(part as Html) ?? ''
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] ?? '')
}
