import { broadcast } from '../src/bot/broadcast/broadcast.ts'
import type {
  Funded,
  Journaled,
  Permitted,
  Plan,
  Planned,
  Quoted,
  Reading,
  Signed,
  Simulated,
  Verified,
} from '../src/bot/stages.ts'

// The compiler keeps the order of the stages: each line below must not compile, and `tsc` fails if one does.
declare const to: Parameters<typeof broadcast>[0]
declare const stages: Reading
declare const plan: Plan
declare const planned: Planned
declare const funded: Funded
declare const quoted: Quoted
declare const verified: Verified
declare const permitted: Permitted
declare const simulated: Simulated
declare const signed: Signed
declare const journaled: Journaled

// @ts-expect-error: policy has not seen the plan
void stages.fund(plan)
// @ts-expect-error: the allowance was not looked at
void stages.quote(planned)
// @ts-expect-error: not quoted
void stages.verify(funded)
// @ts-expect-error: not verified
void stages.permit(quoted)
// @ts-expect-error: policy has not seen the quote
void stages.simulate(verified)
// @ts-expect-error: not signed
void broadcast(to, simulated)
// @ts-expect-error: signed but not in the journal
void broadcast(to, signed)

void stages.simulate(permitted)
void broadcast(to, journaled)
