/**
 * A JSON-RPC call as a value: it can be sent alone or in a batch, and it knows how to read its own answer.
 * `parse` throws when the answer is not of the expected shape.
 */
export type RpcCall<result> = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly parse: (answer: unknown) => result
}

/** The answer of one call of a batch. One that failed does not fail its neighbours. */
export type RpcOutcome<result> =
  | { readonly ok: true; readonly value: result }
  | { readonly ok: false; readonly error: Error }

type Outcomes<calls extends readonly RpcCall<unknown>[]> = {
  -readonly [index in keyof calls]: calls[index] extends RpcCall<infer result>
    ? RpcOutcome<result>
    : never
}

/** One JSON-RPC endpoint. */
export type Rpc = {
  /** Scheme and host, safe to print. */
  readonly label: string
  request<result>(call: RpcCall<result>): Promise<result>
  /** One round trip for all of them. */
  batch<const calls extends readonly RpcCall<unknown>[]>(calls: calls): Promise<Outcomes<calls>>
  close(): Promise<void>
}
