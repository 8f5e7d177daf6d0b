/**
 * One thing at a time, in the order of arrival.
 *
 * A wallet has one: what a strategy decides on must still be true when it is signed, so nothing else of that wallet
 * may move between the look and the end of the swap.
 */
export function createLane(): <result>(work: () => Promise<result>) => Promise<result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine.catch(() => {})
    return mine
  }
}
