import type { MarkdownRenderer } from 'vitepress'

/** A page of these documents, by its path in the repository: what a sentence names, a reader wants to open. */
const named = /(docs\/[\w/-]+\.md)/

/** Makes a link of each page that a text names. Headings keep their words, and links theirs. */
export function linkPages(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('link-pages', (state) => {
    state.tokens.forEach((token, index) => {
      const isHeading = state.tokens[index - 1]?.type === 'heading_open'
      if (token.type !== 'inline' || token.children === null || isHeading) return
      let depth = 0
      token.children = token.children.flatMap((child) => {
        depth += child.type === 'link_open' ? 1 : child.type === 'link_close' ? -1 : 0
        const isText = child.type === 'text' || child.type === 'code_inline'
        if (depth > 0 || !isText || !named.test(child.content)) return [child]
        if (child.type === 'code_inline' && child.content.replace(named, '') !== '') return [child]
        return child.content.split(named).flatMap((content, place) => {
          const part = Object.assign(new state.Token(child.type, child.tag, 0), {
            ...child,
            content,
          })
          if (place % 2 === 0) return content === '' ? [] : [part]
          const open = new state.Token('link_open', 'a', 1)
          open.attrSet('href', content.replace(/^docs/, ''))
          return [open, part, new state.Token('link_close', 'a', -1)]
        })
      })
    })
  })
}
