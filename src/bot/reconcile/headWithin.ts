import { getBlock } from '../../chain/calls/getBlock.ts'
import type { BooksScope, JournalBooks } from '../books.ts'
import type { Ask } from './createAsk.ts'

/**
 * Height of a head that has seen all the books rest on, to be asked about by its number; otherwise why there is none. A
 * node that lags behind the one that confirmed a swap still says what was true before it.
 */
export async function headWithin(
  ask: Ask,
  { books, scope }: { books: JournalBooks; scope: BooksScope },
): Promise<number | string> {
  const newest = await books.newestBlock(scope)
  const [head] = await ask([getBlock('latest')])
  if (head?.ok !== true || head.value === undefined) return 'the head of the chain was not answered'
  const { number } = head.value
  return number < newest
    ? `the node is at block ${number}, and the books have one of ${newest}`
    : number
}
