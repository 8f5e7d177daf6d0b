/** Every row of a table that is read page by page: `read` gets the size of a page and the key of the last row before it. */
export async function* inPages<row extends key, key>(
  size: number,
  read: (size: number, last: key | undefined) => Promise<readonly row[]>,
): AsyncGenerator<row> {
  let last: row | undefined
  for (;;) {
    const rows = await read(size, last)
    yield* rows
    last = rows.at(-1)
    if (last === undefined || rows.length < size) return
  }
}
