/** A broken promise of our own code. Never caused by input: input is refused with its own error. */
class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed'
}

/** States what must hold; throws when our own code broke it. */
export function assert(holds: boolean, statement: string): asserts holds {
  if (!holds) throw new AssertionFailed(statement)
}
