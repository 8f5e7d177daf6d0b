import { type Address, sameToken, type Token } from '../../core/token.ts'
import { permit2Address } from './permit2.ts'

/** Who may be approved to take a token: the router, and Permit2 where policy lets a permit do in place of an approval. */
export const spendersOf = (
  token: Token,
  { router, permits }: { readonly router: Address; readonly permits: readonly Token[] },
): readonly Address[] =>
  permits.some((one) => sameToken(one, token)) ? [router, permit2Address] : [router]
