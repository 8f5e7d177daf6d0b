import { display, foreignMax } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { withoutSecrets } from '../../core/secret.ts'

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

/** The answer of a call; throws what it failed with. */
export function answered<result>(outcome: RpcOutcome<result>): result {
  if (outcome.ok) return outcome.value
  throw outcome.error
}

/** The answer of a call; undefined where the node says no, as a contract without such a function. Throws where it is away. */
export function answeredIfAny<result>(outcome: RpcOutcome<result>): result | undefined {
  if (!outcome.ok && saysNo(outcome.error)) return undefined
  return answered(outcome)
}

/** The answers of a batch, in the order of its calls. */
export type Outcomes<calls extends readonly RpcCall<unknown>[]> = {
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
  /** Whether a batch of these is one exchange with one node, as far as is known: its parts may see different blocks. */
  isOneExchange(calls: readonly RpcCall<unknown>[]): boolean
  close(): Promise<void>
}

/** A node's message is foreign text: a reverting token can make it megabytes long. */
const wordsMax = 1_024

/** The endpoint answered, and its answer is a JSON-RPC error. `data` is what a revert returned. */
export class RpcRefused extends BallastError {
  readonly rpcCode: number
  readonly rpcMessage: string
  readonly data: string | undefined
  /** Not a call but the batch was refused. */
  readonly isOfBatch: boolean
  /** How long the endpoint wants to be left alone; undefined where it does not say. */
  readonly retryAfterMs: number | undefined
  /** Of HTTP, where it was that of a server that failed. */
  readonly isServerError: boolean
  /** By the status of HTTP and its words: the key was refused, or a method that its plan has not got. */
  readonly access: 'key' | 'plan' | undefined

  constructor(
    method: string,
    error: {
      code: number
      message: string
      data?: unknown
      retryAfterMs?: number | undefined
      status?: number
      /** Words of the provider, for a person alone: nothing is decided by them. */
      said?: string | undefined
    },
  ) {
    // Masked before it is cut: half a key is not recognised later.
    const rpcMessage = display(withoutSecrets(error.message), foreignMax)
    super('The RPC endpoint refused a call.', {
      code: 'RPC_REFUSED',
      remedy: 'retry',
      fault: 'upstream',
      facts: {
        ...{ method, rpcCode: error.code, rpcMessage },
        ...(error.said !== undefined && { said: display(withoutSecrets(error.said), foreignMax) }),
      },
    })
    this.rpcCode = error.code
    this.rpcMessage = rpcMessage
    this.data = boundedData(error.data)
    this.isOfBatch = method === wholeBatch
    this.retryAfterMs = error.retryAfterMs
    this.isServerError = (error.status ?? 0) >= 500
    const isOfPlan = error.code === methodNotFound || planWords.test(rpcMessage)
    const hasAccess = !accessStatuses.includes(error.status ?? 0)
    this.access = hasAccess ? undefined : isOfPlan ? 'plan' : 'key'
  }
}

const accessStatuses = [401, 402, 403, 407]
/** Of a method, in the words of Chainstack, QuickNode and others: it is an answer that the plan has it not. */
const methodNotFound = -32_601
const planWords = /\bmethods?\b|debug|\btrac(?:es?|ing)\b(?! id)|trace_|archive|simulate/i

/** Stands for the method where a batch was refused as a whole. */
export const wholeBatch = 'batch'

/**
 * Whether the endpoint only wants fewer calls: HTTP 429, as status or in an answer that is HTTP 200, in the words of
 * providers. Such a refusal says nothing of what was called.
 */
export const isLimited = (error: unknown): boolean =>
  error instanceof RpcRefused &&
  !isOfSize(error) &&
  (limitCodes.includes(error.rpcCode) || limitWords.test(error.rpcMessage))

/** Whether the endpoint does not take the call in a batch, or a batch of that size: there are as many words as providers. */
export const isOfSize = (error: unknown): boolean =>
  error instanceof RpcRefused && /batch/i.test(error.rpcMessage)

