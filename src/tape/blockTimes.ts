import type { HeadLook } from './loadTape.ts'

/**
 * When blocks came, from the heads of a tape: between two that were read, the blocks are as far apart as each other; behind
 * the last they go on as they came on average. Without two of them, one comes every `usualMs`.
 */
export function blockTimes(heads: readonly HeadLook[], usualMs: number) {
  const known: { readonly number: number; readonly at: number }[] = []
  for (const { number, at, ageMs } of heads)
    if (number > (known.at(-1)?.number ?? -1)) known.push({ number, at: at - ageMs })
  const [first, last] = [known[0], known.at(-1)]
  const blocks = first && last ? last.number - first.number : 0
  const cadenceMs = first && last && blocks > 0 ? (last.at - first.at) / blocks : usualMs

  return {
    cadenceMs,
    /** When the nth block after an instant comes. */
    after(at: number, blocksLater: number): number {
      if (blocks === 0 || first === undefined || at < first.at)
        return Math.round(at + blocksLater * cadenceMs)
      const below = countWhile(known.length, (place) => (known[place]?.at ?? 0) <= at) - 1
      const [here, next] = [known[below] ?? first, known[below + 1]]
      const span = next ? (next.at - here.at) / (next.number - here.number) : cadenceMs
      const latest = here.number + Math.floor((at - here.at) / Math.max(span, 1))
      return timeOf(latest + blocksLater)
    },
  }

  function timeOf(number: number): number {
    const above = countWhile(known.length, (place) => (known[place]?.number ?? 0) < number)
    const [before, found] = [known[above - 1], known[above]]
    if (found === undefined)
      return last ? Math.round(last.at + (number - last.number) * cadenceMs) : 0
    if (before === undefined || found.number === number) return found.at
    const share = (number - before.number) / (found.number - before.number)
    return Math.round(before.at + share * (found.at - before.at))
  }
}

/** How many in order come before the first that does not. */
function countWhile(count: number, isBefore: (place: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
