import { erc20Abi } from '../../chain/abi/erc20.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { show } from '../../core/amount.ts'
import type { Address } from '../../core/token.ts'
import type { BookedAllowance } from '../books.ts'
import type { Ask } from './createAsk.ts'
import type { Tally } from './createTally.ts'

/** I8: the router may take of each token what an open swap needs, or what a dead one is on record to have left. */
export async function checkAllowances(
  {
    ask,
    booked: read,
    wallet,
    router,
  }: {
    ask: Ask
    booked: () => Promise<readonly BookedAllowance[]>
    wallet: Address
    router: Address
  },
  tally: Tally,
): Promise<string> {
  const booked = await read()
  const outcomes = await ask(
    booked.map(({ token }) =>
      readContract({
        address: token.address,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [wallet, router],
      }),
    ),
  )
  // A running bot may have approved between the two: what the books say afterwards counts as well.
  const after = new Map((await read()).map(({ token, wei }) => [token.address, wei]))
  for (const [index, { token, swapId, ...before }] of booked.entries()) {
    const wei = [...new Set([...before.wei, ...(after.get(token.address) ?? [])])]
    const seen = outcomes[index]
    if (seen?.ok !== true) tally.unknown(`the allowance of ${token.symbol} was not answered`)
    else if (!wei.includes(seen.value))
      tally.broke({
        key: `I8 ${token.address} ${seen.value}`,
        code: 'ALLOWANCE_DIFFERS',
        facts: {
          token: token.symbol,
          address: token.address,
          allowed: show({ token, wei: seen.value }),
          booked: wei.map((one) => show({ token, wei: one })).join(' or '),
          router,
          swapId,
        },
        next: `set it to 0 from the wallet: approve(${router}, 0) of ${token.address}; then: ballast resume --reason "…"`,
        lock: 'LEDGER_BROKEN',
      })
  }
  const left = booked
    .filter(({ wei }) => wei.some((one) => one > 0n))
    .map(({ token, wei, swapId }) => `${show({ token, wei: wei[0] ?? 0n })} left by ${swapId}`)
  return `${booked.length} tokens were ever approved; on record: ${left.join(', ') || 'nothing left'}`
}
