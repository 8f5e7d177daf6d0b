import { openTapeWriter } from '../openTapeWriter.ts'
import { generateTape } from './generateTape.ts'
import { type parseSynthetic, syntheticHeader } from './parseSynthetic.ts'

/** Writes a generated tape into a folder. */
export async function writeSynthetic(
  settings: ReturnType<typeof parseSynthetic>,
  { dir, bytesMax, signal }: { dir: string; bytesMax: number; signal: AbortSignal },
): Promise<{ readonly lines: number; readonly bytes: number }> {
  await using opened = new AsyncDisposableStack()
  const header = syntheticHeader(settings)
  const writer = opened.adopt(
    await openTapeWriter({ dir, bytesMax, header, note: () => {} }),
    (one) => one.close(),
  )
  let lines = 0
  for (const entry of generateTape(settings)) {
    signal.throwIfAborted()
    if (entry.kind !== 'line') continue
    await writer.append(entry.line)
    lines += 1
  }
  await opened.disposeAsync()
  return { lines, bytes: writer.size() }
}
