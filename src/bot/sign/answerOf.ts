import { display } from '../../core/display.ts'
import { BallastError, ballastError } from '../../core/errors.ts'

/** A signature takes milliseconds in a process and some hundred in a KMS; a quote lives for seconds. */
const signerTimeoutMs = 10_000

/**
 * The answer of a signer outside this process, within one deadline.
 *
 * A later answer is dropped: by then the swap may have ended. Every fault on the way is SIGNER_UNAVAILABLE; a refusal
 * of the signer's own, or of ours, passes as it is.
 */
export async function answerOf<answer>(
  {
    signer,
    timeoutMs = signerTimeoutMs,
    hint,
  }: { signer: string; timeoutMs?: number | undefined; hint?: string },
  ask: (deadline: AbortSignal) => Promise<answer>,
): Promise<answer> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const late = new Promise<never>((_, reject) => {
    deadline.addEventListener('abort', () => reject(deadline.reason))
  })
  try {
    return await Promise.race([ask(deadline), late])
  } catch (cause) {
    if (cause instanceof BallastError && cause.fault !== 'upstream') throw cause
    throw ballastError(
      'SIGNER_UNAVAILABLE',
      deadline.aborted
        ? `The ${signer} did not answer within ${timeoutMs} ms.`
        : `The ${signer} gave no signature.`,
      { reason: deadline.aborted ? undefined : reasonOf(cause), hint },
      cause,
    )
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof BallastError) return cause.message.replaceAll(/\n\s*/g, '; ')
  if (!(cause instanceof Error)) return 'unknown'
  const { code } = cause as NodeJS.ErrnoException
  // The first line: some libraries append whole requests.
  const [sentence = ''] = cause.message.split('\n')
  return `${code ?? cause.name}: ${display(sentence, 300)}`
}
