import type { Journal } from '../src/bot/journal/openJournal.ts'
import type { PaperJournal } from '../src/bot/journal/openPaperJournal.ts'
import type { JournalReader } from '../src/bot/journal/readJournal.ts'
import type { PaperTrain } from '../src/bot/life/drivePaper.ts'
import type { Drivetrain } from '../src/bot/life/train.ts'
import type { Signed } from '../src/bot/stages.ts'

// The compiler keeps paper from real money: each line below must not compile, and `tsc` fails if one does.
declare const journal: PaperJournal
declare const signed: Signed
declare const train: PaperTrain

// @ts-expect-error: books on paper have nothing that takes signed bytes, or what a chain did with them
void journal.attempts
// @ts-expect-error: nor a nonce to take or to give back
void journal.wallet.adopt
// @ts-expect-error: what is closed there never was signed
void journal.swaps.close({ swapId: '', as: 'REVERTED', code: '', reason: '' })
// @ts-expect-error: nobody signs
void train.signer
// @ts-expect-error: a live swap needs a signer and a journal that takes bytes
train satisfies Drivetrain
// @ts-expect-error: the books on paper are no live books
journal satisfies Journal

/** Names of the methods of a journal, repository by repository, that are given signed bytes. */
type TakesSigned<books> = {
  [room in keyof books]: {
    [name in keyof books[room]]: books[room][name] extends (...given: infer given) => unknown
      ? Extract<given[number], Signed> extends never
        ? never
        : name
      : never
  }[keyof books[room]]
}[keyof books]

// The very same question finds them in the live journal, and in none of the others: whatever is added to those.
'commitSwap' satisfies TakesSigned<Journal>
'commitBump' satisfies TakesSigned<Journal>
// @ts-expect-error: no method on paper is given signed bytes
signed.hash satisfies TakesSigned<PaperJournal>
const none: TakesSigned<PaperJournal> | TakesSigned<JournalReader> = (() => {
  throw new Error('types only')
})()
none satisfies never
