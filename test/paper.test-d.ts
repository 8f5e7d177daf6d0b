import type { PaperJournal } from '../src/bot/journal/openPaperJournal.ts'
import type { PaperTrain } from '../src/bot/life/drivePaper.ts'
import type { Drivetrain } from '../src/bot/life/train.ts'
import type { Signed } from '../src/bot/stages.ts'

// The compiler keeps paper from real money: each line below must not compile, and `tsc` fails if one does.
declare const journal: PaperJournal
declare const signed: Signed
declare const train: PaperTrain

// @ts-expect-error: books on paper take no signed bytes
void journal.commitSwap(signed, 1)
// @ts-expect-error: nor approvals
void journal.commitApproval(signed)
// @ts-expect-error: what was never sent is not settled by a receipt
void journal.settle
// @ts-expect-error: nobody signs
void train.signer
// @ts-expect-error: a live swap needs a signer and a journal that takes bytes
train satisfies Drivetrain
