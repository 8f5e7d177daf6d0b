/** All that a command said, and its exit code. */
export type Output = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What differs from run to run, as zeros: of the same length where that is the same. */
export const masked = ({ code, stdout, stderr }: Output): Output => ({
  code,
  stdout: maskedText(stdout),
  stderr: maskedText(stderr),
})

const maskedText = (text: string) =>
  [
    /0x[0-9a-f]{40,}/gi,
    // Shortened, as in a name of doctor.
    /0x[0-9a-f]{4}…[0-9a-f]{4}\b/gi,
    // Heads of the log, checksums of tables, ids of swaps.
    /\b(?=[0-9a-f-]*[a-f])[0-9a-f-]{16,}\b/g,
    // One of them may have no letter.
    /(?<=\s)\d{16}(?=\s)/g,
    /\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g,
    /(?<=127\.0\.0\.1:)\d+/g,
    /(?<=gas )\d{6}/g,
    /(?<="openedAt":)\d+/g,
    /(?<=\.replaced-)\d+/g,
  ]
    .reduce(
      (text, pattern) => text.replaceAll(pattern, (found) => found.replaceAll(/[^\W_x]/g, '0')),
      text,
    )
    // A price of gas has zeros at its end now and then, which are not shown.
    .replaceAll(/\d+\.\d{12,}(?= ETH)|(?<= ETH \(-)[\d.]+/g, '0.000000000000')
    .replaceAll(/(?<=settled: )[\d.]+(?= ETH now)/g, '0.000000000000')
    .replaceAll(/(?<=gas 0{6} \()[\d.]+|(?<=pid )\d+/g, '0')
    .replaceAll(/[\d.]+(?= gwei)/g, '0')
    .replaceAll(/(?<=block\s+)\d+/g, '00')
    // It is shown some seconds later on a slow machine.
    .replaceAll(/(?<=good for\s+)2\d(?= s)/g, '30')
    .replaceAll(/\d+(?= s old)/g, '0')
    .replaceAll(/\d+(?= MiB)/g, '00000')
