import { parseEventLogs, zeroAddress } from 'viem'
import { type Address, sameAddress, type Token } from '../core/token.ts'
import { erc20Abi } from './abi/contracts.ts'
import type { Receipt } from './calls/getReceipt.ts'

/** What a token's own logs say of an account, in its smallest units. */
export type Transfers = {
  /** What other accounts sent to it, less what it sent to them. */
  readonly net: bigint
  /** What came to it out of nothing, and what went from it into nothing. */
  readonly minted: bigint
  readonly burned: bigint
}

/** Adds up the transfers of a token in a receipt that name an account. */
export function transfersOf({ logs }: Receipt, token: Token, owner: Address): Transfers {
  const own = logs.filter(({ address }) => sameAddress(address, token.address))
  const transfers = parseEventLogs({
    abi: erc20Abi,
    eventName: 'Transfer',
    logs: own.map(({ topics, data, address }) => ({ address, data, topics: [...topics] })) as never,
  })
  let [net, minted, burned] = [0n, 0n, 0n]
  for (const { args } of transfers) {
    const { from, to, amount } = args
    if (sameAddress(to, owner))
      if (sameAddress(from, zeroAddress)) minted += amount
      else net += amount
    if (sameAddress(from, owner))
      if (sameAddress(to, zeroAddress)) burned += amount
      else net -= amount
  }
  return { net, minted, burned }
}

/**
 * What came to an account by a mined call, below zero for what left, where no event of a router tells it.
 *
 * A token that bears interest (aTokens) logs what has accrued as minted, beside the transfer and although no balance moves
 * by it, and takes it off what it logs as burned. So where anything is minted or burned its balance decides; where the node
 * has that no longer, the transfers between accounts, if there are any.
 */
export function cameBy({ net, minted, burned }: Transfers, balance: bigint | undefined): bigint {
  if (minted === 0n && burned === 0n) return net
  return balance ?? (net === 0n ? minted - burned : net)
}
