import type { ErrorCode } from '../src/core/errorTable.ts'
import type { serviceRefusals } from '../src/service/refusal/errors.ts'

type Guide = {
  /** What happened. */
  readonly meaning: string
  /** What to do about it. */
  readonly next: string
}

/** The texts of docs/ERRORS.md. They lie outside of src, so that no start loads them. */
export const errorGuide = {
  ACCESS_DENIED: {
    meaning: 'The dashboard got no token or certificate, or a wrong one.',
    next: 'Send `DASHBOARD_TOKEN` or `DASHBOARD_VIEWER_TOKEN` as a bearer token, or a certificate of `dashboard.tls`.',
  },
  ACCESS_LIMITED: {
    meaning: 'The dashboard got ten wrong tokens from one address within a minute.',
    next: 'Send the right one, which is taken all the same, or wait a minute. `ballast halt` needs no token.',
  },
  ANVIL_FAILED: {
    meaning: 'The chain of the sandbox ended before it listened.',
    next: 'Read its output above the error, free memory or the port, and start again.',
  },
  ANVIL_MISSING: {
    meaning: "The program `anvil`, which runs the sandbox's chain, is not installed.",
    next: 'Run `npm install` again, without `--omit=optional` and in the repository without `--omit=dev`.',
  },
  APPROVAL_WITHOUT_EFFECT: {
    meaning: 'An approval was mined, and the token still shows another allowance.',
    next: "Read the token's contract; remove the token from `policy` until the reason is known.",
  },
  ARCHIVE_CHANGED: {
    meaning: 'An archive of the journal is not the file that the log names.',
    next: 'Bring back the copy that was made first, and run `ballast audit verify`.',
  },
  ARCHIVE_FAILED: {
    meaning: 'An archive of the journal could not be written. The journal is as it was.',
    next: 'Make room in the folder of `journal.archives`, or let the account write there; then run `ballast archive`.',
  },
  ARCHIVE_MISSING: {
    meaning:
      'A text of the journal is in an archive that is not in the folder of `journal.archives`, or is closed to this account.',
    next: 'Bring the file that is named back into that folder, or let this account read both.',
  },
  BAD_REQUEST: {
    meaning: 'The quoting service rejected the form of a request.',
    next: 'Compare the facts with docs/SERVICE.md and report the request id: this is a defect of the bot or of the service.',
  },
  BASE_FEE_MISSING: {
    meaning: 'The blocks that an endpoint shows have no base fee (EIP-1559).',
    next: 'Use a node that shows it. A chain without one cannot be traded on: every transaction of the bot names the most it pays above a base fee.',
  },
  BELOW_MINIMUM: {
    meaning: 'The amount is below the smallest amount that the service trades.',
    next: 'Raise the amount of the strategy, or let it collect more before it swaps.',
  },
  BOOKS_BEHIND: {
    meaning:
      'The chain has swaps of this wallet that the journal does not know, so a release would forget what they spent.',
    next: 'Run `ballast recover --reason "…"`; then release what is locked with `ballast resume`.',
  },
  BROADCAST_CONTRADICTED: {
    meaning: 'One endpoint accepted a transaction and another refused it; it counts as sent.',
    next: 'Do nothing: the swap is followed to its end. Check the endpoint that refused if it repeats.',
  },
  BROADCAST_UNCLEAR: {
    meaning: 'No endpoint confirmed that it accepted a transaction.',
    next: 'Do nothing: the same bytes are sent again. Check `chain.rpcUrl` if it repeats.',
  },
  CHAIN_ENDED: {
    meaning: 'The chain of the sandbox ended while it was in use.',
    next: 'Start the sandbox again; it continues from its data directory.',
  },
  COMMON_LOG_BROKEN: {
    meaning: 'The chain in which a fleet notes the heads of all its logs was changed.',
    next: 'Find out who wrote to the database; verify each log against a hash noted elsewhere.',
  },
  COMMIT_UNKNOWN: {
    meaning:
      'The connection to the journal ended during a commit, so the write may or may not be stored.',
    next: 'Do nothing: the bot reads the journal and continues from what is stored.',
  },
  CONFIG_CHANGED: {
    meaning: '`ballast.yaml` changed between a decision and its plan, so the plan was dropped.',
    next: 'Do nothing: the strategy decides again under the new file.',
  },
  CONFIG_INVALID: {
    meaning: 'A configuration file has values that are wrong or contradict each other.',
    next: 'Correct each place named in the facts; run `ballast config check`.',
  },
  CONFIG_MISSING: {
    meaning: 'The configuration file does not exist.',
    next: 'Run `ballast config init`, or name a file with `--config` or `BALLAST_CONFIG`.',
  },
  CONFIG_NEEDS_RESTART: {
    meaning:
      'A change of `ballast.yaml` includes a key that a running bot cannot take over; none of it is in force.',
    next: 'Restart the bot, or undo the named keys.',
  },
  CONFIG_UNREADABLE: {
    meaning: 'A configuration file exists and cannot be read, or its text breaks the reader.',
    next: 'Give this account permission to read it, or put the file back. A running bot keeps its last good one.',
  },
  CONFIRMATION_UNAVAILABLE: {
    meaning: 'The chain could not be read to confirm a swap.',
    next: 'Do nothing: the bot reads again. Check `chain.rpcUrl` if it repeats.',
  },
  CONTRACTS_MISSING: {
    meaning: 'The compiled contracts of the sandbox are not in this installation.',
    next: 'Run `npm install` again, in the repository without `--omit=dev`.',
  },
  DATA_DIR_IN_USE: {
    meaning: 'Another sandbox runs from the same data directory.',
    next: 'Stop that sandbox, or choose another `--data-dir`.',
  },
  DEATH_UNCONFIRMED: {
    meaning: 'Two readings of the chain disagree about the end of a swap, so it stays open.',
    next: 'Do nothing at first: it is read again. Check both endpoints if it repeats.',
  },
  DECISION_STALE: {
    meaning:
      'So much time lay between the look at the market and the signature that the reason of the swap may be gone.',
    next: 'Do nothing: the strategy decides again. By hand, run the command again. Approvals that were mined stay.',
  },
  DEPLOYER_OF_BOT: {
    meaning: '`ballast deploy` would spend from a wallet that the journal spends from.',
    next: 'Deploy from another account, in a configuration and a `database` of its own.',
  },
  DEPLOYER_SHORT: {
    meaning: 'An account cannot pay for its part of a deployment, so none of it was begun.',
    next: 'Send it the amount that the message names, and run the same command again.',
  },
  DEPLOYMENT_FAILED: {
    meaning: 'A transaction of a deployment was reverted, or was mined and changed nothing.',
    next: 'Look at the transaction in an explorer. The steps before it stand; the same command begins with this one.',
  },
  DEPLOYMENT_LOG_DAMAGED: {
    meaning: 'The file `deployment.<chain id>.jsonl` has a line that Ballast did not write.',
    next: 'Restore the file. Without one, wait until the deployer has no pending transaction, then move it away.',
  },
  DEPLOYMENT_UNFIT: {
    meaning:
      'A token, a factory or the deployment proxy is not what a deployment on this chain needs.',
    next: 'Correct the address that the message names; nothing was signed.',
  },
  DIRECTORY_NOT_PRIVATE: {
    meaning:
      'The directory of a socket or of the signer is missing, or another user may write to it.',
    next: 'Create the directory with mode 700.',
  },
  EXPIRY_TOO_LONG: {
    meaning: 'The quoting service does not offer quotes with this expiry.',
    next: 'Lower `quote.expiry` or `--expiry`.',
  },
  EXPORT_FILE: {
    meaning: 'The export could not be written to the named file.',
    next: 'Choose a path that does not exist, in a folder that you may write to.',
  },
  FEES_UNAVAILABLE: {
    meaning: 'The current gas fees could not be read.',
    next: 'Do nothing: the bot reads again. Check `chain.rpcUrl` if it repeats.',
  },
  FILE_EXISTS: {
    meaning: 'The file that a command would create exists already; it was not changed.',
    next: 'Name another file.',
  },
  FILE_NOT_PRIVATE: {
    meaning: 'A key or password file is readable or writable for other users.',
    next: 'Run `chmod 600` on it.',
  },
  FILE_NOT_WRITTEN: {
    meaning: 'A file could not be created.',
    next: 'Check the folder, its permissions and the free space.',
  },
  FILE_UNREADABLE: {
    meaning:
      'A key or password file, or a copy to restore, cannot be read, is not a file, or is too large.',
    next: 'Correct the path or its permissions.',
  },
  FLEET_NEEDS_SERVER: {
    meaning: 'Several processes were to share wallets whose journal is a file.',
    next: 'Set `DATABASE_URL` to a PostgreSQL server, or run one process.',
  },
  FLOOR_NEEDED: {
    meaning: 'No reference prices the pair, so a manual swap has no minimum.',
    next: 'Give `--floor` with the smallest amount that you accept.',
  },
  FOREIGN_ORIGIN: {
    meaning: 'A page of another web site sent a request to the dashboard.',
    next: "Use the dashboard's own page or a client without an `Origin` header.",
  },
  GAS_PRICE_ABOVE_POLICY: {
    meaning: 'Gas costs more than `policy.maxGasPrice` allows.',
    next: 'Wait for cheaper gas, or raise `policy.maxGasPrice`.',
  },
  HALT_FILE_EXISTS: {
    meaning: 'The halt file still exists, and it halts the bot until it is removed.',
    next: 'Find out who created it, remove it, and run `ballast resume` again.',
  },
  HALT_INCOMPLETE: {
    meaning: 'The dashboard of a fleet halted some wallets, and could not halt others.',
    next: 'Call `ballast halt`, or create the file HALT; the message names the wallets.',
  },
  HTTP_REDIRECT: {
    meaning: 'A server answered with a redirect; the bot never follows redirects.',
    next: 'Configure the final URL. At a start, one that may end (302, 303, 307) is waited for.',
  },
  HTTP_TOO_LARGE: {
    meaning: 'A server sent more bytes than the limit for this answer.',
    next: 'Check the URL; report it to the operator of the server.',
  },
  INTERNAL: {
    meaning: 'An unexpected failure: a defect of Ballast.',
    next: 'Keep the output and report it; open swaps continue at the next start.',
  },
  INTERRUPTED: {
    meaning: 'The process was stopped before a swap was signed.',
    next: 'Do nothing: nothing was signed, and the strategy decides again after the next start.',
  },
  JOURNAL_BUSY: {
    meaning:
      "Another process held the journal's write lock too long, archives it or backs it up to the same file, or began to use it while another account looked; nothing was stored.",
    next: "Find the process that writes to the journal, or let its archive or backup finish; check the server's load.",
  },
  JOURNAL_FULL: {
    meaning: 'The disk is full; nothing was stored and nothing was sent.',
    next: 'Free space and start again.',
  },
  JOURNAL_INCONSISTENT: {
    meaning: 'The log and the tables of the journal contradict each other.',
    next: 'Run `ballast audit verify` and find out who wrote to the journal.',
  },
  JOURNAL_IS_LIVE: {
    meaning: 'A paper run was pointed at a journal of real money.',
    next: 'Configure another database for paper.',
  },
  JOURNAL_IS_PAPER: {
    meaning: 'A live run was pointed at a journal of virtual money.',
    next: 'Configure the live journal.',
  },
  JOURNAL_LOCKED: {
    meaning: 'Another process spends from this journal.',
    next: 'Stop that process; if it crashed, wait until its lease ends.',
  },
  JOURNAL_MOVED: {
    meaning:
      "The journal's file was moved, deleted or replaced under the running bot: signed swaps were followed, nothing new began.",
    next: 'Put the moved file back with its `-wal`, then start again. Where it is lost, `ballast restore` takes the newest copy.',
  },
  JOURNAL_NEWER: {
    meaning: 'A newer version of Ballast wrote the journal.',
    next: 'Use that version or a newer one.',
  },
  JOURNAL_NOT_DURABLE: {
    meaning:
      'The PostgreSQL server does not keep commits safely (`fsync` or `synchronous_commit` off), or has another encoding than UTF-8.',
    next: "Correct the server's settings, or use another server.",
  },
  JOURNAL_ON_SERVER: {
    meaning: '`backup` and `restore` copy a file; this journal is on a PostgreSQL server.',
    next: 'Use `pg_dump` and `pg_restore`, then `ballast recover --reason "…"`.',
  },
  JOURNAL_OLDER: {
    meaning:
      'An older version wrote the journal, and this command only reads, or a bot of that version still spends from it.',
    next: 'Stop the older bot, then start the bot of this version once; it migrates the journal.',
  },
  JOURNAL_UNREACHABLE: {
    meaning: "The journal's server does not answer.",
    next: 'Start or repair the server; signed swaps continue at the next start.',
  },
  JOURNAL_UNUSABLE: {
    meaning: 'The journal cannot be opened or read.',
    next: 'Check the path, the permissions and the disk; restore a copy only if the file is damaged.',
  },
  KEYSTORE_MALFORMED: {
    meaning: 'The key file is not a V3 keystore.',
    next: 'Create one with `ballast key new` or `ballast key import`.',
  },
  KEYS_INVALID: {
    meaning: "The service's file of API keys is malformed.",
    next: 'Correct the entry named in the facts; docs/SERVICE.md describes the file.',
  },
  LEASE_LOST: {
    meaning: 'This process lost its exclusive right to spend and stopped before it wrote anything.',
    next: 'Find out what stalled the process or the server, then start it again.',
  },
  LOCKED: {
    meaning: 'A lock forbids this step. The remedy is `halt` where the lock is a halt.',
    next: 'Read the reason of the lock (`ballast status`), remove the cause, and run `ballast resume --reason "…"`.',
  },
  LOCKS_CHANGED: {
    meaning:
      'The locks in the journal differ from the locks in its log: another program wrote to it.',
    next: 'Find out who wrote to the journal, then run `ballast resume --reason "…"`.',
  },
  LOCK_OF_ONE_WALLET: {
    meaning:
      'A lock that no person opened holds one wallet of several, and `resume` was called for all of them.',
    next: 'Look at that wallet, then call `ballast resume --wallet NAME --reason "…"`.',
  },
  LOGS_NOT_FOUND: {
    meaning: 'The RPC endpoint gives too few blocks at a time to search the logs of the chain.',
    next: 'Set `chain.rpcUrl` to a node that searches longer ranges, or begin later: `ballast revoke --from BLOCK`.',
  },
  MAKER_DECLINED: {
    meaning: 'A market maker refused, did not answer, or answered with an invalid signature.',
    next: 'Do nothing: the service routes around it. Check the maker if it repeats.',
  },
  MIGRATION_DIFFERS: {
    meaning:
      'A copy made by `ballast migrate` is not the same as its journal; it was removed, and the journal is as it was.',
    next: 'Find out what writes to the new database, a trigger for instance, and run it again.',
  },
  NODE_BEHIND: {
    meaning:
      'The RPC endpoint has not seen a transaction that the journal knows to be mined, or its newest block stands still while another endpoint has a newer one.',
    next: 'Wait for the node to catch up, or use another endpoint.',
  },
  NONCE_DIVERGED: {
    meaning: "The chain's next nonce differs from the journal's before a signature.",
    next: 'Run `ballast reconcile` and find out who else uses the key.',
  },
  NONCE_FOREIGN: {
    meaning: 'The wallet sent transactions that the journal does not know.',
    next: 'Restore the newest journal; otherwise find the sender and run `ballast resume --reason "…"` to adopt them.',
  },
  NONCE_LOST: {
    meaning: 'The chain no longer has transactions that the journal knows to be mined.',
    next: 'Check with another endpoint; then run `ballast reconcile` and `ballast resume --reason "…"`.',
  },
  NONCE_NOT_DEEP: {
    meaning: "The wallet's last transaction is not yet at confirmation depth.",
    next: 'Wait for a few blocks and start again.',
  },
  NONCE_PENDING: {
    meaning: "A transaction that the bot did not sign waits in the node's pool for this wallet.",
    next: 'Find the other user of the key; wait until the transaction is mined or replaced.',
  },
  NONCE_SHARED: {
    meaning: 'The network holds another transaction with a nonce that the bot signed for.',
    next: 'Find the other user of the key, then run `ballast resume --reason "…"`.',
  },
  NONCE_TAKEN: {
    meaning: 'A transaction that is not ours was mined with the nonce of a swap.',
    next: 'Find the other user of the key, then run `ballast resume --reason "…"`.',
  },
  NOTHING_TO_DRILL: {
    meaning: 'The policy allows no swap, so the drill has no case.',
    next: 'Allow at least one pair in `policy`.',
  },
  NOTHING_TO_SELL: {
    meaning: 'A manual swap was given the amount zero.',
    next: 'Give `--sell` an amount above zero.',
  },
  NOT_AN_ADDRESS: {
    meaning: 'The text is not an Ethereum address.',
    next: 'Write 0x and 40 hex digits, with a valid checksum.',
  },
  NOT_AN_AMOUNT: {
    meaning: 'The text is not an amount.',
    next: 'Write a number and a token, such as `1.5 WETH`.',
  },
  NOT_A_DECIMAL: {
    meaning: 'The text is not a plain decimal number.',
    next: 'Write digits and at most one point.',
  },
  NOT_A_DURATION: {
    meaning: 'The text is not a duration.',
    next: 'Write a number and its unit, such as `30s`, `10m`, `2h` or `7d`.',
  },
  NOT_A_GAS_PRICE: {
    meaning: 'The text is not a gas price.',
    next: 'Write a number and its unit, such as `200 gwei`.',
  },
  NOT_A_KEY: {
    meaning: 'Standard input holds no private key.',
    next: 'Pipe in 0x and 64 hex digits.',
  },
  NOT_BPS: {
    meaning: 'The text is not a share.',
    next: 'Write a percentage or basis points, such as `0.5 %` or `50 bps`.',
  },
  NOT_FOUND: {
    meaning: 'The dashboard has no such page or swap.',
    next: "Follow a link of the dashboard's first page.",
  },
  NOT_SENT: {
    meaning:
      '`ballast recover` found a swap that waits to be sent, outbid or cancelled, and does none of it.',
    next: 'Start the bot once the books are whole: it follows the swap.',
  },
  NOT_WRITTEN_OFF: {
    meaning:
      'A swap cannot be written off: the chain shows a move that is no plain loss, another end, or a known router.',
    next: 'Read the facts. What moved is measured by `ballast run`, with an archive node that traces (`debug_traceTransaction`) where the node has no old balances.',
  },
  NO_JOURNAL: {
    meaning: 'There is no journal at the configured place.',
    next: 'Check `--config` and the working folder; the first `ballast run` creates one.',
  },
  NO_LIQUIDITY: {
    meaning: 'The service has no offer for this amount at the moment.',
    next: 'Wait, or swap a smaller amount.',
  },
  NO_SUCH_MAKER: {
    meaning: "The sandbox's world has no maker with this name.",
    next: 'Use a name from the world file.',
  },
  OPERATOR_ONLY: {
    meaning:
      "A request that halts came with the viewers' token of the dashboard, or with a viewer's certificate.",
    next: 'Send `DASHBOARD_TOKEN` or a certificate of `dashboard.tls.operators`, or use `ballast halt`.',
  },
  OTHER_CHAIN: {
    meaning: 'The journal has an open swap of another chain.',
    next: 'Start once with that chain so that its swap ends, or use another journal.',
  },
  OTHER_WALLET: {
    meaning: 'The journal has an open swap of another wallet.',
    next: 'Start once with that wallet so that its swap ends, or use another journal.',
  },
  OTHER_WORLD: {
    meaning: "The sandbox's data directory was made from another world file.",
    next: 'Choose another `--data-dir`, or delete this one.',
  },
  PAIR_UNSUPPORTED: {
    meaning: 'The quoting service does not trade this pair.',
    next: 'Choose another pair or another service.',
  },
  PAPER_BEGUN: {
    meaning: 'A paper journal has balances already, so `--balances` is refused.',
    next: 'Omit `--balances`, or move the paper journal away to begin again.',
  },
  PAPER_DATABASE_LIVE: {
    meaning: 'The paper journal and the live journal are the same file.',
    next: 'Remove the link between them.',
  },
  PAPER_OVERDRAWN: {
    meaning: 'A paper swap would sell more than its virtual balance.',
    next: 'Do nothing: the swap is refused. Give larger `--balances` to a new paper run.',
  },
  PAPER_SENDS_NOTHING: {
    meaning: 'Code of a paper run tried to send or sign; it was stopped.',
    next: 'Report it: this is a defect of Ballast.',
  },
  PAPER_SLOT_UNKNOWN: {
    meaning:
      "The storage slot of a token's balances is unknown, so a paper swap of it cannot be simulated.",
    next: 'Hold real units of the token in the wallet, or leave the token out of the paper run.',
  },
  PASSWORD_MISSING: {
    meaning: "The keystore's password file is not set or is empty.",
    next: 'Set `WALLET_PASSWORD_FILE` to a file of mode 600 that holds the password.',
  },
  PERMIT_UNUSABLE: {
    meaning:
      'A permit of the token did not do in the simulation what it should, the books forbid a new one, or the holder of the key signs none. The swap goes on with an approval.',
    next: 'Where it repeats, take the token off `policy.permits`.',
  },
  PORT_IN_USE: {
    meaning: 'Another program listens on this port.',
    next: 'Stop that program or choose another port.',
  },
  QUOTE_EXPIRED: {
    meaning: 'A paper quote passed its deadline before it could count as filled.',
    next: 'Do nothing: the bot requests a new quote.',
  },
  QUOTE_FOREIGN_ORDER: {
    meaning: 'The service settles through a router whose orders this version cannot verify.',
    next: 'Use a service that settles through a supported router.',
  },
  QUOTE_MALFORMED: {
    meaning: 'The answer of the quoting service breaks its own contract.',
    next: 'Do nothing: the bot requests a new quote. Report the request id to the service if it repeats.',
  },
  QUOTE_REFUSED: {
    meaning:
      'The quoting service refused, with a reason that this version does not know, or a request of a kind that it answered before.',
    next: 'Read its code and words in the reason, or `apiCode` and `apiMessage` in the facts (`ballast quote --firm`); ask the operator of the service.',
  },
  QUOTE_REUSED: {
    meaning: 'The service sent a quote id that an earlier swap used.',
    next: 'Do nothing: the swap is refused. Report it to the service.',
  },
  QUOTE_UNAVAILABLE: {
    meaning:
      'The quoting service does not answer, reports a temporary failure, or refuses the API key that it accepted before.',
    next: 'Do nothing: the bot asks again. Check `service.url` and `QUOTE_API_KEY` if it repeats.',
  },
  RATE_LIMITED: {
    meaning: 'The quoting service received too many requests.',
    next: 'Ask the service for a higher limit, or run fewer strategies at once.',
  },
  PRICE_UNWITNESSED: {
    meaning: 'Live money would take its price from one endpoint alone.',
    next: 'Set `chain.witness` to a node on another host, write a price (`--floor`, or the worst price of the strategy), or write `policy.bands` for both tokens.',
  },
  REFERENCES_DISAGREE: {
    meaning: '`chain.rpcUrl` and `chain.witness` give different prices for one block.',
    next: 'Compare the two values in the facts with a third node, and replace the one that lies.',
  },
  REFERENCE_NOT_OF_PAIR: {
    meaning: 'A configured reference reads a pool or a feed of other tokens.',
    next: 'Correct the reference in `policy.references`.',
  },
  REPLAY_GAP: {
    meaning: 'A tape has no book to quote from before the quote would have expired.',
    next: 'Record a tape with more lines, or replay another one.',
  },
  REPLAY_UNSEEN: {
    meaning: 'A replay had no market at a slot: its tape says so, or chance does.',
    next: "Read the reason in the replay's output.",
  },
  REPLAY_UNSENT: {
    meaning: 'A replay had no quote that was good enough, or no funds for a swap.',
    next: "Read the reason in the replay's output.",
  },
  REPORT_FAILED: {
    meaning: 'The command that makes the statement or the rows of a month ended without them.',
    next: 'Run the command that it names, and read what it says.',
  },
  RPC_GARBLED: {
    meaning: 'The RPC endpoint sent an answer that is not JSON-RPC.',
    next: 'Check `chain.rpcUrl`; it may name a web page or a proxy.',
  },
  RPC_REFUSED: {
    meaning: 'The RPC endpoint answered a call with an error.',
    next: "Read `method` and `rpcMessage` in the facts; check the endpoint's limits and methods.",
  },
  SAME_TOKEN: {
    meaning: 'The token to sell and the token to buy are the same asset.',
    next: 'Choose two different assets.',
  },
  SANDBOX_MISSING: {
    meaning:
      'The embedded market is a package of its own, and is not installed beside the program in the same version.',
    next: 'Run the `npm install` that the sentence names. The executable cannot use that package: install `ballast-bot` as well.',
  },
  SETTLEMENT_UNEXPLAINED: {
    meaning: 'A mined swap has no event that explains what it moved.',
    next: 'Look at the transaction in a block explorer. Where it moved nothing, or took what was sold and gave nothing: `ballast resume --write-off SWAP --reason "…"`.',
  },
  SETTLEMENT_UNMEASURED: {
    meaning: "The node cannot answer balances at a swap's block, so the amounts are unknown.",
    next: 'Start once with `chain.rpcUrl` at an archive node; in a fleet, whose workers open no halted wallet, by `ballast run --wallet NAME`. Where none has that block: `ballast resume --write-off SWAP --reason "…"`.',
  },
  SIGNED_DIFFERS: {
    meaning: 'The signer returned another transaction than the one requested.',
    next: 'Stop and inspect the signer: it is faulty or compromised.',
  },
  SIGNED_GARBLED: {
    meaning: 'The signer returned bytes that are not a signed transaction or a signature.',
    next: "Check the signer's version and configuration.",
  },
  SIGNER_COUNT_BROKEN: {
    meaning: "The signer's file of daily totals is damaged.",
    next: 'Compare it with the journal and repair it before the signer starts again.',
  },
  SIGNER_LIBRARY_MISSING: {
    meaning: 'The package for the configured key service is not installed.',
    next: 'Install the package named in the message.',
  },
  SIGNER_REFUSED: {
    meaning: 'The signer process refused a transaction that its own limits forbid.',
    next: 'Compare the reason with `signer.yaml` and `policy`.',
  },
  SIGNER_RUNNING: {
    meaning: 'Another signer uses the same socket or the same file of totals.',
    next: 'Stop the other signer.',
  },
  SIGNER_UNAVAILABLE: {
    meaning: 'The signer did not answer in time or gave no signature.',
    next: 'Check that the signer runs and that its socket or URL is right.',
  },
  SIMULATION_STALE: {
    meaning: 'The simulation was too old when the signature was ready, so nothing was stored.',
    next: 'Do nothing: the bot requests a new quote. Use a faster signer if it repeats.',
  },
  SIMULATION_UNFIT: {
    meaning:
      'The RPC endpoint plays a scenario neither by `eth_simulateV1` nor by `eth_call` with state overrides, so no swap can be seen before it is signed.',
    next: 'Use an endpoint that has one of them; `ballast doctor` prints what each answered.',
  },
  SIMULATION_UNAVAILABLE: {
    meaning: 'The chain could not be read for a simulation.',
    next: 'Do nothing: the bot simulates again. Check `chain.rpcUrl` if it repeats.',
  },
  SLOT_AHEAD_OF_CHAIN: {
    meaning:
      "By this machine's clock a calendar slot is over; by the newest block it is not. Nothing is recorded.",
    next: 'Correct the clock of this machine, or wait for the chain; the slot is looked at again by itself.',
  },
  SLOT_UNDECIDED: {
    meaning: 'A swap of a missed slot is still open, so its end is unknown.',
    next: 'Do nothing: the slot is counted when the swap ends.',
  },
  SOCKET_UNUSABLE: {
    meaning: 'The signer or the dashboard cannot listen at the configured socket path.',
    next: 'End the other process or remove the file that is in the way, or choose another path.',
  },
  STALE_MARKET: {
    meaning: 'A block, a balance or a price was too old or missing, so no decision was made.',
    next: 'Do nothing: the bot looks again. If it repeats, check `chain.rpcUrl`, or the token that it names.',
  },
  STATE_FOLDER_UNUSABLE: {
    meaning:
      'The folder that keeps the locks of wallets, or a lock in it, cannot be written: nothing is signed without.',
    next: 'Let this account write there and the lock, or set `stateFolder`: the same folder for every journal of the wallet.',
  },
  STRATEGY_BROKEN: {
    meaning:
      'A strategy file cannot be loaded, has wrong parameters, or threw while it decided or said what it reserves.',
    next: 'Correct the strategy at the place named in the message, and restart. Where it failed while the bot ran, the others went on: release its lock, whose number `ballast status` has: `ballast resume --reason "…" NUMBER`.',
  },
  SWAP_DISPUTED: {
    meaning:
      'Receipt, nonce, router or witness differ for two minutes about a signed swap long past its deadline, the chain stands still since, or the answers about an approval differ for two minutes.',
    next: 'Do not repeat it. Look at the transaction through another node, set `chain.rpcUrl` to one that is right, start again, then `ballast resume`.',
  },
  SWAP_MOVED_ON: {
    meaning: 'A swap was in another state than the step expected.',
    next: 'Run `ballast audit verify` and report it.',
  },
  SWAP_UNDECIDED: {
    meaning: 'The wallet has signed bytes whose end is unknown.',
    next: 'Start the bot so that it follows them to their end, then repeat the command.',
  },
  TAPES_MIXED: {
    meaning: 'The files are of different chains, or recorded and synthetic at once.',
    next: 'Name files of one tape.',
  },
  TAPE_DAMAGED: {
    meaning: 'A line of the tape is not a valid entry.',
    next: 'Remove the damaged file, or record it again.',
  },
  TAPE_EMPTY: {
    meaning: 'The tape has no order book.',
    next: 'Record for longer, or choose another tape.',
  },
  TAPE_FULL: {
    meaning: 'The tape has reached its maximum size.',
    next: 'Move old days away, or record with a larger `--max-size`.',
  },
  TAPE_IN_USE: {
    meaning: 'Another recorder writes into this folder.',
    next: 'Stop that recorder, or choose another `--dir`.',
  },
  TAPE_MISSING: {
    meaning: 'There is no tape at the given path.',
    next: 'Record one with `ballast record`, or correct the path.',
  },
  TAPE_OF_ANOTHER_CHAIN: {
    meaning: 'The tape was recorded on another chain than the configured one.',
    next: 'Use a tape of the configured chain.',
  },
  TARGET_NOT_EMPTY: {
    meaning:
      'The place that `ballast migrate` was to fill has a journal or a file already; nothing was changed.',
    next: 'Move the file and those beside it away, or name another file or database.',
  },
  TOKEN_NOT_CONFIGURED: {
    meaning:
      'A swap that the wallet made has a token that `tokens:` does not list, so it cannot be booked.',
    next: 'Add the token to `tokens:` and run `ballast recover` again.',
  },
  TOKEN_NOT_ON_CHAIN: {
    meaning: 'A configured token has no contract at its address, or has other decimals.',
    next: "Correct the token's address or decimals in `ballast.yaml`, or take it out.",
  },
  TRANSACTIONS_NOT_FOUND: {
    meaning:
      'The endpoint does not show every mined transaction of the wallet, or shows one that the wallet did not sign.',
    next: 'Set `chain.rpcUrl` to an archive node and run the command again.',
  },
  TOO_MANY_DECIMALS: {
    meaning: 'The amount has more decimals than the token.',
    next: 'Write fewer decimals.',
  },
  TOO_MANY_READERS: {
    meaning: 'Sixty-four pages follow the bot by `/api/events` already.',
    next: 'Close some of them. Each page shows what it has, and connects again by itself.',
  },
  TRACING_UNAVAILABLE: {
    meaning: 'The RPC endpoint cannot trace calls, so the writes of a swap cannot be checked.',
    next: 'Use an endpoint with `debug_traceCall`, or set `chain.tracing: unavailable`.',
  },
  TREASURY_LIMIT: {
    meaning: 'The swap would bring all wallets together over a limit of `treasury`.',
    next: 'Wait until earlier swaps are older than the limit looks back, or raise the limit.',
  },
  UNAUTHORIZED: {
    meaning: 'The quoting service does not accept the API key, and never did since the start.',
    next: 'Set `QUOTE_API_KEY`.',
  },
  UNKNOWN_CASE: {
    meaning: 'The drill has no case with this name.',
    next: 'Choose a case of docs/DRILL.md.',
  },
  UNKNOWN_HOST: {
    meaning: 'A request reached the dashboard under a host name that it does not serve.',
    next: 'Open the dashboard at the configured host and port, or under a name of its certificate.',
  },
  UNKNOWN_ID: {
    meaning: 'No swap, strategy or decision has this id.',
    next: 'Find the id with `ballast history`.',
  },
  UNKNOWN_LOCK: {
    meaning: 'There is no open lock with this id.',
    next: 'List the locks with `ballast status`.',
  },
  UNKNOWN_STRATEGY: {
    meaning: 'No strategy has this name.',
    next: 'Use a name from `ballast.yaml`.',
  },
  UNKNOWN_SWAP: {
    meaning: 'No swap has this id.',
    next: 'Find the id with `ballast history`.',
  },
  UNKNOWN_TOKEN: {
    meaning: "The token's symbol is not configured.",
    next: 'Use a symbol from `ballast.yaml`.',
  },
  UNPACK_FAILED: {
    meaning:
      'The executable could not write its files into its cache, or another account could change them there.',
    next: 'Give this account a folder of its own in `XDG_CACHE_HOME`, or correct the owner, the mode or the room of the folder that is named.',
  },
  UNREACHABLE: {
    meaning: 'A server does not answer.',
    next: 'Check its URL, the network, the proxy of `HTTPS_PROXY` and the server.',
  },
  USAGE: {
    meaning: 'The command line is not understood.',
    next: "Read the command's `--help`.",
  },
  WALLET_HAS_JOURNAL: {
    meaning:
      'The wallet has a journal elsewhere in the database, of a fleet or of a bot with one wallet, and none in this place.',
    next: 'Move it with the configuration that it was made with: `ballast migrate --fleet` from one wallet, `ballast migrate --wallet NAME` from a fleet.',
  },
  WALLET_KEY_MISMATCH: {
    meaning: 'The key belongs to another address than `wallet.address`.',
    next: 'Correct the key or the address.',
  },
  WALLET_KEY_MISSING: {
    meaning: 'A live swap needs a key, and none is set.',
    next: 'Set `WALLET_KEY_<NAME>` or `WALLET_KEY`, or configure `wallet.signer`.',
  },
  WALLET_LOCKED: {
    meaning: 'Another process spends from this wallet, with another journal.',
    next: 'Stop the process it names, and keep one journal for a wallet.',
  },
  WALLET_NOT_NAMED: {
    meaning:
      'The configuration has several wallets, and none of them, or an unknown one, was named.',
    next: 'Name one with `--wallet`.',
  },
  WORLD_INVALID: {
    meaning: "The sandbox's world file is malformed.",
    next: 'Correct the place named in the message.',
  },
  WRONG_CHAIN: {
    meaning: 'The RPC endpoint serves another chain than the configuration.',
    next: 'Correct `chain.chainId` or `chain.rpcUrl`.',
  },
  WRONG_FLOOR: {
    meaning: '`--floor` names another token than the token to buy.',
    next: 'Give the floor in the token to buy.',
  },
  WRONG_KEY_TYPE: {
    meaning: 'The key in the key service is not on the curve secp256k1.',
    next: 'Create a key of type secp256k1 for signing.',
  },
  WRONG_PASSWORD: {
    meaning: 'The password does not open the keystore.',
    next: 'Correct the password file.',
  },
} as const satisfies Readonly<Record<ErrorCode, Guide>>

