import type { Hex } from '../../../chain/calls/fields.ts'
import type { Signed, Simulated } from '../../stages.ts'
import { type Store, stamped } from '../store/store.ts'
import { closeSigned } from '../swaps/changeState.ts'
import { commitQuote } from '../swaps/reserve.ts'
import {
  abandonApproval,
  closeApproval,
  includeSwap,
  noteSent,
  settleSwap,
  unincludeSwap,
} from './outcomes.ts'
import { commitApproval, commitBump, commitCancel, commitSwap } from './signedBytes.ts'

/** All that belongs to signed bytes: what stores them, and what writes down what a chain did with them. */
export const createAttempts = (store: Store) => ({
  commitQuote: (simulated: Simulated) =>
    commitQuote(store.db, { simulated, at: store.clock.now() }),
  commitSwap: (signed: Signed, deadline: number) => commitSwap(store, { signed, deadline }),
  commitApproval: (signed: Signed) => commitApproval(store, signed),
  commitCancel: (signed: Signed, replaces: Hex) => commitCancel(store, { signed, replaces }),
  commitBump: (signed: Signed, replaces: Hex) => commitBump(store, { signed, replaces }),
  ...stamped(store, {
    noteSent,
    include: includeSwap,
    uninclude: unincludeSwap,
    settle: settleSwap,
    close: closeSigned,
    closeApproval,
    abandonApproval,
  }),
})
