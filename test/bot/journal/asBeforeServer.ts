/** Takes back the migrations from the ninth on. */
export const asBeforeServer = `DROP TABLE reconciled;
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
