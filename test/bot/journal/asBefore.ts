import { asBeforeServer } from './asBeforeServer.ts'

/** Takes back the migrations from the fifth on, for tests of journals that are older. */
export const asBefore = `${asBeforeServer};
  DROP TABLE allowance;
  ALTER TABLE wallet DROP COLUMN adopted_nonce;
  DROP INDEX replaced_once;
  DROP INDEX one_purpose_per_nonce;
  DROP INDEX one_open_approval_per_wallet;
  ALTER TABLE attempt DROP COLUMN replaces;
  ALTER TABLE attempt DROP COLUMN verdict;
  CREATE UNIQUE INDEX one_purpose_per_nonce ON attempt (chain_id, wallet, nonce)
    WHERE kind <> 'CANCEL';
  CREATE UNIQUE INDEX one_open_approval_per_wallet ON attempt (chain_id, wallet)
    WHERE kind = 'APPROVE' AND closed_at_block IS NULL;
  ALTER TABLE swap DROP COLUMN short;
  DROP INDEX signed_by_wallet;
  DROP INDEX spending_of_wallet;
  ALTER TABLE swap DROP COLUMN signed_at;
  ALTER TABLE swap DROP COLUMN buy_token;
  ALTER TABLE swap DROP COLUMN notional;
  ALTER TABLE swap DROP COLUMN notional_unit`
