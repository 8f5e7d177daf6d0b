/** All that an asynchronous sequence has. */
export async function gather<item>(items: AsyncIterable<item>): Promise<item[]> {
  const all: item[] = []
  for await (const item of items) all.push(item)
  return all
}
