import { keccak256, toHex } from 'viem'
import type { Hex } from '../chain/calls/fields.ts'
import { compiledAccount } from '../chain/crypto/compiledAccount.ts'
import type { SandboxWorld } from './world.ts'

/** A key of the sandbox. Everybody in the world knows it. */
export type SandboxAccount = {
  readonly key: Hex
  readonly account: ReturnType<typeof compiledAccount>
}

/** The actors of the sandbox. */
export type Accounts = {
  readonly deployer: SandboxAccount
  readonly feeSigner: SandboxAccount
  readonly feeRecipient: SandboxAccount
  readonly arbitrageur: SandboxAccount
  readonly wallets: ReadonlyMap<string, SandboxAccount>
  readonly makers: ReadonlyMap<string, SandboxAccount>
}

/** The published keys of every local development chain; a mainnet refuses them by name. */
const developmentKeys: readonly Hex[] = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
]

/** The same accounts for the same world, always. The treasury has the first key. */
export function accountsOf(world: SandboxWorld): Accounts {
  const { treasury: _, ...otherWallets } = world.wallets
  const wallets = ['treasury', ...Object.keys(otherWallets)]
  const makers = world.makers.map(({ name }) => name)
  const roles = ['deployer', 'feeSigner', 'feeRecipient', 'arbitrageur', ...makers]
  const all = [...wallets, ...roles].map((role, index) => accountAt(role, index))
  const at = (index: number): SandboxAccount => all[index] ?? accountAt('unreachable', index)
  const first = wallets.length
  return {
    wallets: new Map(wallets.map((wallet, index) => [wallet, at(index)])),
    deployer: at(first),
    feeSigner: at(first + 1),
    feeRecipient: at(first + 2),
    arbitrageur: at(first + 3),
    makers: new Map(makers.map((maker, index) => [maker, at(first + 4 + index)])),
  }
}

function accountAt(role: string, index: number): SandboxAccount {
  const key = developmentKeys[index] ?? keccak256(toHex(`ballast sandbox ${role}`))
  return { key, account: compiledAccount(key) }
}
