/** A text as one word of a command for a shell of POSIX: pasted, it is read as it is written. */
export const shellWord = (text: string): string =>
  /^[\w./@:,+-]+$/.test(text) ? text : quotedWord(text)

/** The same, always in quotes. */
export const quotedWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
