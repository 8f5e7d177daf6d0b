import type { FaultId } from './matrix.ts'
import type { Cast } from './simulate.ts'

/** A safeguard, taken out: the text that stands in a file of `src/`, and what stands there instead. */
type Edit = { readonly file: string; readonly from: string; readonly to: string }

/** A bot that is wrong in one way. The simulator must notice each of them. */
export type Mutant = {
  readonly name: string
  /** One that noticed it: where a search begins. Where it does not any more, a later one has to. */
  readonly seed: number
  readonly edits: readonly Edit[]
  /** What the safeguard is there for: in every seed, so that the search is short. */
  readonly against?: readonly FaultId[]
  /** Two workers, where it is about their lease. */
  readonly cast?: Cast
}

const dead = (why: string) =>
  `await train.journal.attempts.close({ swapId, as: 'DISPLACED', code: 'MUTANT', reason: '${why}' })`

export const mutants: readonly Mutant[] = [
  {
    name: 'bytes are sent before they are stored',
    seed: 1,
    edits: [
      {
        file: 'bot/life/drive.ts',
        from: '  const bytes = await journal.attempts.commitSwap(',
        to: '  await train.broadcast(signed as never)\n  const bytes = await journal.attempts.commitSwap(',
      },
    ],
  },
  {
    name: 'a null receipt after the deadline is a death',
    seed: 29,
    edits: [
      {
        file: 'bot/next.ts',
        from: "      isSpent(swap, seen) && isPast(swap.deadline, seen.deep) ? { do: 'displace' } : undefined,",
        to: "      isPast(swap.deadline, seen.head) ? { do: 'displace' } : undefined,",
      },
    ],
  },
  {
    name: 'an unclear broadcast is given up, and the wish gets a new nonce',
    seed: 10,
    edits: [
      {
        file: 'bot/life/bids.ts',
        from: '  await lockOn(verdict, bytes, train)\n',
        to: `  if (!taken && bytes.kind === 'SWAP') ${dead('no answer')}\n`,
      },
    ],
  },
  {
    name: '"nonce too low" is taken for an end',
    seed: 25,
    edits: [
      {
        file: 'bot/life/bids.ts',
        from: '  await lockOn(verdict, bytes, train)\n',
        to: `  if (verdict === 'nonce-low' && bytes.kind === 'SWAP') ${dead('nonce too low')}\n`,
      },
    ],
  },
  {
    name: 'receipts of the last bytes only',
    seed: 6,
    against: ['CHAIN-09', 'CHAIN-25'],
    edits: [
      {
        file: 'bot/life/follow.ts',
        from: "[...hashesOf(swap, 'SWAP'), ...hashesOf(swap, 'CANCEL')]",
        to: "[...hashesOf(swap, 'SWAP'), ...hashesOf(swap, 'CANCEL')].slice(-1)",
      },
    ],
  },
  {
    name: 'synchronous = OFF, and the power goes',
    seed: 3,
    edits: [
      {
        file: 'bot/journal/store/openSqlite.ts',
        from: 'PRAGMA synchronous = FULL',
        to: 'PRAGMA synchronous = OFF',
      },
    ],
  },
  {
    name: 'an end without depth',
    seed: 272,
    against: ['CHAIN-01', 'CHAIN-02', 'CHAIN-04'],
    edits: [
      {
        file: 'bot/next.ts',
        from: '!isDeep(mined.receipt, seen.deep)',
        to: '!isDeep(mined.receipt, seen.head)',
      },
    ],
  },
  {
    name: 'the deadline by the clock on the wall',
    seed: 17,
    edits: [
      {
        file: 'bot/life/follow.ts',
        from: '      const step = next(withPatience(withPublication(swap, train), train), seen)\n',
        to: '      const head = { ...seen.head, timestamp: Math.floor(train.clock.now() / 1_000) }\n      const step = next(withPublication(swap, train), { ...seen, head })\n',
      },
    ],
  },
  {
    name: 'the block of a receipt is not looked at again',
    seed: 33,
    against: ['CHAIN-02'],
    edits: [
      {
        file: 'bot/next.ts',
        from: 'receipt.hash === included?.hash && receipt.blockHash === included?.blockHash',
        to: 'receipt.hash === included?.hash',
      },
    ],
  },
  {
    name: 'a receipt that is gone stays believed',
    seed: 33,
    against: ['CHAIN-01'],
    edits: [
      {
        file: 'bot/next.ts',
        from: "(minedOf(swap, seen) === undefined ? { do: 'uninclude' } : undefined)",
        to: "(minedOf(swap, seen) === undefined ? wait('for the receipt') : undefined)",
      },
    ],
  },
  {
    name: 'a refused broadcast is tried again with fresh bytes',
    seed: 2,
    edits: [
      {
        file: 'bot/life/bids.ts',
        from: '  await lockOn(verdict, bytes, train)\n',
        to: '  if (!taken) await train.broadcast((await train.signer.sign(bytes)) as never)\n',
      },
    ],
  },
  {
    name: 'a start gives up what was signed and not sent',
    seed: 10,
    edits: [
      {
        file: 'bot/life/drive.ts',
        from: "  const swap = await train.journal.swaps.load(swapId)\n  if (swap.state === 'PLANNED'",
        to: `  const swap = await train.journal.swaps.load(swapId)\n  if (swap.state === 'SIGNED') ${dead('not sent')}\n  else if (swap.state === 'PLANNED'`,
      },
    ],
  },
  {
    name: "the nonce is the chain's word, not the journal's",
    seed: 120,
    against: ['RPC-16'],
    edits: [
      {
        file: 'bot/life/train.ts',
        from: 'if (state?.nextNonce === nonce) return',
        to: 'if (state !== undefined || nonce >= 0) return',
      },
      {
        file: 'bot/journal/attempts/createAttempts.ts',
        from: "      .where('next_nonce', '=', where.nonce),",
        to: '',
      },
      {
        file: 'bot/journal/schema/migrations/leaseToReading.ts',
        from: 'CREATE UNIQUE INDEX one_purpose_per_nonce',
        to: 'CREATE INDEX one_purpose_per_nonce',
      },
    ],
  },
  {
    name: 'a bump is sent before it is stored',
    seed: 37,
    edits: [
      {
        file: 'bot/life/bids.ts',
        from: '    await train.journal.attempts.commitBump(signed, hash)\n',
        to: '    await train.broadcast(signed as never)\n    await train.journal.attempts.commitBump(signed, hash)\n',
      },
    ],
  },
  {
    name: 'what was quoted is booked',
    seed: 1,
    edits: [
      {
        file: 'bot/life/follow.ts',
        from: 'return train.journal.attempts.settle({ swapId, measured })',
        to: 'const received = { ...measured.received, wei: 3n * measured.sold.wei }\n    return train.journal.attempts.settle({ swapId, measured: { ...measured, received } })',
      },
    ],
  },
  {
    name: 'a cancellation takes the next nonce',
    seed: 29,
    edits: [
      {
        file: 'bot/life/bids.ts',
        from: '...fees, chainId, nonce }',
        to: '...fees, chainId, nonce: nonce + 1 }',
      },
    ],
  },
  {
    name: 'a displacement is looked at once',
    seed: 1099,
    against: ['RPC-17', 'CHAIN-25'],
    edits: [
      {
        file: 'bot/life/follow.ts',
        from: "if (step.do === 'displace')",
        to: "if (step.do === 'displace' && swap.authorization === undefined)",
      },
    ],
  },
  // Of the lease one safeguard stands behind the other. With any one of them gone, the nonce that the journal gives once,
  // and a state that a swap leaves once, still keep money from being spent twice: what is missed here is who may write.
  {
    name: 'a transaction does not look at the lease',
    seed: 41,
    // What is left is the local stop: it does not see a process that stands still behind its look.
    cast: 'two',
    against: ['LEASE-01', 'LEASE-08'],
    edits: [
      {
        file: 'bot/journal/store/postgres/openPostgres.ts',
        from: '      if (rows.length !== 1) fence.lost()\n',
        to: '',
      },
    ],
  },
  {
    name: 'a lease is given away under the number it had',
    seed: 9,
    // What is left is the local stop, as long as the clock of the process goes.
    cast: 'two',
    against: ['LEASE-01', 'LEASE-08'],
    edits: [
      {
        file: 'bot/journal/store/postgres/takeLease.ts',
        from: 'epoch = wallet_lease.epoch + 1',
        to: 'epoch = wallet_lease.epoch',
      },
    ],
  },
  {
    name: 'a worker without renewals does not stop by itself',
    seed: 6,
    // What is left is the look in each transaction: nothing of it is stored.
    cast: 'two',
    against: ['LEASE-01', 'LEASE-07'],
    edits: [
      {
        file: 'bot/journal/store/postgres/takeLease.ts',
        from: 'if (isLost || elapsed() - renewedAt > times.stop) lost()',
        to: 'if (isLost) lost()',
      },
    ],
  },
  {
    name: 'a guard looks at the lease before it reads, and not after',
    seed: 5,
    cast: 'two',
    against: ['LEASE-03'],
    edits: [
      {
        file: 'bot/journal/locks/createLocks.ts',
        from: '      // A process may stand still while it reads, until another one has the lease.\n      fence?.assertHeld()\n',
        to: '',
      },
    ],
  },
]
