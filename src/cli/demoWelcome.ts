import { callWith } from '../app/calls.ts'
import { demoStrategies } from '../sandbox/demoMarket.ts'
import type { ReadyDocument } from '../sandbox/readyDocument.ts'

/** Where a configuration of the sandbox has the page. */
const pagePort = 8_787

/** The words of a demo's start, for a terminal of 80 columns: what runs, where to look, how to stop and what is next. */
export function demoWelcome(
  { chainId, rpcUrl, serviceUrl }: Pick<ReadyDocument, 'chainId' | 'rpcUrl' | 'serviceUrl'>,
  {
    port = pagePort,
    continued,
    configFile,
    program,
  }: {
    /** Of the page; undefined where the configuration chooses it, 0 for a free one. */
    readonly port: number | undefined
    readonly continued: boolean
    /** As a person would write it. */
    readonly configFile: string
    /** What a person types to call this program. */
    readonly program: string
  },
): string {
  const page =
    port === 0
      ? 'at the address that BALLAST says below, once the bot is up'
      : `http://127.0.0.1:${port} once the bot is up, in seconds: open it`
  const entries: readonly (readonly [string, string])[] = [
    ['page', page],
    ...demoStrategies.map(({ name, does }) => [name, does] as const),
    [
      'past',
      continued
        ? 'goes on from the last start; its seeded part is marked'
        : '30 days of worth before now are seeded: made up, and marked so',
    ],
    ['chain', `${rpcUrl}, id ${chainId}`],
    ['quotes', `${serviceUrl}, synthetic prices`],
    ['how well', callWith(configFile, `${program} report`)],
    ['stop', 'Ctrl-C; the next start goes on from there'],
    ['next', `docs/START.md, step 1: ${program} sandbox --data-dir market`],
  ]
  const width = Math.max(...entries.map(([label]) => label.length))
  return [
    '',
    'A treasury on a market of its own: made-up money, made-up prices, no network.',
    '',
    ...entries.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`),
    '',
  ].join('\n')
}
