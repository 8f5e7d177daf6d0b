/** Takes back the migrations from the fifth on, for tests of journals that are older. */
export const asBefore = `DROP TABLE wallet_lease;
  ALTER TABLE swap DROP COLUMN short;
  DROP INDEX signed_by_wallet;
  ALTER TABLE swap DROP COLUMN signed_at;
  DROP INDEX spending_of_wallet;
  ALTER TABLE swap DROP COLUMN buy_token;
  ALTER TABLE swap DROP COLUMN notional;
  ALTER TABLE swap DROP COLUMN notional_unit`
