import type { Planned, Spent } from '../../stages.ts'
import { openSwaps } from '../store/openIds.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import { closeUnsigned } from './changeState.ts'
import { dossiers, pageSwaps } from './dossiers.ts'
import {
  countSettled,
  evidenceOf,
  idsLike,
  quoteBody,
  swapHistory,
  swapRecord,
  swapsOfSlot,
} from './history.ts'
import { loadSwap } from './load.ts'
import { type PlanFor, quoteSeen, reserve } from './reserve.ts'

export const createSwapsReader = (store: Store) => ({
  ...bound(store, {
    load: loadSwap,
    /** The swaps that are not decided, oldest first. */
    open: openSwaps,
    history: swapHistory,
    countSettled,
    quoteBody,
    record: swapRecord,
    dossiers,
    page: pageSwaps,
    idsLike,
    ofSlot: swapsOfSlot,
    quoteSeen,
  }),
  evidence: (swapId: string) => evidenceOf(store, swapId),
})

/** Plans, and their ends where nothing was signed. */
export const createSwaps = (store: Store) => ({
  ...createSwapsReader(store),
  reserve: (planned: Planned, screen: (spent: Spent) => void, wanted?: PlanFor) =>
    reserve(store, { planned, screen, wanted }),
  ...stamped(store, { close: closeUnsigned }),
})
