import { concat, keccak256, numberToHex } from 'viem'
import type { Address } from '../../core/token.ts'
import type { Hex } from '../calls/fields.ts'

/** Where a contract keeps a mapping by address, or one of such mappings. */
export type Layout = {
  readonly base: Hex
  /** Solidity hashes the key before the slot, Vyper after it. */
  readonly keyFirst: boolean
}

/** Far beyond what token contracts use, gaps for upgrades included. */
const declaredSlots = 256

/** ERC-7201: where OpenZeppelin's upgradeable ERC-20 keeps balances and, one further, allowances. */
const namespaced: readonly Hex[] = [
  '0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00',
  '0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace01',
]

/** The same for its votes: delegates, and one further their checkpoints. */
const namespacedVotes: Hex = '0xe8b26c30fad74198956032a3533d903385d56dd795af560196f9c78d4af40d01'

const declared: readonly Hex[] = Array.from({ length: declaredSlots }, (_, slot) =>
  numberToHex(slot, { size: 32 }),
)
const bases: readonly Hex[] = [...declared, ...namespaced]

/** Where a contract may keep a mapping of votes. */
export const voteBases: readonly Hex[] = [...declared, namespacedVotes]

/** Slots by their entry: a swap looks up those of its wallet under every base, and the next one does so again. */
const hashed = new Map<string, Hex>()
const hashedMax = 10_000

/** The slot of one entry: `[owner]` in a mapping, `[owner, spender]` in a mapping of mappings. */
export function slotOf({ base, keyFirst }: Layout, keys: readonly Address[]): Hex {
  const entry = `${keyFirst} ${base} ${keys}`
  const known = hashed.get(entry)
  if (known !== undefined) return known
  const slot = keys.reduce<Hex>((slot, key) => {
    const padded: Hex = `0x${key.slice(2).toLowerCase().padStart(64, '0')}`
    return keccak256(keyFirst ? concat([padded, slot]) : concat([slot, padded]))
  }, base)
  if (hashed.size === hashedMax) hashed.clear()
  hashed.set(entry, slot)
  return slot
}

/**
 * Infers a layout from the slots that reading one known entry touched. Undefined where no layout we know explains them.
 *
 * A match cannot be an accident: it is an equality of hashes.
 */
export function findLayout(read: ReadonlySet<Hex>, keys: readonly Address[]): Layout | undefined {
  for (const keyFirst of [true, false])
    for (const base of bases)
      if (read.has(slotOf({ base, keyFirst }, keys))) return { base, keyFirst }
  return undefined
}
