import { BallastError } from '../../core/errors.ts'

/**
 * Why a maker's signature is not to be had: it said no, it was silent, it answered with something else, or it has
 * promised its tokens to somebody else in the meantime.
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
