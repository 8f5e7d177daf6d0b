import { BallastError } from '../../core/errors.ts'

type Tell = (swapId: string, error: unknown) => void

/** Passes trouble on when it is news: a swap is looked at twice a second, and an endpoint may be away for an hour. */
export function onceEach(tell: Tell): Tell {
  let last = ''
  return (swapId, error) => {
    const news = `${swapId} ${error instanceof BallastError ? error.code : String(error)}`
    if (news !== last) tell(swapId, error)
    last = news
  }
}
