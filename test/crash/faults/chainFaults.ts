import { encodeFunctionData, type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import {
  acceptance,
  cancelIn,
  type Fault,
  onSwap,
  receipts,
  refusal,
  type Scene,
  swapIn,
} from '../fault.ts'
import type { Bend } from '../startFaultyNode.ts'

const beyondDeadline = 60

/** Once the node has shown the swap's receipt, history is written again. */
const afterReceipt =
  (rewrite: (scene: Scene & { readonly raw: Hex }) => Promise<void>) =>
  (scene: Scene): Bend => {
    let raw: Hex | undefined
    let done = false
    return async (exchange) => {
      raw = swapIn(exchange, scene) ?? raw
      const asks = exchange.calls.filter(({ method }) => method === receipts)
      if (done || raw === undefined || asks.length === 0) return undefined
      const answers = await exchange.forward()
      const own = answers.find(({ result }) => result?.transactionHash === keccak256(raw as Hex))
      if (own !== undefined) {
        done = true
        await scene.still(async () => {
          const depth = (await scene.chain.headNumber()) - Number(own.result.blockNumber) + 1
          await scene.chain.reorg(depth)
          await rewrite({ ...scene, raw: raw as Hex })
        })
      }
      return { answers }
    }
  }

/** Bytes that are accepted and never mined, while the deadline passes. */
const held =
  (onCancel: (scene: Scene & { readonly raw: Hex }) => Promise<void>) =>
  (scene: Scene): Bend => {
    let raw: Hex | undefined
    return async (exchange) => {
      const offered = swapIn(exchange, scene)
      if (offered !== undefined) {
        if (raw === undefined) await scene.chain.pass(beyondDeadline)
        raw = offered
        return acceptance(exchange, offered)
      }
      if (raw !== undefined && cancelIn(exchange, scene) !== undefined)
        await onCancel({ ...scene, raw })
      return undefined
    }
  }

/** The maker takes its money back: whatever it signed fails from then on. */
async function withdrawMaker({ chain, maker, usdc, router }: Scene): Promise<void> {
  await chain.ask('anvil_impersonateAccount', maker)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [router, 0n] })
  await chain.ask('eth_sendTransaction', { from: maker, to: usdc, data })
  await chain.mine()
}

/** A transaction of the wallet that the bot did not make. */
async function useKeyElsewhere({ chain, wallet }: Scene): Promise<void> {
  const nonce = Number(await chain.ask('eth_getTransactionCount', wallet.address, 'latest'))
  const raw = await privateKeyToAccount(wallet.privateKey).signTransaction({
    chainId: Number(await chain.ask('eth_chainId')),
    nonce,
    to: wallet.address,
    gas: 21_000n,
    maxFeePerGas: 100n * 10n ** 9n,
    maxPriorityFeePerGas: 50n * 10n ** 9n,
  })
  await chain.offer(raw)
  await chain.mine()
}

/** What the chain itself does. */
export const chainFaults: readonly Fault[] = [
  {
    id: 'CHAIN-01',
    what: 'a reorganisation drops the swap',
    begin: afterReceipt(async () => {}),
  },
  {
    id: 'CHAIN-02',
    what: 'a reorganisation puts it into another block',
    begin: afterReceipt(async ({ chain, raw }) => {
      await chain.mine()
      await chain.offer(raw)
      await chain.mine()
    }),
  },
  {
    id: 'CHAIN-03',
    what: 'a reorganisation puts it behind the deadline',
    begin: afterReceipt(async ({ chain, raw }) => {
      await chain.pass(beyondDeadline)
      await chain.offer(raw)
      await chain.mine()
    }),
  },
  {
    id: 'CHAIN-03 gone',
    what: 'a reorganisation drops it, and the deadline passes',
    begin: afterReceipt(async ({ chain }) => chain.pass(beyondDeadline)),
  },
  {
    id: 'CHAIN-04',
    what: 'a reorganisation makes it fail',
    begin: afterReceipt(async (scene) => {
      await withdrawMaker(scene)
      await scene.chain.offer(scene.raw)
      await scene.chain.mine()
    }),
  },
  {
    id: 'CHAIN-06',
    what: 'the base fee leaps after the signature',
    begin: onSwap(1, async (_, { chain }) => {
      await chain.ask('anvil_setNextBlockBaseFeePerGas', `0x${(20n * 10n ** 9n).toString(16)}`)
      await chain.mine()
      return undefined
    }),
  },
  {
    id: 'CHAIN-07',
    what: 'the first two offers get stuck',
    begin: onSwap(2, async (exchange, { raw }) => acceptance(exchange, raw)),
  },
  { id: 'CHAIN-08', what: 'stuck until the deadline has passed', begin: held(async () => {}) },
  {
    id: 'CHAIN-09',
    what: 'the original is mined before its cancellation',
    begin: held(async ({ chain, raw }) => {
      await chain.offer(raw)
      await chain.mine()
    }),
  },
  {
    id: 'CHAIN-10',
    what: 'the pool forgets it',
    begin: onSwap(1, async ({ forward }, { chain, raw, still }) =>
      still(async () => {
        const answers = await forward()
        await chain.drop(keccak256(raw))
        return { answers }
      }),
    ),
  },
  {
    id: 'CHAIN-11',
    what: 'somebody else uses the nonce',
    foreign: true,
    begin: onSwap(Number.POSITIVE_INFINITY, async (exchange, scene) => {
      await useKeyElsewhere(scene)
      await scene.chain.pass(beyondDeadline)
      return refusal(exchange, 'nonce too low', -32_003)
    }),
  },
  {
    id: 'CHAIN-13',
    what: 'somebody else uses the key while the bot is away',
    foreign: true,
    async afterDeath(scene) {
      await useKeyElsewhere(scene)
      await scene.chain.pass(beyondDeadline)
    },
  },
  {
    id: 'CHAIN-15',
    what: 'the chain’s time leaps while the bot is away',
    afterDeath: ({ chain }) => chain.pass(beyondDeadline),
  },
  {
    id: 'CHAIN-18',
    what: 'the swap is mined and fails',
    begin: onSwap(1, async (_, scene) => {
      await withdrawMaker(scene)
      return undefined
    }),
  },
]
