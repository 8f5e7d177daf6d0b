import { RpcRefused } from '../../chain/rpc/rpc.ts'
import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'

/** Why a source is silent, on one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof RpcRefused) return `the call was refused: ${display(error.rpcMessage, 96)}`
  if (!(error instanceof BallastError)) return 'it was not answered'
  const { reason } = error.facts
  return reason === undefined
    ? error.summary
    : `${error.summary.replace(/\.$/, '')}: ${display(String(reason), 96)}`
}
