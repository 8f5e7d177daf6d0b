import { erc20Abi } from '../../chain/abi/contracts.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { show } from '../../core/amount.ts'
import type { BookedAllowance, BooksScope, JournalBooks } from '../books.ts'
import type { AskChain, BreakTally } from './createTally.ts'
import { headWithin } from './sight.ts'

/** I8: the router may take of each token what an open swap needs, or what a dead one is on record to have left. */
export async function checkAllowances(
  { ask, books, scope }: { ask: AskChain; books: JournalBooks; scope: BooksScope },
  tally: BreakTally,
): Promise<string> {
  const { wallet } = scope
  const read = () => books.allowances(scope)
  const booked = await read()
  const head = booked.length === 0 ? 0 : await headWithin(ask, { books, scope })
  if (typeof head === 'string') {
    tally.unknown(head)
    return `${booked.length} allowances were ever given`
  }
  const outcomes = await ask(
    booked.map(({ token, spender }) =>
      readContract({
        address: token.address,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [wallet, spender],
        block: head,
      }),
    ),
  )
  // A running bot may have approved between the two: the books as they stand afterwards count as well.
  const after = new Map((await read()).map((one) => [nameOf(one), one.wei] as const))
  for (const [index, one] of booked.entries()) {
    const { token, spender, swapId } = one
    const wei = [...new Set([...one.wei, ...(after.get(nameOf(one)) ?? [])])]
    const seen = outcomes[index]
    if (seen?.ok !== true) tally.unknown(`the allowance of ${token.symbol} was not answered`)
    else if (!wei.includes(seen.value))
      tally.broke({
        key: `I8 ${nameOf(one)} ${seen.value}`,
        code: 'ALLOWANCE_DIFFERS',
        facts: {
          token: token.symbol,
          address: token.address,
          allowed: show({ token, wei: seen.value }),
          booked: wei.map((some) => show({ token, wei: some })).join(' or '),
          spender,
          swapId,
        },
        next: `set it to 0 from the wallet: approve(${spender}, 0) of ${token.address}; then: ballast resume --reason "…"`,
        lock: 'LEDGER_BROKEN',
      })
  }
  const left = booked
    .filter(({ wei }) => wei.some((one) => one > 0n))
    .map(
      ({ token, wei, swapId }) =>
        `${wei.map((some) => show({ token, wei: some })).join(' or ')} left by ${swapId}`,
    )
  return `${booked.length} allowances were ever given; on record: ${left.join(', ') || 'nothing left'}`
}

const nameOf = ({ token, spender }: BookedAllowance) => `${token.address} ${spender}`
