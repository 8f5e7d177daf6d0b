import { join } from 'node:path'
import { expect } from 'vitest'
import type { Output } from './masked.ts'

/**
 * Holds all that a command said to `golden/<file>.txt`, where its folder is `/folder`. `npx vitest run <the test> -u` writes
 * the file anew: read the difference before it is committed.
 */
export async function expectGolden(
  file: string,
  { code, stdout, stderr }: Output,
  { folder }: { readonly folder: string },
): Promise<void> {
  const text = `exit code ${code}\n${stdout}${stderr === '' ? '' : `\non stderr:\n${stderr}`}`
  await expect(text.replaceAll(folder, '/folder').replaceAll('\r\n', '\n')).toMatchFileSnapshot(
    join(import.meta.dirname, 'golden', `${file}.txt`),
  )
}
