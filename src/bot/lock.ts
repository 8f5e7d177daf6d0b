/**
 * Acts a lock forbids, from the mildest to the strictest: `breaker` and `pause` begin nothing new and abandon what is
 * not signed; `drain` lets what has begun finish; `halt` signs nothing and sends nothing, not even a cancellation.
 */
export type LockKind = 'pause' | 'drain' | 'halt' | 'breaker'

/** A reason not to sign, for all, one wallet, one strategy or one pair. Durable; a person or its expiry releases it. */
export type Lock = {
  readonly id: number
  readonly kind: LockKind
  /** `all`, `wallet 0x…`, `strategy sell-strength` or `pair WETH/USDC`, in either direction. */
  readonly scope: string
  /** Stable, upper snake case. */
  readonly code: string
  readonly reason: string
  /** Milliseconds since the epoch. */
  readonly openedAt: number
  /** Milliseconds since the epoch; undefined for one that only a person releases. */
  readonly expiresAt: number | undefined
}

/** A lock that is to be opened; `by` is who opens it, undefined for the bot itself. */
export type NewLock = Omit<Lock, 'id' | 'openedAt'> & { readonly by?: string | undefined }

/**
 * The act to come: plan something new, sign a swap or an approval, sign an approval of nothing, sign a cancellation, send
 * signed bytes.
 */
export type Act = 'plan' | 'sign' | 'revoke' | 'cancel' | 'send'
