import { httpLies } from './httpLies.ts'
import type { Lie } from './lie.ts'
import { quoteLies } from './quoteLies.ts'
import { rpcLies } from './rpcLies.ts'
import { tokenLies } from './tokenLies.ts'

/** Every lie the drill knows. Names are stable: scripts and reports use them. */
export const catalogue: readonly Lie[] = [...quoteLies, ...httpLies, ...rpcLies, ...tokenLies]
