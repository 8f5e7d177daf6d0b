/** A change of the code that no test can notice, and why. `from` is a text that its file has once. */
type EquivalentMutant = {
  readonly file: string
  readonly from: string
  readonly to: string
  readonly reason: string
}

export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    file: 'src/service/route/balancePrices.ts',
    from: 'return imbalance <= imbalanceLast * whole',
    to: 'return imbalance < imbalanceLast * whole',
    reason: 'a computed double that equals the limit to its last bit is no better than one below',
  },
  {
    file: 'src/service/route/selections.ts',
    from: 'if (!search.least.some((each) => each > 0)) return start',
    to: ';',
    reason: 'where nobody has a minimum nobody gets less: the line saves a solution',
  },
  {
    file: 'src/app/chainNonce.ts',
    from: "=== 'number' ? 0 : finalityMsMax",
    to: "=== 'number' ? 1 : finalityMsMax",
    reason: 'the chain is read each half second: a millisecond more is no more patience',
  },
  {
    file: 'src/service/makers/sideOffer.ts',
    from: 'buyWei: 0n }',
    to: 'buyWei: -1n }',
    reason: 'no amount is below zero',
  },
  {
    file: 'src/bot/schedule/createPeriod.ts',
    from: 'period > 0',
    to: 'period > 1',
    reason: 'a schedule is of whole seconds: no period is a millisecond',
  },
  {
    file: 'src/bot/sign/process/judge.ts',
    from: "assert(limit !== undefined, 'every token of every leg is listed')",
    to: ';',
    reason: 'a token without a limit was refused above: the line tells the compiler',
  },
  {
    file: 'src/bot/sign/process/dayLimits.ts',
    from: 'wanted > counted',
    to: 'wanted >= counted',
    reason: 'equal amounts differ by nothing',
  },
  {
    file: 'src/bot/sign/process/serveSigner.ts',
    from: "socket.once('close', () => open.delete(socket))",
    to: ';',
    reason: 'to destroy a closed socket again does nothing: the line keeps the set small',
  },
  {
    file: 'src/bot/sign/process/serveSigner.ts',
    from: '?.perDay ?? 0n',
    to: '?.perDay ?? 1n',
    reason: 'a sale of a token without a limit was refused before: its line tells the compiler',
  },
  {
    file: 'src/bot/sign/process/serveSigner.ts',
    from: '?.perDay ?? 0n',
    to: '?.perDay ?? -1n',
    reason: 'a sale of a token without a limit was refused before: its line tells the compiler',
  },
  {
    file: 'src/bot/simulate/checkWitness.ts',
    from: 'a.number < b.number',
    to: 'a.number <= b.number',
    reason: 'equal heights were answered in the line before',
  },
  {
    file: 'src/bot/simulate/look.ts',
    from: "assert(result !== undefined, 'a scene is answered whole')",
    to: ';',
    reason: 'every answer was held to the length of its question: the line tells the compiler',
  },
  {
    file: 'src/bot/reconcile/reconcile.ts',
    from: 'for (let after = 0; ; )',
    to: 'for (let after = -1; ; )',
    reason: 'the log begins with entry 1',
  },
  {
    file: 'src/bot/reconcile/createAmountCheck.ts',
    from: 'soldBefore === undefined ||',
    to: 'soldBefore === undefined &&',
    reason:
      'one balance that is missing leaves the last one undefined: the line tells the compiler',
  },
  {
    file: 'src/bot/reconcile/createAmountCheck.ts',
    from: 'soldAfter === undefined ||',
    to: 'soldAfter === undefined &&',
    reason:
      'one balance that is missing leaves the last one undefined: the line tells the compiler',
  },
  {
    file: 'src/service/inventory/createInventory.ts',
    from: 'return left > 0n ? left : 0n\n  }\n  const freeFor',
    to: 'return left > -1n ? left : 0n\n  }\n  const freeFor',
    reason: 'nothing left is zero either way',
  },
  {
    file: 'src/bot/sign/process/readRequest.ts',
    from: 'return undefined',
    to: ';',
    reason: 'a function that ends without a return gives undefined',
  },
  {
    file: 'src/bot/sign/process/serveSigner.ts',
    from: 'return undefined',
    to: ';',
    reason: 'a function that ends without a return gives undefined',
  },
  {
    file: 'src/bot/sign/process/messages.ts',
    from: 'socket.destroy()\n        return',
    to: 'socket.destroy()\n        ;',
    reason: 'the line was refused and its connection ended: nothing more comes of it',
  },
  {
    file: 'src/story/month/readMonth.ts',
    from: 'strategy: undefined, swaps: 0',
    to: 'strategy: undefined, swaps: 1',
    reason:
      'the swaps of a month come from its books: a single one that the report keeps is not read',
  },
  {
    file: 'src/bot/journal/swaps/changeState.ts',
    from: "eb('version', '+', 1)",
    to: "eb('version', '+', 0)",
    reason: 'what is remembered by version is a swap that has ended, and nothing follows an end',
  },
  {
    file: 'src/app/dashboard/reportsView.ts',
    from: 'monthSpan(month, timeZone).from - 1)',
    to: 'monthSpan(month, timeZone).from - 2)',
    reason: 'two milliseconds before a month are of the month before, as one is',
  },
  {
    file: 'src/story/export/writeRows.ts',
    from: 'const piece = 64 * 1_024',
    to: 'const piece = 64 * 1025',
    reason: 'the same document, in pieces a thousandth larger',
  },
  {
    file: 'src/service/route/curves.ts',
    from: '2n ** 256n',
    to: '2n ** 257n',
    reason: 'no token has a supply of either',
  },
  {
    file: 'src/bot/strategy/trades.ts',
    from: 'total + one.off, 0n)',
    to: 'total + one.off, 1n)',
    reason: 'plans of as many swaps have as many groups, and each adds the same',
  },
  {
    file: 'src/app/fleet/serveFleet.ts',
    from: 'sum + one, 0)',
    to: 'sum + one, 1)',
    reason: 'of this number nothing is read but whether it changes',
  },
  {
    file: 'src/bot/strategy/trades.ts',
    from: 'without.short === 0n &&',
    to: 'without.short === 0n ||',
    reason:
      'around a ring of the cheapest flow any shift costs nothing: what falls short is less volume, what does not is as much',
  },
  {
    file: 'src/forecast/createZone.ts',
    from: 'start < until; start += dayMs',
    to: 'start <= until; start += dayMs',
    reason: 'the one step more is of no length: its clocks are as far ahead at both ends',
  },
  {
    file: 'src/core/textLayout.ts',
    from: '(spare * (lacks[column] ?? 0))',
    to: '(spare * (lacks[column] ?? 1))',
    reason: 'each column has what it lacks: the types alone do not know',
  },
]
