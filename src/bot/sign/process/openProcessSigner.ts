import { connect } from 'node:net'
import { serializeTransaction } from 'viem'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import { answerOf } from '../answerOf.ts'
import type { KeyHolder } from '../createSigner.ts'
import { answer, type Request, readLine, type SignerAnswer } from './messages.ts'
import { refused } from './readRequest.ts'

/** A key in `ballast signer`, behind its Unix socket. */
export async function openProcessSigner({
  socket,
  timeoutMs,
}: {
  socket: string
  timeoutMs?: number | undefined
}): Promise<KeyHolder> {
  const ask = <key extends string>(question: Request, key: key) =>
    answerOf({ signer: `signer at ${socket}`, timeoutMs, hint }, async (deadline) => {
      const told = await exchange(question, { path: socket, deadline })
      if ('refused' in told) throw refusal(told.refused)
      const wanted = (told as Readonly<Record<string, `0x${string}` | undefined>>)[key]
      if (wanted === undefined) throw new Error(`asked for ${key}, answered something else`)
      return wanted
    })
  return {
    address: await ask({ ask: 'address' }, 'address'),
    signTransaction: (transaction) =>
      ask({ ask: 'sign', unsigned: serializeTransaction(transaction) }, 'signed'),
    async signPermit(permit) {
      if (permit.authorization !== undefined)
        throw refused('NO_TRANSFERS', 'it signs nothing for Permit2')
      const { authorization: _, wei, nonce, ...terms } = permit
      const asked = { ...terms, wei: `${wei}`, nonce: `${nonce}` }
      return ask({ ask: 'permit', permit: asked }, 'signed')
    },
  }
}

const hint = 'is `ballast signer` running?'

async function exchange(
  question: Request,
  { path, deadline }: { path: string; deadline: AbortSignal },
): Promise<SignerAnswer> {
  const connection = connect(path)
  deadline.addEventListener('abort', () => connection.destroy())
  try {
    connection.write(`${JSON.stringify(question)}\n`)
    return answer.parse(JSON.parse(await readLine(connection)))
  } finally {
    connection.destroy()
  }
}

/** The signer has rules of its own and knows why. A repeated request changes nothing. */
function refusal({ code, reason }: { code: string; reason: string }): BallastError {
  return ballastError('SIGNER_REFUSED', `The signer refused: ${reason}`, { rule: code })
}
