/** The command that starts the same bot for real, with the file that was named. */
export function runCall(configFile: string): string {
  return configFile === 'ballast.yaml' ? 'ballast run' : `ballast run --config '${configFile}'`
}
