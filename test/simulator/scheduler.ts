type Event = { readonly at: number; readonly order: number; readonly run: () => void }

/** Virtual time. Nothing happens between two events, and events of one instant happen in the order they were asked for. */
export type Scheduler = {
  /** True time in milliseconds; what the bot's clock shows is another matter. */
  now(): number
  after(milliseconds: number, run: () => void): void
  /** When the last of what is on its way arrives. */
  lateUntil(): number
  /** Like `after`, of what must arrive before a simulation is over. */
  late(milliseconds: number, run: () => void): void
  /** Runs events until `done` says so; false when nothing is left to happen or `until` is reached first. */
  run(done: () => boolean, until: number): Promise<boolean>
}

export function createScheduler(start: number): Scheduler {
  const heap: Event[] = []
  let now = start
  let order = 0
  let lateUntil = start
  const after = (milliseconds: number, run: () => void) => {
    order += 1
    push(heap, { at: now + Math.max(0, milliseconds), order, run })
  }
  return {
    now: () => now,
    after,
    lateUntil: () => lateUntil,
    late(milliseconds, run) {
      lateUntil = Math.max(lateUntil, now + milliseconds)
      after(milliseconds, run)
    },
    async run(done, until) {
      for (;;) {
        // All that the last event woke has run to its next port before the next one happens.
        await new Promise<void>((resolve) => setImmediate(resolve))
        if (done()) return true
        const event = heap[0]
        if (event === undefined || event.at > until) {
          now = Math.max(now, until)
          return false
        }
        pop(heap)
        now = event.at
        event.run()
      }
    },
  }
}

const earlier = (a: Event, b: Event) => a.at < b.at || (a.at === b.at && a.order < b.order)

function push(heap: Event[], event: Event): void {
  let index = heap.length
  heap.push(event)
  while (index > 0) {
    const above = (index - 1) >> 1
    const parent = heap[above] as Event
    if (!earlier(event, parent)) break
    heap[index] = parent
    index = above
  }
  heap[index] = event
}

function pop(heap: Event[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let index = 0
  for (;;) {
    let child = 2 * index + 1
    if (child >= heap.length) break
    const right = heap[child + 1]
    if (right !== undefined && earlier(right, heap[child] as Event)) child += 1
    const smaller = heap[child] as Event
    if (!earlier(smaller, last)) break
    heap[index] = smaller
    index = child
  }
  heap[index] = last
}
