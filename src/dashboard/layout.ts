import { type Html, html } from './html.ts'
import { style } from './style.ts'

type Page = {
  readonly title: string
  /** Seconds after which the browser loads the page again; undefined for one that does not change. */
  readonly refreshSeconds?: number
  readonly body: Html
}

/** A whole document around the body of a page. */
export function layout({ title, refreshSeconds, body }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${refreshSeconds}">`}
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`
}
