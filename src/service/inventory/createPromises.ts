/** Anything that is promised under a number until a deadline. */
type Promised = { readonly orderId: bigint; readonly deadlineSeconds: number }

/**
 * What was promised, apart by whether its deadline is past: a block changes those that are live, and looks at no other.
 * The rest is kept by deadline, so that a second of it is forgotten at once, or live again after a reorganisation.
 */
export function createPromises<promise extends Promised>(forgetAfterSeconds: number) {
  const known = new Map<bigint, promise>()
  const live = new Set<promise>()
  const past = new Map<number, promise[]>()

  /** Those of the past whose deadline is in a range, without the ones that were withdrawn since. */
  const take = (isIn: (deadlineSeconds: number) => boolean): readonly promise[] =>
    [...past].flatMap(([deadlineSeconds, promises]) => {
      if (!isIn(deadlineSeconds)) return []
      past.delete(deadlineSeconds)
      return promises.filter((promise) => known.get(promise.orderId) === promise)
    })

  return {
    has: (orderId: bigint) => known.has(orderId),
    size: () => known.size,
    live: (): Iterable<promise> => live,
    add(promise: promise) {
      known.set(promise.orderId, promise)
      live.add(promise)
    },
    withdraw(orderId: bigint): promise | undefined {
      const promise = known.get(orderId)
      if (promise === undefined) return undefined
      known.delete(orderId)
      live.delete(promise)
      return promise
    },
    /** Its deadline is past. */
    shelve(promise: promise) {
      live.delete(promise)
      const others = past.get(promise.deadlineSeconds)
      if (others === undefined) past.set(promise.deadlineSeconds, [promise])
      else others.push(promise)
    },
    /** An earlier block is the newest again. */
    revive(timestamp: number) {
      for (const promise of take((deadlineSeconds) => timestamp <= deadlineSeconds))
        live.add(promise)
    },
    /** Drops what no block can bring back, and tells what that is. */
    forget(timestamp: number): readonly promise[] {
      const gone = take((deadlineSeconds) => timestamp > deadlineSeconds + forgetAfterSeconds)
      for (const { orderId } of gone) known.delete(orderId)
      return gone
    },
  }
}
