import { display } from '../../core/display.ts'

/**
 * The semantic version of `#strategy`: a name or a meaning that goes takes a new first number, one that comes a new second.
 * test/bot/strategy/interfaceVersion.test.ts lists what it stands for.
 */
export const interfaceVersion = '1.2.0'

/** Why a strategy written for this version is not run; undefined where it is, and where it names none. */
export function otherVersion(written: unknown, version = interfaceVersion): string | undefined {
  if (written === undefined) return undefined
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})\.\d{1,6}$/.exec(String(written)) ?? []
  if (major === undefined)
    return `writtenFor is '${display(String(written), 32)}', which is no version: write for example '${version}'.`
  const [ownMajor, ownMinor] = version.split('.')
  if (major !== ownMajor)
    return `is written for version ${written} of #strategy, and this bot has ${version}: another first number is another interface, so adapt the file or run the bot that it was written for.`
  return Number(minor) > Number(ownMinor)
    ? `is written for version ${written} of #strategy, and this bot has ${version}: a newer bot runs it.`
    : undefined
}

/** The version that the text of a strategy names, for a file whose imports are of another one and cannot be loaded. */
export const versionNamed = (text: string): string | undefined =>
  /(?:^|[{,])\s*writtenFor:\s*(['"])([^'"\n]*)\1/m.exec(text)?.[2]
