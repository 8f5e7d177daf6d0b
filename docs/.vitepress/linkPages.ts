import type { MarkdownRenderer } from 'vitepress'
import { navigation } from './navigation.ts'

/** A page of these documents, by its path in the repository, and perhaps a section of it in quotes. */
const named = /(docs\/[\w/-]+\.md(?:, "[^"]+")?)/

const names: ReadonlyMap<string, string> = new Map(
  navigation.flatMap(({ pages }) => Object.entries(pages)),
)

/**
 * Makes a link of each page that a text names, under the name that the reader sees in the menu: in the repository it is a
 * path, here a page. Headings keep their words, and links theirs.
 */
export function linkPages(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('link-pages', (state) => {
    state.tokens.forEach((token, index) => {
      const isHeading = state.tokens[index - 1]?.type === 'heading_open'
      if (token.type !== 'inline' || token.children === null || isHeading) return
      let depth = 0
      token.children = token.children.flatMap((child) => {
        depth += child.type === 'link_open' ? 1 : child.type === 'link_close' ? -1 : 0
        const isName = child.type === 'code_inline' && child.content.replace(named, '') === ''
        if (depth > 0 || !(child.type === 'text' || isName)) return [child]
        return child.content.split(named).flatMap((content, place) => {
          const text = new state.Token('text', '', 0)
          const { words, target } =
            place % 2 === 0 ? { words: content, target: '' } : linkOf(content)
          text.content = words
          if (target === '') return content === '' ? [] : [text]
          const open = new state.Token('link_open', 'a', 1)
          open.attrSet('href', target)
          return [open, text, new state.Token('link_close', 'a', -1)]
        })
      })
    })
  })
}

/** `docs/NODES.md, "Degrees of proof"` is `/NODES.md#degrees-of-proof`, and reads "Nodes, Degrees of proof". */
function linkOf(mention: string) {
  const [path = '', section] = mention.replaceAll('"', '').split(', ')
  const page = path.slice('docs/'.length, -'.md'.length)
  const hash = section?.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return {
    words: [names.get(page) ?? path, ...(section === undefined ? [] : [section])].join(', '),
    target: `/${page}.md${hash === undefined ? '' : `#${hash}`}`,
  }
}
