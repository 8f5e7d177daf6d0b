import { encodeFunctionData, maxUint256, parseAbi } from 'viem'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import { getCode } from '../chain/calls/account.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { assert } from '../core/assert.ts'
import type { Address } from '../core/token.ts'
import { anvilCalls } from '../sandbox/startAnvil.ts'
import type { DrillScene } from './createForger.ts'
import type { BadToken, Stage, TokenLie } from './lie.ts'

const lie = (
  name: string,
  what: string,
  wish: NonNullable<TokenLie['wish']>,
  more: Partial<TokenLie> = {},
): TokenLie => ({ kind: 'token', name, what, wish, ...more })

/** PUSH0 MSTORE of a word that is all zeros, or all ones, and return it: to every question. */
const answersZero: Hex = '0x5f5f5260205ff3'
const answersMost: Hex = '0x5f195f5260205ff3'

const becomes =
  (symbol: BadToken, code: Hex) =>
  async ({ rpc, scene }: Stage) => {
    await rpc.request(anvilCalls.setCode(addressOf(symbol, scene), code))
  }

/** Another contract of the same storage at the same address: a proxy was upgraded. */
const turnsInto =
  (symbol: BadToken, other: BadToken) =>
  async ({ rpc, scene }: Stage) => {
    const code = await rpc.request(getCode(addressOf(other, scene)))
    await rpc.request(anvilCalls.setCode(addressOf(symbol, scene), code))
  }

const stealing = parseAbi(['function transferFrom(address from, address to, uint256 amount)'])
const thief: Address = '0x00000000000000000000000000000000000000d4'

/** Tokens that do not do what a transfer should. */
export const tokenLies: readonly TokenLie[] = [
  lie('fee-on-transfer-sold', 'Less of the sold token arrives than was sent.', 'XLEAKY'),
  lie('fee-on-transfer-bought', 'Less of the bought token arrives than was sent.', 'buy XLEAKY'),
  lie('fee-appears', 'The sold token begins to keep a fee.', 'XLIST', {
    turn: turnsInto('XLIST', 'XLEAKY'),
  }),
  lie('wallet-blocked', 'The token has put the wallet on its list.', 'XLIST', {
    turn: ({ own, scene }) => own('XLIST', 'setBlocked', [scene.wallet, true]),
  }),
  lie('recipient-blocked', 'What is bought cannot be received.', 'buy XLIST', {
    turn: ({ own, scene }) => own('XLIST', 'setBlocked', [scene.wallet, true]),
  }),
  lie('router-blocked', 'The token has put the router on its list.', 'XLIST', {
    turn: ({ own, scene }) => own('XLIST', 'setBlocked', [scene.router, true]),
  }),
  lie('token-vanishes', 'The token is no longer there.', 'XLIST', { turn: becomes('XLIST', '0x') }),
  lie('token-says-nothing', 'The token answers zero and does nothing.', 'XLIST', {
    turn: becomes('XLIST', answersZero),
  }),
  lie('token-says-everything', 'The token answers yes to everything and does nothing.', 'XLIST', {
    turn: becomes('XLIST', answersMost),
  }),
  lie('hook-reenters', 'The token calls the router while it is transferred.', 'XHOOK', {
    turn: ({ own, scene }) =>
      own('XHOOK', 'setHook', [
        scene.router,
        encodeFunctionData({ abi: swapRouterAbi, functionName: 'exactInput', args: [nothing] }),
        true,
      ]),
  }),
  lie(
    'hook-steals',
    'While it is transferred the token takes what it was once allowed to.',
    'XHOOK',
    {
      prepare: ({ wallet, scene }) =>
        wallet(symbolOf(third(scene), scene), 'approve', [addressOf('XHOOK', scene), maxUint256]),
      turn: ({ own, scene }) =>
        own('XHOOK', 'setHook', [
          third(scene),
          encodeFunctionData({
            abi: stealing,
            functionName: 'transferFrom',
            args: [scene.wallet, thief, 1n],
          }),
          false,
        ]),
    },
  ),
]

/** Arguments that decode and mean nothing. */
const nothing = {
  orders: '0x',
  recipient: thief,
  amountIn: 0n,
  amountOutMinimum: 0n,
  toWrap: false,
  toUnwrap: false,
  widgetFee: { signer: thief, feeRecipient: thief, feeRate: 0n },
  widgetFeeSignature: '0x',
  fallbackSwapDataArray: [],
} as const

/** The token neither sold nor bought when a token of the drill is sold for the wrapped currency. */
const third = ({ wrapped, sold, bought }: DrillScene) => (bought === wrapped ? sold : bought)

function addressOf(symbol: string, { tokens }: DrillScene): Address {
  const token = tokens[symbol]
  assert(token !== undefined, 'the world of the drill has its own tokens')
  return token.address
}

function symbolOf(address: Address, { tokens }: DrillScene): string {
  const [found] = Object.entries(tokens).find(([, token]) => token.address === address) ?? []
  assert(found !== undefined, 'what is swapped is a token of the world')
  return found
}
