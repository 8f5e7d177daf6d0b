/** After this number of times a waiting turn goes first: a strategy that is always in a hurry silences no other. */
const overtakenMax = 10

/** A turn that waits for its wallet. */
export type Waiting = { readonly priority: number; overtaken: number }

/** Takes out whose turn it is: the first that was overtaken too often, or else the first of the highest priority. */
export function takeNext<turn extends Waiting>(waiting: turn[]): turn | undefined {
  const highest = Math.max(...waiting.map(({ priority }) => priority))
  const patient = waiting.findIndex(({ overtaken }) => overtaken >= overtakenMax)
  const place = patient >= 0 ? patient : waiting.findIndex(({ priority }) => priority === highest)
  for (const one of waiting.slice(0, Math.max(0, place))) one.overtaken += 1
  return waiting.splice(place, 1)[0]
}

/**
 * One thing at a time, the highest priority first, and of the same priority in the order of arrival.
 *
 * A wallet has one: what a strategy decides on must still be true when it is signed, so nothing else of that wallet
 * may move between the look and the end of the swap.
 */
export function createLane(): <result>(
  work: () => Promise<result>,
  priority?: number,
) => Promise<result> {
  const waiting: (Waiting & { readonly begin: () => Promise<void> })[] = []
  let isBusy = false

  async function goOn(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (let next = takeNext(waiting); next !== undefined; next = takeNext(waiting))
      await next.begin()
    isBusy = false
  }

  return (work, priority = 0) =>
    new Promise((resolve, reject) => {
      // Its failure reaches its own caller; the lane goes on.
      const begin = async () => {
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        }
      }
      waiting.push({ priority, overtaken: 0, begin })
      void goOn()
    })
}
