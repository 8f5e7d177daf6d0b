/** A change of the code that no test can notice, and why. `from` is a text that its file has once. */
type EquivalentMutant = {
  readonly file: string
  readonly from: string
  readonly to: string
  readonly reason: string
}

export const equivalentMutants: readonly EquivalentMutant[] = [
  {
    file: 'src/bot/sign/process/listenPrivately.ts',
    from: 'chmodSync(path, 0o600)',
    to: ';',
    reason: 'the mask gave the socket this mode: a second line for a system that ignores masks',
  },
  {
    file: 'src/bot/sign/process/judge.ts',
    from: "assert(limit !== undefined, 'every token of every leg is listed')",
    to: ';',
    reason: 'a token without a limit was refused above: the line tells the compiler',
  },
  {
    file: 'src/bot/simulate/simulate.ts',
    from: 'feeMost: feeMost ?? 0n, bounds',
    to: 'feeMost: feeMost ?? 1n, bounds',
    reason: 'without a price of gas the check of its cost refuses the swap, whatever the fees are',
  },
  {
    file: 'src/bot/simulate/deltasOf.ts',
    from: '(wordOf(after[index]) ?? 0n)',
    to: '(wordOf(after[index]) ?? -1n)',
    reason: 'a balance that was not read refuses the swap by itself',
  },
  {
    file: 'src/bot/simulate/scenes.ts',
    from: 'const probeGas = 1_000_000n',
    to: 'const probeGas = 1000001n',
    reason: 'a ceiling: reading a balance takes a few thousand of it',
  },
]
