import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Hex, keccak256, parseTransaction } from 'viem'
import type { Journal } from '../../../../src/bot/journal/openJournal.ts'
import { type Planned, pass, type Signed, type Simulated } from '../../../../src/bot/stages.ts'
import type { Check } from '../../../../src/core/check.ts'
import type { Random } from '../../../simulator/random.ts'
import { sampleBytes, sampleQuote } from '../sampleSwap.ts'

/**
 * What one swap of the demo left in its journal: the parts that differ from swap to swap, then the answer, the checks, the
 * simulation, the bytes, and those of its approval.
 */
const lines = readFileSync(join(import.meta.dirname, 'swap.txt'), 'utf8').split('\n')
const [fresh = '', ...texts] = lines
const parts = fresh.split(' ')

/** The texts with every such part anew, the same wherever it stands. */
function another(random: Random) {
  const digits = (length: number, of: string) =>
    Array.from({ length }, () => of[random.between(0, of.length - 1)]).join('')
  const renewed = parts.map(
    (part) =>
      [part, digits(part.length, /^\d+$/.test(part) ? '123456789' : '0123456789abcdef')] as const,
  )
  const renew = (text = '') =>
    renewed.reduce((changed, [part, value]) => changed.replaceAll(part, value), text)
  const [body = '', checks, simulation, raw, approval = ''] = texts
  return {
    body: renew(body),
    checks: JSON.parse(renew(checks)) as readonly Check[],
    simulation: JSON.parse(renew(simulation)) as { readonly appraisal: Simulated['appraisal'] },
    raw: renew(raw) as Hex,
    // Its signature, of which the middle byte is a length.
    approval:
      `${approval.slice(0, -130)}${digits(64, '123456789abcdef')}a0${digits(64, '123456789abcdef')}` as Hex,
    quoteId: `0x${digits(32, '0123456789abcdef')}` as Hex,
    authorization: `0x${digits(64, '0123456789abcdef')}` as Hex,
    block: `0x${digits(64, '0123456789abcdef')}` as Hex,
  }
}

/** The calldata in bytes that are no transaction any more, where that of the real ones was. */
function calldataIn(raw: Hex, like = ''): Hex {
  const { data = '0x' } = parseTransaction(like as Hex)
  const from = like.indexOf(data.slice(2))
  return `0x${raw.slice(from, from + data.length - 2)}`
}

function bytesOf(planned: Planned, like: { kind: Signed['kind']; raw: Hex; nonce: number }) {
  const { kind, raw, nonce } = like
  const signed = sampleBytes(planned, nonce, kind)
  const data = calldataIn(raw, texts[kind === 'APPROVE' ? 4 : 3])
  const { chainId } = planned.intent.sell.token
  const transaction = {
    ...signed.transaction,
    data,
    chainId,
    gas: 500_000n,
    maxFeePerGas: 1_021_000_000n,
  }
  return pass<Signed>({ ...signed, wallet: planned.wallet, raw, hash: keccak256(raw), transaction })
}

/** Takes a plan to its end as the bot does, with an approval before it: every text as long and as new as a real one. */
export async function settleReal(
  { swaps, attempts }: Journal,
  { planned, nonce, random }: { planned: Planned; nonce: number; random: Random },
): Promise<void> {
  const { swapId, intent } = planned
  const { block, ...seen } = another(random)
  await swaps.reserve(planned, () => {})
  const approval = bytesOf(planned, { kind: 'APPROVE', raw: seen.approval, nonce })
  const words = { block: 1, verdict: 'accepted', taken: true, words: 'accepted' } as const
  const receiptOf = ({ hash }: Signed) => ({
    ...{ hash, blockNumber: 20_000_000 + nonce, blockHash: block, success: true },
    ...{
      gasUsed: 181_006n,
      gasPaid: 227_180_991_871_006n,
      tipPaid: 181_006_000_000_000n,
      logs: [],
    },
  })
  await attempts.commitApproval(approval)
  await attempts.noteSent({ ...words, swapId, hash: approval.hash })
  await attempts.closeApproval({ hash: approval.hash, receipt: receiptOf(approval) })
  const swap = bytesOf(planned, { kind: 'SWAP', raw: seen.raw, nonce: nonce + 1 })
  const quoted = { ...sampleQuote(planned), ...seen, ...planned, ...seen.simulation }
  await attempts.commitSwap(swap, pass<Simulated>({ ...quoted, deadline: 1_795_390_028 } as never))
  await attempts.noteSent({ ...words, swapId, hash: swap.hash })
  await attempts.include({ swapId, receipt: receiptOf(swap) })
  const { sell, floor } = intent
  const measured = { sold: sell, received: floor, agrees: true, short: false, ...receiptOf(swap) }
  await attempts.settle({ swapId, measured })
}
