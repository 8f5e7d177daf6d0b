import {
  isLimited,
  isOfSize,
  type Rpc,
  type RpcCall,
  RpcGarbled,
  type RpcOutcome,
  RpcRefused,
  saysNo,
} from './rpc.ts'

type Call = RpcCall<unknown>
type Outcome = RpcOutcome<unknown>

/**
 * An endpoint whose batches are cut to what it takes. Providers refuse batches, cap them at three or ten calls, or refuse
 * some methods inside of them. What was refused is sent again in halves, down to single calls, and what the endpoint
 * took is remembered: only the first batch of a size pays for it, and one in a hundred, which tries whether it takes twice
 * as many by now. The parts of a batch travel at the same time.
 *
 * Never repeats a broadcast: those are sent alone.
 */
export function fitBatches(rpc: Omit<Rpc, 'isOneExchange'>): Rpc {
  let most = Number.POSITIVE_INFINITY
  /** Full exchanges since that was last found out. */
  let taken = 0
  /** Methods that were refused inside of a batch, and whether they are answered outside. */
  const alone = new Map<string, boolean>()

  const count = () => {
    taken += 1
    if (taken >= triedAfter) [most, taken] = [2 * most, 0]
  }

  async function single(call: Call): Promise<Outcome> {
    try {
      return { ok: true, value: await rpc.request(call) }
    } catch (error) {
      if (error instanceof RpcRefused || error instanceof RpcGarbled) return { ok: false, error }
      throw error
    }
  }

  /** Calls that may share an exchange, cut to its size. */
  async function send(calls: readonly Call[]): Promise<readonly Outcome[]> {
    if (calls.length > most) return joined(cut(calls, most).map(send))
    const [only] = calls
    if (only !== undefined && calls.length === 1 && most === 1) {
      count()
      return [await single(only)]
    }
    const outcomes = await rpc.batch(calls).catch((error: unknown) => {
      if (isOfBatch(error)) return undefined
      throw error
    })
    if (outcomes !== undefined && !isTooLarge(outcomes)) {
      if (calls.length === most) count()
      return outcomes
    }
    const half = Math.ceil(calls.length / 2)
    const halves =
      only !== undefined && calls.length === 1
        ? [await single(only)]
        : await joined(cut(calls, half).map(send))
    // An endpoint that is ill refuses halves as well: that says nothing of sizes.
    if (halves.some(isAnswer)) [most, taken] = [Math.min(most, half), 0]
    return halves
  }

  /** Of an outcome that may only be refused because of its company: what the endpoint says to the call alone. */
  async function settled(call: Call, outcome: Outcome): Promise<Outcome> {
    if (outcome.ok || !mayStandAlone(call, outcome.error) || alone.has(call.method)) return outcome
    const answer = await single(call)
    if (answer.ok || !isLimited(answer.error)) alone.set(call.method, answer.ok)
    return answer
  }

  return {
    label: rpc.label,
    close: rpc.close,
    request: rpc.request,
    isOneExchange: (calls) =>
      calls.length <= most && calls.every(({ method }) => alone.get(method) !== true),
    async batch(calls) {
      const isSingle = ({ method }: Call) => alone.get(method) === true
      const together = calls.filter((call) => !isSingle(call))
      const [shared, ...singles] = await Promise.all([
        together.length === 0 ? [] : send(together),
        ...calls.filter(isSingle).map(single),
      ])
      const rest = [shared.values(), singles.values()] as const
      const outcomes = calls.map((call) => rest[isSingle(call) ? 1 : 0].next().value as Outcome)
      return (await Promise.all(
        calls.map((call, index) => settled(call, outcomes[index] as Outcome)),
      )) as never
    },
  }
}

/** An endpoint that was ill for one exchange is held to a smaller size for no longer than this. */
const triedAfter = 100

const cut = (calls: readonly Call[], size: number): readonly (readonly Call[])[] =>
  Array.from({ length: Math.ceil(calls.length / size) }, (_, part) =>
    calls.slice(part * size, (part + 1) * size),
  )

const joined = async (parts: readonly Promise<readonly Outcome[]>[]) =>
  (await Promise.all(parts)).flat()

/** The exchange was refused as such, and not for the number of calls in a second, by a server that failed or for the key. */
const isOfBatch = (error: unknown): boolean =>
  error instanceof RpcRefused &&
  error.isOfBatch &&
  !isLimited(error) &&
  !error.isServerError &&
  (error.access !== 'key' || isOfSize(error))

const isAnswer = (outcome: Outcome): boolean =>
  outcome.ok || (outcome.error instanceof RpcRefused && saysNo(outcome.error))

/** Each call is refused for the size, or one is and nothing is answered: so Geth does it. */
const isTooLarge = (outcomes: readonly Outcome[]): boolean =>
  outcomes.some((one) => !one.ok && isOfSize(one.error)) &&
  outcomes.every((one) => !one.ok && (isOfSize(one.error) || one.error instanceof RpcGarbled))

const mayStandAlone = ({ method }: Call, error: Error): boolean =>
  isOfSize(error) ||
  (method.startsWith('debug_') && error instanceof RpcRefused && !isLimited(error))
