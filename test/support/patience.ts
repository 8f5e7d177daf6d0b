/**
 * The product's own deadlines (a quote 3 s, a node and a signer 10 s) end what hangs, and no test: a machine may stand
 * still for longer. Those of a test that wants one to pass are shorter, or held (heldDeadlines.ts).
 */
const productMsMin = 2_000
const patienceMs = 240_000

const { timeout } = AbortSignal
const isPatient = Symbol.for('ballast.test.patience')
if (!Object.hasOwn(AbortSignal, isPatient)) {
  Object.defineProperty(AbortSignal, isPatient, { value: true })
  AbortSignal.timeout = (milliseconds) =>
    timeout(milliseconds < productMsMin ? milliseconds : Math.max(milliseconds, patienceMs))
}
