import type { Secret } from '../../core/secret.ts'

/** Where a journal is kept. The address of a server carries its password: it is never shown. */
export type Database =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: Secret }
