import { erc20Abi } from '../../chain/abi/contracts.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { type BallastError, ballastError } from '../../core/errors.ts'
import { type Address, isNative, type Token } from '../../core/token.ts'
import type { Reading } from '../stages.ts'
import type { VirtualMoney, WalletSlots } from './overrideCall.ts'

/**
 * Refuses, before any request, a swap that could not be played through with virtual money: of a token whose balance on
 * paper is not the wallet's own, and cannot be written into a simulation. Nothing of it is ever made up.
 */
export function createPaperFund(
  fund: Reading['fund'],
  {
    rpc,
    slots,
    money,
  }: {
    /** The chain as it is. */
    rpc: Rpc
    slots: WalletSlots
    money: () => Promise<VirtualMoney>
  },
): Reading['fund'] {
  return async (planned) => {
    const { intent, wallet } = planned
    const { balances } = await money()
    const hidden = [intent.sell.token, intent.buy].filter(
      (token) => !isNative(token) && !slots.balances.has(token.address.toLowerCase()),
    )
    for (const token of hidden) {
      const real = await rpc.request(holding(token, wallet))
      const virtual = balances.get(token.address.toLowerCase())
      if (virtual !== real) throw unknownSlot(token, { virtual, real })
    }
    return fund(planned)
  }
}

const holding = ({ address }: Token, wallet: Address) =>
  readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })

function unknownSlot(
  { symbol, decimals }: Token,
  { virtual, real }: { virtual: bigint | undefined; real: bigint },
): BallastError {
  const show = (wei: bigint | undefined) =>
    wei === undefined ? undefined : `${formatDecimal(wei, decimals)} ${symbol}`
  return ballastError(
    'PAPER_SLOT_UNKNOWN',
    `Where ${symbol} keeps its balances cannot be told, so a swap with virtual ${symbol} cannot be played through.`,
    {
      onPaper: show(virtual),
      inTheWallet: show(real),
      next: 'use a node with debug_traceCall; where that does not tell either, this token can only be tried for real',
    },
  )
}
