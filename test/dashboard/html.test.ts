import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { html, printHtml } from '../../src/core/html.ts'
import { anyText } from '../support/anyText.ts'

const paragraph = (text: string) => printHtml(html`<p title="${text}">${text}</p>`)

describe('html', () => {
  test.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['" onmouseover="alert(1)', '&quot; onmouseover=&quot;alert(1)'],
    ["' onfocus='alert(1)", '&#39; onfocus=&#39;alert(1)'],
    ['</style><img src=x onerror=alert(1)>', '&lt;/style&gt;&lt;img src=x onerror=alert(1)&gt;'],
    ['&lt;already&gt;', '&amp;lt;already&amp;gt;'],
    ['`steal`', '&#96;steal&#96;'],
    ['evil\u202egnp.exe', 'evil\ufffdgnp.exe'],
    ['two\nlines\u0000', 'two\ufffdlines\ufffd'],
  ])('escapes %j', (text, safe) => {
    expect(paragraph(text)).toBe(`<p title="${safe}">${safe}</p>`)
  })

  test('cuts what is too long to be ours', () => {
    expect(paragraph('x'.repeat(100_000)).length).toBeLessThan(5_000)
  })

  test('nests, joins lists and leaves out nothing', () => {
    const rows = ['a', '<b>'].map((name) => html`<li>${name}</li>`)
    expect(printHtml(html`<ul>${rows}${undefined}${null}${false}${0}</ul>`)).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li>0</ul>',
    )
  })

  test('only html makes html: data that looks like it stands for nothing', () => {
    const forged = JSON.parse('{"markup":"<script>","toString":"<script>"}')
    expect(printHtml(html`<p>${forged}</p>`)).toBe('<p></p>')
    expect(printHtml(forged)).toBe('')
  })

  test('no text opens a tag, closes an attribute or starts an entity', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 200 }), (text) => {
        const [, inside = ''] = /^<p title="([^"<>]*)">/s.exec(paragraph(text)) ?? []
        expect(paragraph(text)).toBe(`<p title="${inside}">${inside}</p>`)
        expect(inside.replaceAll(/&(?:amp|lt|gt|quot|#39|#96);/g, '')).not.toMatch(/[&<>"'`]/)
      }),
    )
  })
})
