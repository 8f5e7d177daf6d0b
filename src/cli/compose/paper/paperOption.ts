/** Which journal is read or locked: that of runs on paper instead of the live one. */
export const paperOption = {
  flags: '--paper',
  summary: 'the journal of `ballast run --paper` instead of the live one',
} as const
