/** What one client may cost, whoever it is. */
export const limits = {
  /** The longest sensible request has eleven parameters: about a kilobyte. */
  urlLengthMax: 4_096,
  /** Node counts the request line among the headers. */
  headerBytesMax: 8_192,
  /** A request must have arrived by then; slower than this is not a network but an attack. */
  requestMs: 5_000,
  /** And a firm quote be answered by then; what it asks of others has less. */
  answerMs: 15_000,
  keepAliveMs: 30_000,
  connectionsMax: 2_000,
} as const
