/** Takes back the ninth migration and the tenth. */
export const asBeforeServer = `CREATE INDEX spending_of_wallet ON swap (chain_id, wallet, created_at);
  CREATE INDEX spending ON swap (chain_id, wallet, sell_token, created_at);
  DROP INDEX locks_of_log;
  DROP INDEX open_approvals;
  DROP INDEX attempts_of_wallet;
  DROP INDEX ends_of_strategy;
  DROP INDEX ends_of_wallet;
  DROP INDEX swaps_of_pair;
  DROP TABLE wallet_lease`
