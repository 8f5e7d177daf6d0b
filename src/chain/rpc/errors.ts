import { display, foreignMax } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'

/** The endpoint answered, and its answer is a JSON-RPC error. `data` is what a revert returned. */
export class RpcRefused extends BallastError {
  readonly rpcCode: number
  readonly rpcMessage: string
  readonly data: unknown

  constructor(method: string, error: { code: number; message: string; data?: unknown }) {
    const rpcMessage = display(error.message, foreignMax)
    super('The RPC endpoint refused a call.', {
      code: 'RPC_REFUSED',
      remedy: 'retry',
      fault: 'upstream',
      facts: { method, rpcCode: error.code, rpcMessage },
    })
    this.rpcCode = error.code
    this.rpcMessage = rpcMessage
    this.data = error.data
  }
}

/** What the endpoint sent is not an answer to what was asked. */
export class RpcGarbled extends BallastError {
  constructor(endpoint: string, reason: string, cause?: unknown) {
    super('The RPC endpoint sent something that is not an answer.', {
      code: 'RPC_GARBLED',
      remedy: 'retry',
      fault: 'upstream',
      facts: { endpoint, reason },
      cause,
    })
  }
}
