/** A command with the file that was named: pasted, it must not read another. */
export function callWith(configFile: string, command: string): string {
  return configFile === 'ballast.yaml' ? command : `${command} --config '${configFile}'`
}
