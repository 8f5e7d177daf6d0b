/** One way in which a bot of this kind is hurt, and what must happen instead of the damage. */
export type Row = {
  /** Stable: titles of tests carry it in brackets. */
  readonly id: string
  readonly fault: string
  /** What is required of the bot. */
  readonly demands: string
  /** How the fault is produced. */
  readonly inject: string
}

/** The rules of every row: unknown is never failed, and nothing is signed twice for one wish before the first is dead. */
const table = `
RPC-01 | send: time-out before the node has it | ambiguous: same nonce, same bytes offered again | the proxy swallows it
RPC-02 | send: time-out after the node took it | as above; "already known" is accepted | the proxy swallows the answer
RPC-03 | send: time-out, and mined meanwhile | receipts of all attempts before anything is concluded | forward, mine, stay silent
RPC-04 | 429, with and without Retry-After | back off, capped; ambiguous for a send | the proxy answers 429
RPC-05 | 429 inside a 200 | as 429 | the proxy
RPC-06 | 5xx after the node took it | ambiguous | forward, then 502
RPC-07 | -32603 after the node took it | ambiguous, never rejected | forward, then an error
RPC-08 | connection reset in the body | ambiguous for a send, asked again for a read | half an answer
RPC-09 | a body that drips | one deadline, body included | a byte at a time
RPC-10 | a giant body | a cap on bytes; the endpoint is bad | a stream
RPC-11 | a page, or cut JSON, at 200 | read again; ambiguous for a send | the proxy
RPC-12 | another id; a batch in another order | refused; order does not matter | the proxy
RPC-13 | a result of another type | parsed at the edge, a fault of the endpoint | the proxy
RPC-14 | a node of another chain | chain and router code are checked; nothing is signed | another chain id
RPC-15 | a node that changes its chain while it runs | looked at before each signature | the proxy switches
RPC-16 | a nonce from behind | the journal's own nonce is never lowered | count less one
RPC-17 | no receipt of what is mined | unknown, not absent; only depth ends a swap | null for a while
RPC-18 | balances and simulation of an old block | the reads of one decision are of one block, and it is young | an older block
RPC-19 | a head that stands still | no new swap; what is under way is followed | the same head
RPC-20 | a pending nonce that lies | pending decides nothing | the proxy
RPC-21 | gas said too low | the limit is ours, with a floor per leg | the proxy
RPC-22 | gas said too high | capped by policy and refused | the proxy
RPC-23 | the estimate reverts | nothing is signed; the reason is named | the router
RPC-24 | fees of nothing, or absurd ones | held to floor and ceiling | the proxy
RPC-25 | a head without base fee | refused | the proxy
RPC-26 | send: already known | accepted, by its words | sent again
RPC-27 | send: nonce too low | no outcome: receipts, then the proof | anvil
RPC-28 | send: nonce too high, or a gap | fill or wait; halt without an attempt of ours | anvil_setNonce
RPC-29 | send: replacement underpriced | ours: bump from the dearest; not ours: halt | a node with geth's rule
RPC-30 | send: underpriced | priced again once, stored before it is sent | anvil
RPC-31 | send: insufficient funds | stays signed until its deadline; no new swap | anvil
RPC-32 | send: intrinsic gas, oversized, invalid | fatal for these bytes; their death is proven | anvil
RPC-33 | send: a kind of transaction it does not take | halt | a fake node
RPC-34 | another hash than ours in the answer | our own hash is the truth | the proxy
RPC-35 | one endpoint takes it, another refuses it | success wins | two proxies
RPC-36 | a receipt of another transaction, or block | held to our hash and to the header | the proxy
RPC-37 | a receipt without status | refused | the proxy
RPC-38 | every endpoint is away | nothing new, nothing failed, asked again | the proxy ends
CHAIN-01 | a reorganisation drops our swap | signed again, same bytes; past the deadline its death is proven | anvil_reorg
CHAIN-02 | a reorganisation moves it to another block | depth is counted anew | anvil_reorg with it
CHAIN-03 | a reorganisation moves it past its deadline | it ends as reverted or expired | reorg and time
CHAIN-04 | a reorganisation turns success into a revert | the receipt is read at each head until it is deep | reorg and state
CHAIN-05 | a reorganisation deeper than the confirmations | an incident: the wallet is halted | reorg of more blocks
CHAIN-06 | the base fee jumps after the signature | room in the first fee, under a ceiling | the next base fee
CHAIN-07 | stuck, with time left | offered again; bumps stored first, and few | a low cap
CHAIN-08 | stuck past its deadline | a cancellation, stored first; dead only at depth | no mining, then time
CHAIN-09 | the cancellation loses | the receipt decides: settled | mine the first
CHAIN-10 | dropped from the mempool | the same bytes again until the deadline | anvil_dropTransaction
CHAIN-11 | replaced by another process with the key | displaced, proven at depth; the wallet is halted | a second signer
CHAIN-12 | a gap below us | our attempt is offered again; without one, halt | nonce plus one
CHAIN-13 | the chain's nonce is ahead at start | trading is refused | anvil_setNonce
CHAIN-14 | block time and our clock differ | deadlines by chain time; alert, then refusal | evm_increaseTime
CHAIN-15 | block time jumps | a margin to the deadline, by chain time | evm_increaseTime
CHAIN-16 | finality stalls | settled needs its depth; nothing is loosened | a fake tag
CHAIN-17 | two blocks of one height | number and hash are followed | two nodes
CHAIN-18 | mined and reverted | reverted at depth, gas is booked | the router
CHAIN-19 | success without its event | halt: not settled on its word | a bad receipt
CHAIN-20 | less received than promised | what arrived is booked; below the minimum everything is locked | a short fill
CHAIN-21 | the state moved between quote and block | the minimum holds on chain; a revert costs gas alone | a transaction in front
CHAIN-22 | the router is another contract | its code hash is looked at before each signature | anvil_setCode
CHAIN-23 | the router is paused | refused before a signature, with the reason | pause()
CHAIN-24 | the wallet has code | seen by the examination, and said | anvil_setCode
CHAIN-25 | empty blocks | it expires unharmed | no mining of it
API-01 | connection refused | asked again within its time; nothing is stored | a closed port
API-02 | silence | ends at its time; the next request is a new one | no answer
API-03 | 401 and 403 | at the start one request, then the bot ends with the reason; later it goes on | status
API-04 | 429 with Retry-After in every form | every form is read and capped; no storm | status
API-05 | 5xx | few attempts with a random pause, then unavailable | status
API-06 | a redirect | not followed: the key stays here | 302, 308
API-07 | broken JSON, another content type | refused | body
API-08 | wrong types, missing and odd numbers | refused at the edge | body
API-09 | a key twice | refused before it is parsed | body
API-10 | __proto__ and constructor | never reaches an object of ours | body
API-11 | success is false | no quote, and no failure of ours | body
API-12 | success missing, or text | refused | body
API-13 | expired on arrival | refused | body
API-14 | the deadline in milliseconds | refused, never a very long quote | body
API-15 | a deadline later than asked | refused | body
API-16 | a deadline missing, 0, or a fraction | refused | body
API-17 | another chain | refused | body
API-18 | other tokens | refused | body
API-19 | another recipient, caller or seller | refused | body
API-20 | another target | refused | body
API-21 | unknown selector, trailing bytes | refused: encoded again it is equal, byte for byte | body
API-22 | the calldata and the JSON differ | refused | body
API-23 | value that does not belong there | refused | body
API-24 | more is sold than was asked | refused | body
API-25 | less is bought than the strategy wants | refused | body
API-26 | ten times too good | refused | body
API-27 | orders that do not sum up | refused | body
API-28 | bad signatures, strangers as signers | refused, recovered offline | body
API-29 | one quote twice | used once, for ever | replay
API-30 | a quote that was used on chain | the router is asked before the signature | chain
API-31 | a larger fee, another fee recipient | refused | body
API-32 | a fallback that calls elsewhere | refused | body
API-33 | wrap and unwrap against the tokens | refused | body
API-34 | a huge body, a gzip bomb | a cap on unpacked bytes | stream
API-35 | a body that drips | one deadline for everything | drip
API-36 | a kept connection that closes at its reuse | asked again at once | close
API-37 | the service's clock | noted beside ours; a difference locks | Date header
API-38 | two answers to one question differ | one answer is used from end to end, and kept as it came | body
API-39 | a symbol under another address or with other digits | tokens are their addresses, digits are the chain's | body
API-40 | an order book of no numbers, or unsorted | refused, or read by its numbers alone | body
API-41 | a late answer to an older request | is never taken for another's | reorder
LOCAL-01 | SIGKILL before the plan | nothing happened | kill point
LOCAL-02 | SIGKILL after the plan | abandoned | kill point
LOCAL-03 | SIGKILL after the quote, unstored | quoted anew | kill point
LOCAL-04 | SIGKILL after the verified quote | abandoned: nothing was signed | kill point
LOCAL-05 | SIGKILL after the signature, before the commit | bytes are lost on purpose | kill point
LOCAL-06 | SIGKILL after the commit, before the send | the stored bytes are sent | kill point
LOCAL-07 | SIGKILL during the send | as above | kill point
LOCAL-08 | SIGKILL after the send, before it is noted | as above | kill point
LOCAL-09 | SIGKILL after the receipt | it is looked up again | kill point
LOCAL-10 | SIGKILL between a stored bump and its send | both hashes are known | kill point
LOCAL-11 | SIGKILL while cancelling | either outcome is decided | kill point
LOCAL-12 | SIGKILL after the end, before it is told | it is told at least once | kill point
LOCAL-13 | SIGKILL in a migration | all of it or none | kill point
LOCAL-14 | SIGTERM and SIGINT in the middle | nothing new; ends soon and says what is open; the next start goes on | signal
LOCAL-15 | SIGHUP and another policy in the middle | a plan keeps its own terms | signal
LOCAL-16 | out of memory | as SIGKILL; bodies are capped | a small heap
LOCAL-17 | an exception nobody caught | the process ends | throw
LOCAL-18 | the process stands still for a minute | looked again before a signature | SIGSTOP
LOCAL-19 | disk full at the write-ahead commit | not stored, not sent | max_page_count
LOCAL-20 | disk full when it was sent | derived from the chain again | max_page_count
LOCAL-21 | fsync fails | the journal has failed: the process ends | a faulty disk
LOCAL-22 | the database is locked | waited for, then nothing is signed | a second writer
LOCAL-23 | the database is corrupt | no start, and a way to rebuild it | flipped bytes
LOCAL-24 | the database is an old backup | halt until the unknown is explained | a copied file
LOCAL-25 | the database is gone | as above | rm
LOCAL-26 | two processes over one journal | the second is refused | two processes
LOCAL-27 | two processes with one key, two journals | the second stops at the first foreign nonce | two processes
LOCAL-28 | two workers on PostgreSQL | a lease; one swap in flight a wallet | several workers
LOCAL-29 | PostgreSQL gone during a commit | read before it is decided | a reset
LOCAL-30 | PostgreSQL that lost commits | the nonce is compared at start | dropped rows
LOCAL-31 | a serialisation failure | the transaction is done again, with no network in it | injected
LOCAL-32 | the clock jumps an hour | a slot runs once; deadlines by chain time | a passed clock
LOCAL-33 | summer time and time zones | a slot is an instant, whatever the host's zone | TZ
LOCAL-34 | a clock that skips slots | the latest one, not a burst | a passed clock
LOCAL-35 | a log that blocks or breaks | never holds up a signature | a full pipe
LOCAL-36 | a signer that is silent | nothing happened before the commit | a fake signer
LOCAL-37 | a signer that signs something else | parsed back and compared | a fake signer
LOCAL-38 | a secret that is missing or of another wallet | refused | environment
LOCAL-39 | too many open files | bounded connections; it ends or goes on, and signs nothing blind | ulimit
LOCAL-40 | new code, old rows | migrated; an unknown state is halted | old databases
TOKEN-01 | a fee on transfer, sold | refused before a signature | token
TOKEN-02 | a fee on transfer, bought | what arrives counts: refused | token
TOKEN-03 | nothing is returned, as by USDT | settles | token
TOKEN-04 | false instead of a revert | a failure | token
TOKEN-05 | an allowance that cannot be changed directly | zero first, each its own journaled transaction | token
TOKEN-06 | an allowance from before | made exactly the amount, to the pinned router | token
TOKEN-07 | approved, and the swap dies | what is left is known and taken back | end between
TOKEN-08 | approve(0) reverts | the zero step is left out | token
TOKEN-09 | paused, or a blocked wallet or router | refused before a signature | token
TOKEN-10 | paused between quote and block | reverted, gas alone | token
TOKEN-11 | balances that move by themselves | refused before a signature | token
TOKEN-12 | 0 to 77 decimals | exact integers throughout | token
TOKEN-13 | decimals that revert or lie | refused at start | token
TOKEN-14 | a name that is huge, garbled or reverts | decides nothing | token
TOKEN-15 | a transfer of nothing reverts | nothing is never sent | token
TOKEN-16 | a transfer to nobody reverts | nobody is never the recipient | token
TOKEN-17 | a narrow integer type | more than it holds is refused | token
TOKEN-18 | a reentrant token | refused; the router locks | token
TOKEN-19 | a token that is upgraded | simulated again before each signature | token
TOKEN-20 | two addresses, one token | the listed address alone | token
TOKEN-21 | the placeholder of the native currency | no token, and no allowance | configuration
TOKEN-22 | a native sale that leaves no gas | refused | balance
TOKEN-23 | a token whose price is made | a cap per swap, and a band around independent prices | policy
TOKEN-24 | a listed token that answers nothing | it alone is not traded | token
`

/** The 168 rows, in their order. */
export const matrix: readonly Row[] = table
  .trim()
  .split('\n')
  .map((line) => {
    const [id = '', fault = '', demands = '', inject = ''] = line
      .split(' |')
      .map((cell) => cell.trim())
    return { id, fault, demands, inject }
  })
