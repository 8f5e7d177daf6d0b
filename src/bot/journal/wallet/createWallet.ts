import { bound, type Store, stamped } from '../store/store.ts'
import { balanceLedger } from './ledger.ts'
import { pageMoves } from './moves.ts'
import { adoptWallet, releaseWallet, walletState } from './wallet.ts'

export const createWalletReader = (store: Store) =>
  bound(store, { state: walletState, moves: pageMoves })

export const createWallet = (store: Store) => ({
  ...createWalletReader(store),
  ...stamped(store, { balanceLedger }),
})

/** With its nonces: for books whose bytes go to a chain. */
export const createSigningWallet = (store: Store) => ({
  ...createWallet(store),
  ...bound(store, { adopt: adoptWallet }),
  ...stamped(store, { release: releaseWallet }),
})
