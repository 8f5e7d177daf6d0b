import { createHash } from 'node:crypto'
import { printHtml } from '../core/html.ts'
import { liveScript } from './liveScript.ts'
import { style } from './style.ts'

const sha256Of = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The page has a style sheet, an icon, one script and forms, which read from here alone. Nothing else is allowed to appear. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src ${sha256Of(printHtml(style))}`,
  `script-src ${sha256Of(liveScript)}`,
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** A document has its own style sheet, and nothing else at all. */
export const documentPolicy = (itsStyle: string): string =>
  [
    "default-src 'none'",
    `style-src ${sha256Of(itsStyle)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
