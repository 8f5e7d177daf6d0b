import { BallastError } from '../../core/errors.ts'

/**
 * Reason for a maker's missing signature: it refused, it was silent, it answered with something else, or it has
 * promised its tokens to another party in the meantime.
 */
export type DeclineReason = 'refused' | 'timeout' | 'invalid' | 'promised-elsewhere'

/** One maker does not sign one order. The others may. */
export class MakerDeclined extends BallastError {
  readonly maker: string
  readonly reason: DeclineReason

  constructor(maker: string, reason: DeclineReason, detail?: string) {
    super(`${maker} did not sign.`, {
      code: 'MAKER_DECLINED',
      remedy: 'requote',
      fault: 'upstream',
      facts: { maker, reason, detail },
    })
    this.maker = maker
    this.reason = reason
  }
}
