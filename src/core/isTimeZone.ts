const known = new Map<string, boolean>()

/** Whether Intl knows a time zone by this IANA name, such as 'Europe/Berlin'. Offsets such as '+02:00' are none. */
export function isTimeZone(name: string): boolean {
  const found = known.get(name) ?? isKnownToIntl(name)
  // A configuration names a few; a question to Intl takes milliseconds.
  if (known.size < 100) known.set(name, found)
  return found
}

function isKnownToIntl(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    // Intl throws for a name it does not have, which is the answer.
    return false
  }
}