const limitCodes = [429, -32_005]
const limitWords = /too many requests|rate.?limit|requests? limit|compute units|throughput/i

/**
 * Whether the endpoint failed by itself, or is one of several nodes and behind the others: it said nothing of what was
 * called. Known by its HTTP status, by the codes of JSON-RPC, Geth and drpc, or by the words of Alchemy, Geth and others;
 * not where the bytes of a revert or its words are there.
 */
function failsByItself(error: unknown): boolean {
  if (!(error instanceof RpcRefused)) return false
  const { rpcCode, rpcMessage, data, isServerError, access } = error
  if (data !== undefined || noWords.test(rpcMessage)) return false
  // A key that is refused says nothing of the call.
  if (access !== undefined) return access === 'key'
  if (answerCodes.includes(rpcCode)) return false
  return isServerError || failureCodes.includes(rpcCode) || failureWords.test(rpcMessage)
}

/** Whether the same call, later or of another endpoint, may go well. */
export const mayPass = (error: unknown): boolean => isLimited(error) || failsByItself(error)

/**
 * Whether the endpoint answered that it cannot: a contract that is not there or refuses, a method it does not have, a state
 * that it has pruned.
 */
export const saysNo = (error: unknown): boolean =>
  error instanceof RpcRefused
    ? !mayPass(error)
    : error instanceof RpcGarbled && error.shape !== undefined

/**
 * Whether the contract itself gave no answer: it reverted, broke off, or is not there. A node that has pruned the state or
 * does not serve the call says something of itself alone.
 */
export const isOfContract = (error: unknown): boolean =>
  error instanceof RpcRefused
    ? saysNo(error) &&
      !stateWords.test(error.rpcMessage) &&
      (error.data !== undefined || evmWords.test(error.rpcMessage))
    : saysNo(error)

/** The errors of the EVM in the words of Geth, Erigon, Nethermind, Besu, Reth and anvil. */
const evmWords =
  /revert|opcode|INVALID_OPERATION|bad ?instruction|EvmError|VM execution|out ?of ?gas|stack|jump ?dest|return ?data|write protection|call depth/i
const stateWords = /missing trie|prun(?:ed|ing)|state\b.*(?:not|un)[ -]?available/i

/** Nethermind says of a pruned state that it failed; providers end a search that is too long. */
const noWords = /revert|missing trie|prun(ed|ing)|state\b.*(not|un)[ -]?available|\brange|results/i

/** Of JSON-RPC: what was called cannot be, in whichever HTTP status that comes. */
const answerCodes = [-32_600, -32_601, -32_602, -32_700]
/** `Internal error` of JSON-RPC, a time limit of Geth, a failure and a time limit of drpc. */
const failureCodes = [-32_603, -32_002, 19, 30]
const failureWords =
  /timed? ?out|temporar|try again|unable to complete|please retry|usage limit|quota|capacity|overload|header (for \w+ )?not found|unknown block|block .*not found/i

/** The reason a revert gives is short; what is longer is a bomb, and would be kept for as long as the error is. */
function boundedData(data: unknown): string | undefined {
  if (typeof data !== 'string') return undefined
  return data.length <= 2 * wordsMax ? data : data.slice(0, 2 * wordsMax)
}

/** The endpoint's message does not answer the question. */
export class RpcGarbled extends BallastError {
  /** Of the one result whose shape is another one: nothing at all, as of an address without that view. Undefined where there was none. */
  readonly shape: 'empty' | 'other' | undefined

  constructor(
    endpoint: string,
    reason: string,
    { cause, shape }: { cause?: unknown; shape?: 'empty' | 'other' } = {},
  ) {
    super('The RPC endpoint sent something that is not an answer.', {
      code: 'RPC_GARBLED',
      remedy: 'retry',
      fault: 'upstream',
      facts: { endpoint, reason: display(reason, wordsMax) },
      // zod's own complaint repeats what it complains about.
      cause:
        cause instanceof Error && !(cause instanceof SyntaxError)
          ? display(cause.message, wordsMax)
          : undefined,
    })
    this.shape = shape
  }
}