/** Codes made from the name of the check that failed: `verify.floor` becomes `VERIFY_FLOOR`. */
export const checkFamilies = {
  VERIFY_: {
    meaning: 'The quote does not match the request, its own calldata or its signatures.',
    next: 'Read expected and got: `ballast explain ID`. One refusal costs a quote; several in a row open a lock.',
  },
  POLICY_: {
    meaning: 'The swap breaks a limit of `policy`, or a price is too far from the references.',
    next: 'Do nothing if the limit is right; otherwise change `policy` in `ballast.yaml`.',
  },
  FUND_: {
    meaning:
      'The balance does not cover the swap and its gas, or the token cannot be approved safely.',
    next: 'Fund the wallet, or lower the amount of the strategy.',
  },
  SIMULATE_: {
    meaning: 'The swap, played through on the current block, did not end as quoted.',
    next: 'Read expected and got: `ballast explain ID --checks`. The bot requests a new quote.',
  },
  SIGNED_: {
    meaning:
      'The signed bytes do not match what policy and verification approved; they were not stored.',
    next: 'Stop and report it: the signer or the bot is faulty.',
  },
} as const satisfies Readonly<Record<string, Guide>>

/** Codes of locks, ends and reconciliation: they appear in reports and in the log, and are thrown by nothing. */
export const recordedCodes = {
  'Ends of swaps': {
    EXPIRED: 'The deadline passed before the transaction was mined; its nonce is closed.',
    RECOVERED: 'An approval that was booked from the chain, where its swap is not.',
    REVERTED: 'The transaction was mined and reverted; only gas was spent.',
    WRITTEN_OFF:
      'A mined swap of an opaque router moved nothing, or took what was sold and gave nothing, by the word of a person.',
    REVOKED: 'An allowance that no book had was taken back; nothing was swapped.',
    UNEXPECTED: 'An error without a code ended the swap before its signature: a defect of Ballast.',
  },
  'Reasons of locks (docs/LOCKS.md)': {
    BY_API: 'A person halted with `POST /api/halt`.',
    BY_FILE: 'The halt file exists.',
    BY_OPERATOR: 'A person stopped the bot on the command line.',
    BY_SIGNAL: 'A person sent a signal.',
    CLOCK_SKEW: "This machine's clock differs from the chain's or the service's.",
    FAILURES:
      'Several swaps in a row, or most of the last ones, only cost gas, their own or that of their approvals.',
    GAS_SPENT: 'Gas cost more than `breakers.maxGasPerDay`.',
    JOURNAL_MIGRATED:
      'The journal was moved into another database: this one is behind the chain from then on.',
    JOURNAL_MISSING: 'The journal is new and the wallet has traces of an earlier bot.',
    JOURNAL_RESTORED:
      'A backup was put in the place of the journal: the wallet is behind the chain.',
    LEDGER_BROKEN: 'Reconciliation found that books and chain disagree.',
    LEDGER_DRIFT: 'The wallet holds less than its swaps explain.',
    PRICE_DRIFT:
      'A price is further from our own prices of the last 24 hours than `breakers.priceDrift` allows.',
    PRICE_JUMP: 'A price moved further than `breakers.priceJump` allows.',
    REFUSALS: 'Several swaps in a row were refused.',
    REORG_BEYOND_DEPTH: 'A reorganisation undid a swap at confirmation depth.',
    RPC_DISAGREEMENT: 'Two nodes disagree about the chain.',
    SHORTFALL: 'A swap received less than its minimum, or spent more than it should.',
  },
  'Attention (status, /readyz, alerts)': {
    ALLOWANCE_LEFT:
      'An allowance that no swap is going to use stands for a day, and `policy.allowances` does not name it: of a router that was changed, or of a swap that was refused.',
    ALERTS_UNDELIVERED:
      'An alert channel, which is the subject, has refused an event for a while: who is told by it alone knows nothing of it.',
    ARCHIVE_OVERDUE:
      'The journal has bodies that are older than `journal.retention`, and no archive took them.',
    BOOKS_UNPROVEN:
      'For three days each comparison of the books with the chain has found a break, or had no answer.',
    BOT_ENDED: 'An error ended a running bot for good; the subject is its code.',
    CONFIG_REFUSED: 'The file has changed, and the bot runs by the last good one.',
    DAILY_DIGEST: 'Nothing is wrong: the message of each day, so that silence means something.',
    DISK_FULL: 'So little room is left for the journal that nothing new begins.',
    DISK_LOW: 'The disk of the journal is nearly full.',
    GAS_LOW: "The wallet's coin pays for few more swaps at the highest gas price of `policy`.",
    HEAD_STALE: 'The newest block is old: the node or the chain stands still.',
    HEAD_UNKNOWN: 'The RPC endpoint does not say what the newest block is.',
    LOOK_STALE: 'A strategy has not decided for several of its periods, or on a slot that is due.',
    REFERENCE_SILENT:
      'A reference of `policy.references`, which is the subject or is counted with it, gave no price at any reading for more than an hour. Swaps rest on the others, if there are any.',
    SWAP_STUCK: 'A swap is still open long after its deadline.',
    SWAP_UNDONE:
      'A strategy has wanted to swap, or put its decision off, for more than an hour, and nothing settled.',
    TOKEN_UNREADABLE:
      'A listed token, which is the subject, has told no balance for several minutes: it reverts, or its contract is gone. Strategies that name it do not decide, a fall of its balance is not seen, and the wallet is not valued. Take it out of `ballast.yaml` if that lasts.',
    WALLET_HINDERED:
      'In the log of a fleet: a wallet is traded, and its market is not seen, every alert channel refuses, or a lock holds that no channel tells of. The heartbeat is silent.',
    WALLET_NOT_TRADED:
      'No process of a fleet has traded the wallet for a minute, or it ends over and over, and no lock says why.',
  },
  'Breaks found by reconcile': {
    ALLOWANCE_ABOVE_BOUND:
      'The router may take more than `policy.allowances` lets stand, or a former router anything.',
    ALLOWANCE_DIFFERS: 'The router may take another amount than the books say.',
    ALLOWANCE_UNBOOKED: 'Somebody may take a token whom no book has.',
    PERMIT_LEFT:
      'Somebody gave the permit of a dead swap to its token: the router may take that much, and no swap is going to use it.',
    FOREIGN_SENDER: 'A transaction of the books was sent by another address.',
    LEDGER_DIFFERS: 'The booked amounts of a swap differ from what the chain shows.',
    LIMIT_OVERRUN: 'The swaps of a day exceed a limit of `policy`.',
    LOG_BROKEN: 'The hash chain of the log is broken.',
    NONCES_DIFFER: 'One swap has signed bytes under several nonces.',
    NONCE_TWICE: 'Two mined transactions have one nonce.',
    QUOTED_WHILE_LIVE: 'A quote was stored while an earlier swap was undecided.',
    SETTLED_AFTER_ALL: 'A swap that was booked as dead was settled on the chain.',
    SETTLED_OTHERWISE: 'The receipt of a settled swap is in another block, or failed.',
    SETTLED_TWICE: 'One swap has two successful transactions.',
    SIGNED_WITHOUT_ENTRY: 'The journal has signed bytes that its log does not mention.',
    SWAP_UNBOOKED: 'A nonce that a person released carries a swap of the router.',
    TOTAL_DIFFERS: 'The total of a strategy is not the sum of its settled swaps.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

/** Refusals of `ballast service`: the text for whoever runs a client of it. */
export const serviceGuide = {
  UNREADABLE_PARAMETER: 'A parameter cannot be read.',
  INVALID_PARAMETER: 'A parameter is missing, contradicts another or is out of range.',
  UNKNOWN_CHAIN: 'The service does not trade on this chain.',
  CROSS_CHAIN_UNSUPPORTED: 'The service does not trade across chains.',
  NOT_FOUND: 'There is no such operation.',
  WRAP_UNSUPPORTED: 'The service does not wrap the native coin; the wrapping token does.',
  REQUEST_TOO_LARGE: 'The URL is too long.',
  HEADERS_TOO_LARGE: 'The headers are too long.',
  BODY_REFUSED: 'A request has a body; parameters belong in the URL.',
  REQUEST_TIMEOUT: 'The request did not arrive in time.',
  EXPIRY_TOO_LONG: 'The requested expiry is longer than `expiry.max`.',
  TOKEN_UNKNOWN: 'The service does not trade this token.',
  PAIR_UNKNOWN: 'The service does not trade this pair.',
  NO_LIQUIDITY: 'No source offers this pair at the moment.',
  EXCEEDS_DEPTH: 'The amount is larger than everything on offer.',
  BELOW_MINIMUM: 'The amount is below the smallest offer.',
  BAD_API_KEY: 'The API key is missing or unknown.',
  RATE_LIMITED: 'The client sent too many requests; `Retry-After` says when to ask again.',
  STALE_STATE: "The service's chain stands still, so it gives no quotes.",
  BUSY: 'The service answers as many requests as it can, or is closing.',
  BALANCE_TOO_LOW: 'The taker does not hold the amount; a missing allowance is no reason.',
  MAKER_REFUSED: 'No maker signed in time.',
  INTERNAL: 'An unexpected failure of the service.',
} as const satisfies Readonly<Record<keyof typeof serviceRefusals, string>>
