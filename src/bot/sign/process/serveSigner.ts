import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { keccak256, stringToHex } from 'viem'
import type { Hex } from '../../../chain/calls/fields.ts'
import { type Permit, permitHash } from '../../../chain/settlement/permit.ts'
import { show } from '../../../core/amount.ts'
import { bareRefusal } from '../../../core/check.ts'
import type { Clock } from '../../../core/clock.ts'
import { BallastError, ballastError } from '../../../core/errors.ts'
import type { Address } from '../../../core/token.ts'
import type { KeyHolder } from '../createSigner.ts'
import type { Spend } from './dayLimits.ts'
import { type Judged, judgeRequest, type SignerLimits } from './judge.ts'
import { judgePermit } from './judgePermit.ts'
import { listenPrivately } from './listenPrivately.ts'
import { readLine, request, type SignerAnswer } from './messages.ts'
import type { DayCount } from './openDayCount.ts'
import { refused } from './readRequest.ts'

/** One answer, for the log. Never holds a signature: a reader of logs cannot send. */
export type SigningDecision = {
  readonly asked: string
  readonly answered: 'signed' | 'refused'
  readonly rule?: string
  readonly reason?: string
  readonly kind?: string
  readonly sold?: string
  readonly permitted?: string
  readonly nonce?: number
  /** Of the unsigned bytes, or of the permit. */
  readonly digest?: Hex
}

type Signing = {
  readonly holder: KeyHolder
  readonly limits: SignerLimits
  readonly dayCount: DayCount
  readonly clock: Clock
  readonly onDecision: (decision: SigningDecision) => void
}

/** A bot of ours writes its line at once. */
const exchangeMs = 5_000
const connectionsMax = 8

/** Signs within the limits, for each user who may open the socket, one request after the other. */
export async function serveSigner({
  socket: path,
  ...signing
}: Signing & { readonly socket: string }): Promise<{ close(): Promise<void> }> {
  let before: Promise<unknown> = Promise.resolve()
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    AbortSignal.timeout(exchangeMs).addEventListener('abort', () => socket.destroy())
    readLine(socket).then(
      (line) => {
        before = before.then(async () => {
          // The client has gone: an abandoned request is not signed, and not counted.
          if (socket.destroyed) return
          socket.end(`${JSON.stringify(await answerTo(line, signing))}\n`)
        })
      },
      () => socket.destroy(),
    )
  })
  server.maxConnections = connectionsMax

  await listenPrivately(path, {
    async listen() {
      server.listen(path)
      await once(server, 'listening')
    },
    inUse: ballastError('SIGNER_RUNNING', 'Another signer listens on this socket.', {
      socket: path,
    }),
  })
  return {
    async close() {
      server.close()
      await before
      for (const socket of open) socket.destroy()
    },
  }
}

async function answerTo(line: string, signing: Signing): Promise<SignerAnswer> {
  const { holder, onDecision } = signing
  let asked = 'unreadable'
  try {
    const question = request.parse(parsed(line))
    asked = question.ask
    if (question.ask === 'address') return { address: holder.address }
    const { signed, ...what } =
      question.ask === 'permit'
        ? await signPermit(question.permit, signing)
        : await signTransaction(question.unsigned, signing)
    onDecision({ asked, answered: 'signed', ...what })
    return { signed }
  } catch (error) {
    const { rule, reason } = explain(error)
    onDecision({ asked, answered: 'refused', rule, reason })
    return { refused: { code: rule, reason } }
  }
}

type SignedAs = Omit<SigningDecision, 'asked' | 'answered'> & { readonly signed: Hex }

async function signTransaction(
  unsigned: Hex,
  { holder, limits, dayCount }: Signing,
): Promise<SignedAs> {
  const judged = await judgeRequest(unsigned, { wallet: holder.address, limits })
  const { kind, transaction, sold } = judged
  dayCount.count(spendOf(judged, { account: holder.address, limits }), limits)
  return {
    signed: await holder.signTransaction(transaction),
    kind,
    nonce: transaction.nonce,
    digest: keccak256(unsigned),
    ...(sold === undefined ? {} : { sold: show(sold) }),
  }
}

async function signPermit(
  permit: Permit,
  { holder, limits, dayCount, clock }: Signing,
): Promise<SignedAs> {
  const account = holder.address
  const permitted = judgePermit(permit, { wallet: account, limits, now: clock.now() })
  if (holder.signPermit === undefined) throw refused('NO_PERMITS', 'its key signs no permits')
  // It takes no place in the chain's order and pays for no gas.
  const free = { nonce: undefined, gas: 0n, value: 0n, sale: undefined }
  dayCount.count({ ...free, chainId: permit.chainId, account }, limits)
  return {
    signed: await holder.signPermit(permit),
    kind: 'PERMIT',
    digest: permitHash(permit),
    permitted: show(permitted),
  }
}

function spendOf(
  { transaction, sold }: Judged,
  { account, limits: { tokens } }: { account: Address; limits: SignerLimits },
): Spend {
  const { chainId, nonce, to, gas, maxFeePerGas, value, data } = transaction
  // What it does and the one place in the chain's order that it can have, whatever it pays for gas.
  const id = keccak256(stringToHex([chainId, nonce, to.toLowerCase(), value, data].join(' ')))
  const perDay = tokens.find(({ token }) => token.address === sold?.token.address)?.perDay ?? 0n
  return {
    chainId,
    account,
    nonce,
    gas: gas * maxFeePerGas,
    value,
    sale: sold && { id, sold, perDay },
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Fails closed: whatever goes wrong, nothing is signed. */
function explain(error: unknown): { rule: string; reason: string } {
  if (error instanceof BallastError)
    return {
      rule: String(error.facts.rule ?? error.code),
      reason: bareRefusal(error.summary).slice(0, 1_000),
    }
  if (error instanceof Error && error.name === 'ZodError')
    return { rule: 'MALFORMED', reason: 'the request is not one of this protocol' }
  return { rule: 'INTERNAL', reason: 'the signer failed' }
}
