import type { Memory } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { display } from '../core/display.ts'

type Telling = {
  /** The memory that a strategy wrote under other parameters. */
  readonly forgotten: (strategy: string, params: unknown) => Promise<Memory | undefined>
  /** A line for a person. */
  readonly say: (line: string) => void
}

/** Names what strategies remembered under other parameters, and lose: a carry, a target, a best price. */
export async function tellForgotten(
  strategies: readonly LoadedStrategy[],
  { forgotten, say }: Telling,
): Promise<void> {
  for (const { name, params } of strategies) {
    const notes = Object.entries((await forgotten(name, params)) ?? {})
    if (notes.length === 0) continue
    const shown = notes.map(([key, value]) => `${key} ${value}`).join(', ')
    say(
      `FORGOT  ${name}: its parameters have changed, and it begins without its notes of before: ${display(shown, 400)}`,
    )
  }
}
