import type { Abi } from 'viem'
import type { Hex } from '../chain/calls/fields.ts'
import { assert } from '../core/assert.ts'
import { parseDecimal } from '../core/decimal.ts'
import type { Address } from '../core/token.ts'
import type { Accounts, SandboxAccount } from './accounts.ts'
import type { SandboxSigner } from './signer.ts'
import type { SandboxWorld } from './world.ts'

export type PlacedToken = {
  readonly address: Address
  readonly abi: Abi
  readonly decimals: number
  readonly wrapsNative: boolean
}

export type Site = ReturnType<typeof createSite>

type SitePlan = {
  readonly world: SandboxWorld
  readonly accounts: Accounts
  readonly sign: (account: SandboxAccount) => SandboxSigner
}

/** A world that is being deployed: its signed transactions, in order, and the tokens placed so far. */
export function createSite(plan: SitePlan) {
  const deployer = plan.sign(plan.accounts.deployer)
  const raws: Hex[] = []
  const tokens = new Map<string, PlacedToken>()
  const put = async (signed: Promise<Hex>) => {
    raws.push(await signed)
  }
  const token = (symbol: string): PlacedToken => {
    const found = tokens.get(symbol)
    assert(found !== undefined, 'the world file names only its own tokens')
    return found
  }
  return {
    ...plan,
    deployer,
    raws,
    tokens,
    put,
    token,
    async deploy(...[artifact, args]: Parameters<SandboxSigner['deploy']>): Promise<Address> {
      const { address, raw } = await deployer.deploy(artifact, args)
      raws.push(raw)
      return address
    },
    async give(to: Address, symbol: string, decimal: string): Promise<void> {
      const { address, abi, decimals, wrapsNative } = token(symbol)
      const wei = parseDecimal(decimal, decimals)
      if (wei === 0n) return
      await put(deployer.call(address, abi, wrapsNative ? 'transfer' : 'mint', [to, wei]))
    },
  }
}
