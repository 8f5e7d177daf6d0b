import type { Abi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { erc20Abi } from '../chain/abi/contracts.ts'
import { getTransactionCount } from '../chain/calls/account.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { getReceipt } from '../chain/calls/getReceipt.ts'
import { sendRawTransaction } from '../chain/calls/sendRawTransaction.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { assert } from '../core/assert.ts'
import type { Address } from '../core/token.ts'
import { ownArtifact } from '../sandbox/artifact.ts'
import { createSandboxSigner } from '../sandbox/signer.ts'
import { anvilCalls } from '../sandbox/startAnvil.ts'
import type { DrillScene } from './createForger.ts'
import type { BadToken, Stage } from './lie.ts'

const contracts = { XHOOK: 'ReentrantToken', XLIST: 'BlocklistToken' } as const

/** Acts on the chain of the drill in the name of its tokens' deployer, and of the wallet. */
export function createStage({
  rpc,
  scene,
  keys,
}: {
  rpc: Rpc
  scene: DrillScene
  keys: { readonly deployer: Hex; readonly wallet: Hex }
}): Stage {
  const call = async (
    key: Hex,
    { to, abi, name, args }: { to: Address; abi: Abi; name: string; args: readonly unknown[] },
  ) => {
    const account = privateKeyToAccount(key)
    const nonce = await rpc.request(getTransactionCount(account.address))
    const { chainId } = scene
    const raw = await createSandboxSigner({ account, chainId, nonce }).call(to, abi, name, args)
    const hash = await rpc.request(sendRawTransaction(raw))
    // The transaction may be mined an instant after its answer.
    await rpc.request(anvilCalls.mine)
    const receipt = await rpc.request(getReceipt(hash))
    assert(receipt?.success === true, `${name} of the drill is mined`)
  }
  const at = (symbol: string) => {
    const token = scene.tokens[symbol]
    assert(token !== undefined, 'the world of the drill has this token')
    return token.address
  }
  return {
    scene,
    rpc,
    own: (symbol, name, args) =>
      call(keys.deployer, { to: at(symbol), abi: abiOf(symbol), name, args }),
    wallet: (symbol, name, args) =>
      call(keys.wallet, { to: at(symbol), abi: erc20Abi, name, args }),
  }
}

function abiOf(symbol: BadToken): Abi {
  const contract = contracts[symbol as keyof typeof contracts]
  assert(contract !== undefined, 'only tokens with settings have an owner’s calls')
  return ownArtifact(contract).abi
}
