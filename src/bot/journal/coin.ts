import type { Token } from '../../core/token.ts'

/** The chain's own currency and the token that wraps it: one asset under two names. */
export type Coin = { readonly native: Token; readonly wrapped: Token }
