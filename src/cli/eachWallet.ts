import { BallastError } from '../core/errors.ts'
import { exitCodes } from './exitCodes.ts'
import type { Terminal } from './terminal.ts'

type Ended = {
  readonly name: string
  readonly code: number
  /** It was about a strategy that this wallet does not have. */
  readonly isOfOthers: boolean
  /** Writes down what the command said. */
  readonly show: (terminal: Terminal) => void
  readonly documents: readonly unknown[]
}

type Each = {
  readonly names: readonly string[]
  readonly json: boolean
  readonly terminal: Terminal
  /** Runs the command for one wallet; returns its exit code. */
  readonly run: (name: string, terminal: Terminal) => Promise<number>
  /** Shows a failure; returns its exit code. */
  readonly report: (failure: unknown, terminal: Terminal) => number
}

/**
 * Runs a command for each wallet of a file, all at once: a halt is not kept waiting by the wallets before it. What each
 * says is shown under its name, or under its name in one JSON document. One that fails stops no other. Returns the highest
 * of the exit codes; one that says only that something is not known hides none of the others, and a wallet without the strategy
 * that another has does not count.
 */
export async function eachWallet({ names, json, terminal, run, report }: Each): Promise<number> {
  const ends = await Promise.all(
    names.map(async (name): Promise<Ended> => {
      const held = holdBack(terminal)
      let isOfOthers = false
      const code = await run(name, held.terminal).catch((failure: unknown) => {
        isOfOthers = failure instanceof BallastError && failure.code === 'UNKNOWN_STRATEGY'
        return report(failure, held.terminal)
      })
      return { name, code, isOfOthers, show: held.show, documents: held.documents }
    }),
  )
  if (json)
    terminal.json({
      wallets: Object.fromEntries(ends.map(({ name, documents: [document] }) => [name, document])),
    })
  else
    for (const { name, show } of ends) {
      terminal.out(`${ends[0]?.name === name ? '' : '\n'}== ${name}`)
      show(terminal)
    }
  const own = ends.filter(({ isOfOthers }) => !isOfOthers)
  const codes = (own.length === 0 ? ends : own).map(({ code }) => code)
  return Math.max(0, ...codes.filter((code) => !unknown.includes(code))) || Math.max(...codes)
}

const unknown: readonly number[] = [exitCodes.upstream, exitCodes.again]

/** A terminal that keeps what is said until it is shown. */
function holdBack(terminal: Terminal) {
  const said: ((to: Terminal) => void)[] = []
  const documents: unknown[] = []
  const keep =
    (name: 'out' | 'event' | 'note' | 'log') =>
    (text: string): void =>
      void said.push((to) => to[name](text))
  const held: Terminal = {
    columns: terminal.columns,
    out: keep('out'),
    event: keep('event'),
    note: keep('note'),
    log: keep('log'),
    json: (value) => void documents.push(value),
    jsonLine: (value) => void documents.push(value),
    async data(text) {
      said.push((to) => void to.data(text))
      return true
    },
    redraw: () => false,
    progress: () => false,
  }
  return {
    terminal: held,
    documents,
    show: (to: Terminal) => {
      for (const each of said) each(to)
    },
  }
}

/** The wallets of a file that a command was called for without a name. */
export const walletsOfFile = ({ facts }: BallastError): readonly string[] =>
  String(facts.known ?? '').split(', ')
