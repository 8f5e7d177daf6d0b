/** Takes back the fifth migration and the sixth, for tests of journals that are older. */
export const withoutNotional = `DROP INDEX spending_of_wallet;
  ALTER TABLE swap DROP COLUMN buy_token;
  ALTER TABLE swap DROP COLUMN notional;
  ALTER TABLE swap DROP COLUMN notional_unit;
  ALTER TABLE swap DROP COLUMN short`
