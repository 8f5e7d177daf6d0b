/**
 * What befalls the bot here, by the number of its row in the fault matrix. `send` and `read` strike a call to a node,
 * `chain` a block, `local` the process, its disk and its clocks.
 */
export const matrix = {
  'RPC-01': 'send: timeout before the node got it',
  'RPC-02': 'send: timeout after acceptance',
  'RPC-03': 'send: timeout after acceptance and already mined',
  'RPC-06': 'send: an HTTP error after acceptance',
  'RPC-07': 'send: an internal error after acceptance',
  'RPC-16': 'a stale node: old nonce',
  'RPC-17': 'a stale node: no receipt of a mined transaction',
  'RPC-18': 'a stale node: balances of an older block',
  'RPC-19': 'a node whose head stands still',
  'RPC-20': 'a node that counts what is pending into the nonce',
  'RPC-26': 'send: already known',
  'RPC-27': 'send: nonce too low',
  'RPC-28': 'send: nonce too high',
  'RPC-29': 'send: replacement underpriced',
  'RPC-30': 'send: fee cap below the base fee',
  'RPC-31': 'send: insufficient funds',
  'RPC-32': 'send: called invalid for ever, and mined by others',
  'RPC-34': 'send: answered with another hash',
  'RPC-35': 'one endpoint refuses what another took',
  'RPC-38': 'all endpoints away',
  'CHAIN-01': 'a reorganisation drops our transaction',
  'CHAIN-02': 'a reorganisation includes it in another block',
  'CHAIN-03': 'a reorganisation includes it after the deadline',
  'CHAIN-04': 'a reorganisation turns success into revert',
  'CHAIN-06': 'the base fee leaps after the signature',
  'CHAIN-07': 'stuck, the deadline is not near',
  'CHAIN-08': 'stuck past the deadline',
  'CHAIN-09': 'a cancellation is sent, and the original is mined',
  'CHAIN-10': 'dropped from the mempool',
  'CHAIN-11': 'replaced by somebody with the same key',
  'CHAIN-13': 'a nonce is ahead of ours at the start',
  'CHAIN-14': 'the clocks of chain and machine differ',
  'CHAIN-15': 'block time jumps',
  'CHAIN-16': 'no block for a long time',
  'CHAIN-17': 'two blocks of one height',
  'CHAIN-18': 'mined and reverted',
  'CHAIN-20': 'less received than quoted, and not below the minimum',
  'CHAIN-21': 'the price moves between quote and inclusion',
  'CHAIN-22': 'the code of the router changes',
  'CHAIN-23': 'the router is paused',
  'CHAIN-25': 'our transactions are censored',
  'LOCAL-01': 'killed before the plan is stored',
  'LOCAL-02': 'killed after the plan is stored',
  'LOCAL-03': 'killed after the quote came',
  'LOCAL-04': 'killed after the simulation, before the signature',
  'LOCAL-05': 'killed after the signature, before the commit',
  'LOCAL-06': 'killed after the commit, before the broadcast',
  'LOCAL-07': 'killed during the broadcast',
  'LOCAL-08': 'killed after the broadcast, before it is noted',
  'LOCAL-09': 'killed after the receipt came, before it is noted',
  'LOCAL-10': 'killed after a bump is stored, before it is sent',
  'LOCAL-11': 'killed while cancelling',
  'LOCAL-12': 'killed after the end is stored',
  'LOCAL-18': 'the process stands still for a minute',
  'LOCAL-20': 'the disk is full after the write-ahead',
  'LOCAL-32': 'the wall clock jumps',
  'LOCAL-36': 'the signer does not answer, or late',
} as const

/** What befalls two workers of one wallet, beside all that. The journal is on a server, and one of them has the lease. */
export const leaseMatrix = {
  'LEASE-01': 'a worker stands still between two steps until its lease is over',
  'LEASE-02': 'the same inside a transaction',
  'LEASE-03': 'the same before a signature',
  'LEASE-04': 'the same after a signature, before the commit',
  'LEASE-05': 'the same after the commit, before the broadcast',
  'LEASE-06': 'a worker dies, and the other takes over',
  'LEASE-07': 'a worker does not reach the server: renewals are lost',
  'LEASE-08': "a worker's own clock stands still",
  'LEASE-09': "a worker's own clock leaps",
  'LEASE-10': 'the answer of a commit is lost',
} as const

export type LeaseFaultId = keyof typeof leaseMatrix
export type FaultId = keyof typeof matrix | LeaseFaultId

/** Which faults a seed has, and whether they are on. */
export type Faults = {
  /** Switched off to heal. */
  on: boolean
  /** Counts a row that was met. */
  hit(id: FaultId): void
  /** Whether this seed has the fault at all. */
  has(id: FaultId): boolean
  /** Draws whether it strikes now; does not count. */
  strikes(id: FaultId, probability: number): boolean
}
