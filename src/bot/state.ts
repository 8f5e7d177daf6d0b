/** The life of a swap, as in docs/LIFE.md. The durable part of each state is the journal's business. */
export type OpenState = 'PLANNED' | 'VERIFIED' | 'SIGNED' | 'SENT' | 'INCLUDED' | 'CANCELLING'

/** Nothing follows a final state. */
export type FinalState =
  | 'SETTLED'
  | 'REVERTED'
  | 'EXPIRED_DEAD'
  | 'DISPLACED'
  | 'REJECTED'
  | 'ABANDONED'

export type SwapState = OpenState | FinalState

/** Signed bytes exist: they may be mined, so nothing new may be signed until they are decided. */
export const liveStates = ['SIGNED', 'SENT', 'INCLUDED', 'CANCELLING'] as const

export const openStates = ['PLANNED', 'VERIFIED', ...liveStates] as const

/** Ended without a swap: what was reserved may be spent again. */
export const deadStates = [
  'REVERTED',
  'EXPIRED_DEAD',
  'DISPLACED',
  'REJECTED',
  'ABANDONED',
] as const

export const finalStates = ['SETTLED', ...deadStates] as const

/** The code of a swap that was mined and moved nothing, by a person's word. Its state is REVERTED. */
export const writtenOff = 'WRITTEN_OFF'

/** Whether nothing follows this state. One that a newer version wrote is not taken for an end. */
export function isFinal(state: SwapState): state is FinalState {
  return finalStates.some((end) => end === state)
}
