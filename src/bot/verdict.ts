/**
 * An endpoint's answer to the bytes it was sent. Only `accepted` and `already-known` are knowledge that a node has
 * them; no other ends anything, because another node may mine what one refuses.
 *
 * - `nonce-low`: there, the nonce is used: perhaps by exactly these bytes. Receipts show it, this does not. -
 * `nonce-high`: there, an earlier nonce is still open. - `replacement-underpriced`: other bytes with this nonce wait
 * there, and these do not pay enough more to take their place. - `underpriced`: too cheap for that node, now. -
 * `insufficient-funds`: the wallet cannot pay for it there, now. - `invalid`: that node will not take these bytes as
 * they are. - `endpoint-fault`: by its own answer it did not look at them: a rate limit, no room, no permission, not in
 * sync. - `ambiguous`: everything else. It may have taken them.
 */
export type Verdict =
  | 'accepted'
  | 'already-known'
  | 'nonce-low'
  | 'nonce-high'
  | 'underpriced'
  | 'replacement-underpriced'
  | 'insufficient-funds'
  | 'invalid'
  | 'endpoint-fault'
  | 'ambiguous'

/** Whether a node answered that it has the bytes: the meaning of SENT. */
export const isTakenVerdict = (verdict: Verdict): boolean =>
  verdict === 'accepted' || verdict === 'already-known'

/** The receivers of one offer by their labels, and their answers as far as they came. */
export type OfferedTo = {
  readonly to: readonly string[]
  readonly isPrivate: boolean
  readonly answers: readonly EndpointAnswer[]
}

/** What one endpoint said. */
export type EndpointAnswer = {
  readonly endpoint: string
  readonly verdict: Verdict
  readonly words: string
}
