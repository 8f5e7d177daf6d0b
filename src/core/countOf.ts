/** `1 block`, `2 blocks`: a number and its noun. */
export const countOf = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : `${noun}s`}`
