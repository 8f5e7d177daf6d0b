/** Takes back the migrations from the ninth on. */
export const asBeforeServer = `DROP TABLE alert;
  DROP TABLE price;
  ALTER TABLE swap DROP COLUMN tip_paid;
  ALTER TABLE attempt DROP COLUMN tip_paid;
  DROP INDEX decisions_by_slot;
  DROP INDEX decisions_by_time;
  DROP INDEX moves_of_log;
  DROP TABLE journal_kind;
  DROP TABLE paper_balance;
  DROP TABLE strategy_total;
  DROP TABLE slot;
  DROP TABLE refusal;
  ALTER TABLE decision DROP COLUMN memory;
  ALTER TABLE decision DROP COLUMN params_hash;
  DROP INDEX swaps_of_slot;
  DROP INDEX settled_of_strategy;
  DROP INDEX settled_swaps;
  ALTER TABLE swap DROP COLUMN slot;
  ALTER TABLE swap DROP COLUMN slot_try;
  DROP TABLE reconciled;
  DROP INDEX one_purpose_per_nonce;
  ALTER TABLE attempt DROP COLUMN given_back_at;
  CREATE UNIQUE INDEX one_purpose_per_nonce ON attempt (chain_id, wallet, nonce)
    WHERE kind <> 'CANCEL' AND replaces IS NULL;
  CREATE INDEX spending_of_wallet ON swap (chain_id, wallet, created_at);
  CREATE INDEX spending ON swap (chain_id, wallet, sell_token, created_at);
  DROP INDEX locks_of_log;
  DROP INDEX notes_of_wallet;
  DROP INDEX open_approvals;
  DROP INDEX attempts_of_wallet;
  DROP INDEX attempts_of_nonce;
  DROP INDEX ends_of_strategy;
  DROP INDEX ends_of_wallet;
  DROP INDEX swaps_of_pair;
  DROP TABLE wallet_lease`
