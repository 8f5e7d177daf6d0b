/** Rows without a test, each with its reason. */
export const uncovered: Readonly<Record<string, string>> = {}
