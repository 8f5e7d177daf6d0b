import type { Journal } from '../../src/bot/journal/openJournal.ts'
import type { Disk } from './disk.ts'
import type { Network } from './network.ts'
import type { Wish } from './wish.ts'

type SwapRow = {
  id: string
  state: string
  code: string | null
  nonce: number | null
  deadline: number | null
  authorization: string | null
  included_hash: string | null
  included_block_hash: string | null
  sold: string | null
  received: string | null
  gas_paid: string | null
  amount_in: string
}
type AttemptRow = {
  hash: string
  swap_id: string
  kind: string
  nonce: number
  gas_paid: string | null
  closed_at_block: number | null
  given_back_at: number | null
}

const finals = ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED', 'ABANDONED']

/** Compares what the journal says with what the chain holds. Each sentence is something that must never be so. */
export async function checkInvariants({
  disk,
  journal,
  network,
  wishes,
  plansMax,
}: {
  disk: Disk
  journal: Journal
  network: Network
  wishes: readonly Wish[]
  /** How often a wish is planned before it is given up. */
  plansMax: number
}): Promise<readonly string[]> {
  const wrong: string[] = []
  const swaps = disk.rows<SwapRow>(
    'SELECT swap.*, quote."authorization" FROM swap LEFT JOIN quote ON quote.swap_id = swap.id ORDER BY created_at',
  )
  const attempts = disk.rows<AttemptRow>('SELECT * FROM attempt ORDER BY created_at')
  const attemptOf = new Map(attempts.map((attempt) => [attempt.hash, attempt]))
  const mined = network
    .branch()
    .flatMap((block) => block.mined.map((one) => ({ ...one, block: block.hash as string })))
  const minedAs = new Map(mined.map((one) => [one.tx.hash as string, one]))

  // I2, no double: one settlement for a wish.
  const settlements = mined.flatMap(({ moved, tx }) => (moved === undefined ? [] : [{ moved, tx }]))
  for (const { id } of wishes) {
    const own = settlements.filter(({ tx }) => attemptOf.get(tx.hash)?.swap_id.startsWith(`${id}.`))
    if (own.length > 1) wrong.push(`I2: ${id} was executed ${own.length} times`)
  }

  // I1: every transaction of the wallet is one attempt.
  for (const { tx } of mined)
    if (!network.isForeign(tx.hash) && !attemptOf.has(tx.hash))
      wrong.push(`I1: ${tx.hash} is on the chain and in no journal`)

  for (const swap of swaps) {
    const own = attempts.filter(({ swap_id }) => swap_id === swap.id)
    const signed = own.filter(({ kind }) => kind !== 'APPROVE')
    const nonces = new Set(signed.map(({ nonce }) => nonce))
    if (nonces.size > 1) wrong.push(`I3: ${swap.id} has attempts of ${[...nonces]}`)
    // I7, all decided.
    if (!finals.includes(swap.state)) wrong.push(`I7: ${swap.id} is ${swap.state}`)
    const settled = settlements.filter(({ moved }) => moved.authorization === swap.authorization)
    const [one] = settled
    // I5 and I11, no loss and no phantom: the ledger is the chain.
    if (swap.state === 'SETTLED') {
      if (one === undefined) wrong.push(`I5: ${swap.id} is SETTLED, and the chain has no such swap`)
      else if (`${one.moved.sold} ${one.moved.received}` !== `${swap.sold} ${swap.received}`)
        wrong.push(`I5: ${swap.id} moved other amounts than it says`)
    } else if (one !== undefined)
      wrong.push(`I5: ${swap.id} is ${swap.state}, and the chain executed it`)
    if (swap.included_hash !== null) {
      const found = minedAs.get(swap.included_hash)
      if (found === undefined || found.block !== swap.included_block_hash)
        wrong.push(`I11: ${swap.id} is ${swap.state} by a block that is not on the chain`)
      else if (String(found.gasUsed * found.gasPrice) !== swap.gas_paid)
        wrong.push(`I5: ${swap.id} paid other gas than it says`)
    }
    const taker = mined.find(({ tx }) => tx.nonce === swap.nonce)
    const kind = taker && attemptOf.get(taker.tx.hash)?.kind
    if (swap.state === 'DISPLACED' && !(taker && network.isForeign(taker.tx.hash)))
      wrong.push(`4.2: ${swap.id} is DISPLACED, and its nonce was taken by ${kind ?? 'nobody'}`)
    if (swap.state === 'EXPIRED_DEAD' && kind !== 'CANCEL')
      wrong.push(`4.2: ${swap.id} is EXPIRED_DEAD, and its nonce was closed by ${kind}`)
    if (swap.state === 'REVERTED' && (kind !== 'SWAP' || taker?.success !== false))
      wrong.push(`4.2: ${swap.id} is REVERTED, and nothing of it reverted`)
    if (['REJECTED', 'ABANDONED'].includes(swap.state) && signed.length > 0)
      wrong.push(`4.2: ${swap.id} is ${swap.state} with signed bytes`)
  }

  const purposes = new Map<number, string>()
  for (const { nonce, swap_id, kind, given_back_at } of attempts) {
    if (given_back_at !== null) continue
    const purpose = kind === 'APPROVE' ? `the approval of ${swap_id}` : swap_id
    const known = purposes.get(nonce) ?? purpose
    if (known !== purpose) wrong.push(`I3: nonce ${nonce} is for ${known} and for ${purpose}`)
    purposes.set(nonce, known)
  }

  for (const { hash, kind, gas_paid, closed_at_block } of attempts) {
    if (kind !== 'APPROVE') continue
    const found = minedAs.get(hash)
    const paid = found && String(found.gasUsed * found.gasPrice)
    if (closed_at_block === null) wrong.push(`I7: approval ${hash} is open`)
    else if ((paid ?? null) !== gas_paid)
      wrong.push(`I5: approval ${hash} paid other gas than it says`)
  }

  // Every wish came to an end.
  for (const { id } of wishes) {
    const own = swaps.filter((swap) => swap.id.startsWith(`${id}.`))
    if (!own.some(({ state }) => state === 'SETTLED') && own.length < plansMax)
      wrong.push(`I7: ${id} was neither executed nor tried often enough`)
  }

  // No gap: what the journal would give next is what the chain expects, and each number below has its owner.
  const { state } = network.head()
  const [account] = disk.rows<{ next_nonce: number }>('SELECT next_nonce FROM wallet')
  const beyond = mined.filter(({ tx }) => tx.nonce >= (account?.next_nonce ?? 0))
  const strange = beyond.filter(({ tx }) => !network.isForeign(tx.hash))
  if (account !== undefined && (account.next_nonce > state.nonce || strange.length > 0))
    wrong.push(
      `nonces: the journal goes on from ${account?.next_nonce}, the chain from ${state.nonce}`,
    )

  // I8: no more is within the router's reach than one wish.
  if (state.allowance > 5n && wishes.every(({ sell }) => sell.wei < state.allowance))
    wrong.push(`I8: the router may take ${state.allowance}`)

  // I4: nothing is quoted while signed bytes of another swap are undecided.
  wrong.push(...quotedWhileUndecided(disk))

  // I10: the log is whole, and the tables agree with it.
  const { broken, locks, swaps: differing } = await journal.log.verify(undefined)
  if (broken !== undefined) wrong.push(`I10: the log is broken at ${broken.seq}: ${broken.why}`)
  for (const { swapId, why } of differing) wrong.push(`I10: ${swapId}: ${why}`)
  for (const { why } of locks) wrong.push(`I10: a lock: ${why}`)
  return wrong
}

const ends = new Set(finals)

function quotedWhileUndecided(disk: Disk): string[] {
  const wrong: string[] = []
  const undecided = new Set<string>()
  for (const { swap_id, type } of disk.rows<{ swap_id: string; type: string }>(
    'SELECT swap_id, type FROM event ORDER BY seq',
  )) {
    if (type === 'SIGNED') undecided.add(swap_id)
    if (ends.has(type)) undecided.delete(swap_id)
    if (type === 'VERIFIED' && undecided.size > 0)
      wrong.push(`I4: ${swap_id} was quoted while ${[...undecided]} was undecided`)
  }
  return wrong
}
