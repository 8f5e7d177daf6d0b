import type { Address } from './token.ts'

/** The schema of a wallet's journal, where several wallets share a database. */
export const schemaOfWallet = ({
  chainId,
  address,
}: {
  readonly chainId: number
  readonly address: Address
}): string => `wallet_${chainId}_${address.slice(2).toLowerCase()}`

/** Every such name, as a regular expression here and in the database. */
export const walletSchemaPattern = '^wallet_([0-9]+)_([0-9a-f]{40})$'

/** The wallet of a schema, its address in lower case; undefined for a schema of another kind. */
export function walletOfSchema(
  schema: string,
): { readonly chainId: number; readonly address: string } | undefined {
  const [, chainId, digits] = new RegExp(walletSchemaPattern).exec(schema) ?? []
  return chainId === undefined ? undefined : { chainId: Number(chainId), address: `0x${digits}` }
}
