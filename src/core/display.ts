/** Control, bidirectional and invisible characters, and line separators: all of them can make a terminal or a log lie. */
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Foreign text as it may appear in a message: cut, on one line, and unable to steer a terminal. */
export function display(text: string, limit = 200): string {
  const head = text.slice(0, limit * 2).replace(unprintable, '\u{FFFD}')
  return head.length > limit || text.length > limit * 2 ? `${head.slice(0, limit)}…` : head
}
