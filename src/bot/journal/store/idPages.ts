/** Fewer than a statement may have parameters. */
const idsPerPage = 1_000

/** Ids, once each, in pages of which each fits into one statement. */
export function idPages(ids: Iterable<string>): readonly (readonly string[])[] {
  const all = [...new Set(ids)]
  return Array.from({ length: Math.ceil(all.length / idsPerPage) }, (_, page) =>
    all.slice(page * idsPerPage, (page + 1) * idsPerPage),
  )
}
