import { concat, hexToBigInt, keccak256, numberToHex, parseAbi } from 'viem'
import { type Hex, pinned } from '../../chain/calls/fields.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { slotOf, voteBases } from '../../chain/storage/layout.ts'
import { type Address, nativeAddress, sameAddress } from '../../core/token.ts'
import type { Stray } from './strays.ts'

const votesAbi = parseAbi([
  'function delegates(address account) view returns (address)',
  'function numCheckpoints(address account) view returns (uint32)',
])

/** More accounts than a swap moves balances of; the rest stays unknown, which is refused. */
const accountsMax = 40

/** One list of checkpoints is no longer than this. */
const lengthMax = 2n ** 32n

/** A write that a token made for the votes of a delegate, by token and slot. */
export type VoteWrite = { readonly token: string; readonly slot: Hex; readonly delegate: Address }

/**
 * Which of a token's stray writes are vote checkpoints: the list of a delegate and its entries, as OpenZeppelin's
 * ERC20Votes keeps them (ENS, ARB), or the counter of a delegate and its numbered entries, as COMP and UNI do. Only of
 * delegates that the token names for accounts of the swap: a match is an equality of hashes, and where balances and
 * allowances are kept is none.
 *
 * Asked only where something stray was written. A token without votes answers nothing, and then nothing is recognised.
 */
export async function votesAmong(
  strays: readonly Stray[],
  { rpc, accounts, blockHash }: { rpc: Rpc; accounts: readonly Address[]; blockHash: Hex },
): Promise<readonly VoteWrite[]> {
  const tokens = [...new Set(strays.map(({ token }) => token))]
  const found = await Promise.all(
    tokens.map(async (token) => {
      const own = strays.filter((one) => one.token === token)
      const view = (functionName: 'delegates' | 'numCheckpoints') => (account: Address) =>
        pinned(
          readContract({
            ...{ address: token as Address, abi: votesAbi, functionName },
            args: [account],
          }),
          blockHash,
        )
      const answers = await rpc.batch(accounts.slice(0, accountsMax).map(view('delegates')))
      const named = answers.flatMap((one) => (one.ok ? [one.value as unknown as Address] : []))
      const delegates = [...new Set(named)].filter(
        (one) => !sameAddress(one, nativeAddress) && BigInt(one) !== 0n,
      )
      if (delegates.length === 0) return []
      const counts = await rpc.batch(delegates.map(view('numCheckpoints')))
      return delegates.flatMap((delegate, index) => {
        const counted = counts[index]
        const count = counted?.ok === true ? Number(counted.value) : 0
        const isOfVotes = checkpointsOf(delegate, { count, kept: own[0] })
        return own.flatMap(({ slot }) => (isOfVotes(slot) ? [{ token, slot, delegate }] : []))
      })
    }),
  )
  return found.flat()
}

/** Whether a slot keeps a delegate's checkpoints, wherever a token may keep them. */
function checkpointsOf(
  delegate: Address,
  { count, kept }: { count: number; kept: Stray | undefined },
): (slot: Hex) => boolean {
  const taken = [kept?.layout?.balances?.base, kept?.layout?.allowances?.base]
  const places = voteBases
    .filter((base) => !taken.includes(base))
    .map((base) => slotOf({ base, keyFirst: true }, [delegate]))
  const known = new Set<Hex>(places)
  const lists = places.map((place) => hexToBigInt(keccak256(place)))
  for (const place of places)
    for (const index of [count - 1, count])
      if (index >= 0) known.add(keccak256(concat([numberToHex(index, { size: 32 }), place])))
  return (slot) => {
    const at = hexToBigInt(slot)
    return known.has(slot) || lists.some((first) => at >= first && at < first + lengthMax)
  }
}
