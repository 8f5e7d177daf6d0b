import { join } from 'node:path'
import { expect } from 'vitest'

/** What differs from run to run, as zeros of the same length where that is the same. */
const masked = (text: string, folder: string) =>
  [
    /0x[0-9a-f]{40,}/gi,
    // Heads of the log, checksums of tables, ids of swaps.
    /\b(?=[0-9a-f-]*[a-f])[0-9a-f-]{16,}\b/g,
    /\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g,
    /(?<=127\.0\.0\.1:)\d+/g,
    /(?<=gas )\d{6}/g,
    /(?<="openedAt":)\d+/g,
    /(?<=\.replaced-)\d+/g,
  ]
    .reduce(
      (text, pattern) => text.replaceAll(pattern, (found) => found.replaceAll(/[^\W_x]/g, '0')),
      text.replaceAll(folder, '/folder'),
    )
    .replaceAll(/\d+\.\d{12,}(?= ETH)|(?<= ETH \(-)[\d.]+/g, '0.000000000000')
    .replaceAll(/(?<=gas 0{6} \()[\d.]+|(?<=pid )\d+/g, '0')
    .replaceAll(/[\d.]+(?= gwei)/g, '0')
    .replaceAll(/(?<=block\s+)\d+/g, '00')
    .replaceAll(/\d+(?= s old)/g, '0')
    .replaceAll(/\d+(?= MiB)/g, '00000')

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/**
 * Holds all that a command said to `golden/<file>.txt`, with zeros for what no two runs share and `/folder` for its folder.
 * `npx vitest run <the test> -u` writes the file anew: read the difference before it is committed.
 */
export async function expectGolden(
  file: string,
  { code, stdout, stderr }: Ended,
  { folder }: { readonly folder: string },
): Promise<void> {
  const text = `exit code ${code}\n${stdout}${stderr === '' ? '' : `\non stderr:\n${stderr}`}`
  await expect(masked(text, folder)).toMatchFileSnapshot(
    join(import.meta.dirname, 'golden', `${file}.txt`),
  )
}
