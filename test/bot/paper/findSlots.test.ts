import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVirtualRpc } from '../../../src/bot/paper/createVirtualRpc.ts'
import { findSlots } from '../../../src/bot/paper/findSlots.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import { getBalance } from '../../../src/chain/calls/account.ts'
import { getBlock } from '../../../src/chain/calls/node.ts'
import { readContract } from '../../../src/chain/calls/readContract.ts'
import { sendRawTransaction } from '../../../src/chain/calls/sendRawTransaction.ts'
import { type Play, simulate } from '../../../src/chain/calls/simulate.ts'
import { simulateByProbe } from '../../../src/chain/calls/simulateByProbe.ts'
import { type Address, nativeAddress, type Token } from '../../../src/core/token.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'

let fork: Fork
let wallet: Address
let router: Address
const stranger: Address = '0x00000000000000000000000000000000000a11ce'

const token = (symbol: string): Token => ({
  chainId: 31_337,
  symbol,
  decimals: 18,
  address: fork.ready.tokens[symbol]?.address as Address,
})
const eth: Token = { chainId: 31_337, symbol: 'ETH', decimals: 18, address: nativeAddress }
const key = (symbol: string) => token(symbol).address.toLowerCase()

beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  wallet = fork.ready.wallets.treasury?.address as Address
  router = fork.ready.router as Address
})
afterAll(() => fork.close())

const find = (...symbols: string[]) =>
  findSlots(fork.rpc, { wallet, router, tokens: symbols.map(token) })
const view = (symbol: string, functionName: 'balanceOf' | 'allowance', args: readonly Address[]) =>
  readContract({ address: token(symbol).address, abi: erc20Abi, functionName, args: args as never })

describe('findSlots', () => {
  test('of each token the slots of balance and allowance', async () => {
    const { balances, allowances } = await find('WETH', 'USDC', 'TETHER')
    for (const symbol of ['WETH', 'USDC', 'TETHER']) {
      expect(balances.get(key(symbol))).toMatch(/^0x[0-9a-f]{64}$/)
      expect(allowances.get(key(symbol))).toMatch(/^0x[0-9a-f]{64}$/)
    }
  })

  test('a token that keeps the balance there and says another one is not believed', async () => {
    // Twice what is stored under keccak256(owner ‖ 0), whatever it is asked.
    const twice = '0x600435600052600060205260406000205460020260005260206000f3'
    await fork.rpc.request(anvilCalls.setCode(token('DAI').address, twice))
    const { balances, allowances } = await find('DAI', 'USDC')
    expect([...balances.keys()]).toEqual([key('USDC')])
    expect([...allowances.keys()]).toEqual([key('USDC')])
  })
})

describe('createVirtualRpc', () => {
  async function virtual() {
    return createVirtualRpc({
      rpc: fork.rpc,
      wallet,
      router,
      slots: await find('WETH', 'USDC'),
      money: async () => ({
        balances: new Map([
          [nativeAddress.toLowerCase(), 11n],
          [key('WETH'), 22n],
          [key('USDC'), 33n],
          // Its slot was not looked for.
          [key('TETHER'), 44n],
        ]),
        allowances: [
          { token: token('WETH').address, spender: router, wei: 55n },
          { token: token('USDC').address, spender: stranger, wei: 66n },
        ],
      }),
      sentOn: async () =>
        [eth, token('USDC'), token('USDC')].map((one) => ({
          account: stranger,
          held: { token: one, wei: 7n },
        })),
    })
  }

  test('balances of the wallet are those on paper, at any block; of others as they are', async () => {
    const rpc = await virtual()
    const head = await rpc.request(getBlock('latest'))
    const at = { blockHash: head?.hash ?? '0x' } as const
    expect(await rpc.request(getBalance(wallet, at))).toBe(11n)
    expect(await rpc.request(view('WETH', 'balanceOf', [wallet]))).toBe(22n)
    expect(await rpc.request(view('TETHER', 'balanceOf', [wallet]))).toBe(44n)
    const others = [getBalance(router), view('USDC', 'balanceOf', [router])] as const
    expect(await rpc.batch(others)).toEqual(await fork.rpc.batch(others))
  })

  test('another account has what swaps brought it on top of its own, asked in any letter case', async () => {
    const rpc = await virtual()
    const [own, loud] = [await fork.rpc.request(getBalance(stranger)), stranger.toUpperCase()]
    expect(await rpc.request(getBalance(stranger))).toBe(own + 7n)
    expect(await rpc.request(getBalance(loud.replace('0X', '0x') as Address))).toBe(own + 7n)
    expect(await rpc.request(view('USDC', 'balanceOf', [stranger]))).toBe(14n)
    expect(await rpc.request(view('WETH', 'balanceOf', [stranger]))).toBe(0n)
  })

  test('allowances: what a swap on paper left, of the router alone', async () => {
    const rpc = await virtual()
    expect(await rpc.request(view('WETH', 'allowance', [wallet, router]))).toBe(55n)
    expect(await rpc.request(view('USDC', 'allowance', [wallet, stranger]))).toBe(0n)
  })

  test.each<[string, Play]>([
    ['eth_simulateV1', simulate],
    ['the probe', simulateByProbe],
  ])('%s: exactly the virtual money can be moved', async (_name, play) => {
    const rpc = await virtual()
    const transfer = (symbol: string, wei: bigint) => ({
      from: wallet,
      to: token(symbol).address,
      data: `0xa9059cbb${stranger.slice(2).padStart(64, '0')}${wei.toString(16).padStart(64, '0')}` as const,
      gas: 100_000n,
    })
    const pay = (value: bigint) => ({
      from: wallet,
      to: stranger,
      data: '0x' as const,
      value,
      gas: 50_000n,
    })
    const { results } = await rpc.request(
      play({
        calls: [transfer('WETH', 23n), transfer('WETH', 22n), transfer('USDC', 33n), pay(11n)],
      }),
    )
    expect(results.map(({ success }) => success)).toEqual([false, true, true, true])
    // One way refuses the whole scenario, the other says that the call fails.
    const paid = await rpc.request(play({ calls: [pay(12n)] })).then(
      (played) => played.results.map(({ success }) => success),
      () => [false],
    )
    expect(paid).toEqual([false])
  })

  test('nothing is ever sent through it', async () => {
    const rpc = await virtual()
    await expect(rpc.request(sendRawTransaction('0x02'))).rejects.toMatchObject({
      code: 'PAPER_SENDS_NOTHING',
    })
    await expect(rpc.batch([getBlock('latest'), sendRawTransaction('0x02')])).rejects.toMatchObject(
      {
        code: 'PAPER_SENDS_NOTHING',
      },
    )
  })
})
