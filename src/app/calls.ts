import { quotedWord } from '../core/shellWord.ts'

/** A command with the file that was named: pasted, it must not read another. */
export function callWith(configFile: string, command: string): string {
  return configFile === 'ballast.yaml' ? command : `${command} --config ${quotedWord(configFile)}`
}

/** The command that releases a lock, with the file that was named: pasted, it must not open another journal. */
export function resumeCall(configFile: string): string {
  const named = configFile === 'ballast.yaml' ? '' : ` --config ${quotedWord(configFile)}`
  return `ballast resume${named} --reason "…"`
}
