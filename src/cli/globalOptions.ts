import type { OptionSpec } from './options.ts'

/** The options of every command. */
export const globalOptions = (file: string): readonly OptionSpec[] => [
  { flags: '-V, --version', summary: 'version and commit' },
  { flags: '--json', summary: 'one JSON document on stdout; logs on stderr' },
  { flags: '--config <file>', summary: `configuration file (default: $BALLAST_CONFIG or ${file})` },
  { flags: '--wallet <name>', summary: 'one of several wallets of the configuration' },
  { flags: '-q, --quiet', summary: 'log errors only' },
  { flags: '-v, --verbose', summary: 'log more: as LOG_LEVEL=debug' },
]
