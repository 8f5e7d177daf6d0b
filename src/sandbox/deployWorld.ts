import { createHash } from 'node:crypto'
import { keccak256, maxUint256 } from 'viem'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import { getCode, getTransactionCount } from '../chain/calls/account.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { getReceipt } from '../chain/calls/getReceipt.ts'
import { getBlock } from '../chain/calls/node.ts'
import { readContract } from '../chain/calls/readContract.ts'
import { sendRawTransaction } from '../chain/calls/sendRawTransaction.ts'
import type { Rpc, RpcOutcome } from '../chain/rpc/rpc.ts'
import { assert } from '../core/assert.ts'
import { parseDecimal } from '../core/decimal.ts'
import { compactJson } from '../core/json.ts'
import type { Address } from '../core/token.ts'
import { zeroAddress } from '../core/token.ts'
import type { Accounts, SandboxAccount } from './accounts.ts'
import { ownArtifact } from './artifact.ts'
import { feedAnswer, feedDecimals } from './followFeeds.ts'
import { placeMulticall3 } from './placeMulticall3.ts'
import { placePermit2 } from './placePermit2.ts'
import type { Deployment } from './readyDocument.ts'
import { createSandboxSigner, type SandboxSigner } from './signer.ts'
import { createSite, type PlacedToken, type Site } from './site.ts'
import { anvilCalls } from './startAnvil.ts'
import { placePoolV2, placeUniswapV2 } from './uniswapV2.ts'
import { placePoolV3, placeUniswapV3, type UniswapV3 } from './uniswapV3.ts'
import type { SandboxWorld } from './world.ts'
import { dollarsOf } from './writeConfig.ts'

const tokenContracts = {
  plain: 'Token',
  permit: 'PermitToken',
  'no-return': 'NoReturnToken',
  'false-return': 'FalseReturnToken',
  'fee-on-transfer': 'FeeOnTransferToken',
  reentrant: 'ReentrantToken',
  blocklist: 'BlocklistToken',
} as const

const ether = 10n ** 18n

/** References look ten blocks back. */
const pastBlocks = 10

/**
 * Puts a world on a chain that mines only on command: all transactions are signed first, sent in one batch and mined in
 * one block, so it takes as long as a few round trips and moves the chain's clock by nothing.
 */
export async function deployWorld(
  rpc: Rpc,
  { world, accounts }: { world: SandboxWorld; accounts: Accounts },
): Promise<Deployment> {
  await fundAccounts(rpc, { world, accounts })
  const sign = await signersOf(rpc, { chainId: world.chain.chainId, accounts })
  const site = createSite({ world, accounts, sign })
  const wrapped = await placeTokens(site)
  const { factory, v3, pools } = await placePools(site, wrapped)
  const router = await site.deploy(ownArtifact('SwapRouter'), [
    wrapped.address,
    factory,
    v3?.factory ?? zeroAddress,
    site.deployer.address,
    accounts.feeSigner.account.address,
  ])
  await stockMakers(site, router)
  await fillWallets(site)
  await equipArbitrageur(site, v3)
  const feeds = new Map<string, Address>()
  for (const [symbol, dollars] of dollarsOf(world)) {
    const args = [feedDecimals, `${symbol} / USD`, feedAnswer(dollars)]
    feeds.set(symbol, await site.deploy(ownArtifact('PriceFeed'), args))
  }
  await placePermit2(rpc, site)

  await mineAll(rpc, site.raws)
  // A look a few blocks back finds the world there already. These blocks take no time.
  await rpc.batch(Array.from({ length: pastBlocks }, () => anvilCalls.mine))
  await placeMulticall3(rpc)
  return describe(rpc, site, { router, pools, feeds, v3 })
}

/** All tokens; answers with the one that wraps the native currency, filled with what the world needs of it. */
async function placeTokens(site: Site): Promise<PlacedToken> {
  for (const [symbol, { decimals, wrapsNative, behaves }] of Object.entries(site.world.tokens)) {
    const artifact = ownArtifact(wrapsNative ? 'WrappedNative' : tokenContracts[behaves])
    const args = wrapsNative ? [symbol, symbol] : [symbol, symbol, decimals]
    const address = await site.deploy(artifact, args)
    site.tokens.set(symbol, { address, abi: artifact.abi, decimals, wrapsNative })
  }
  const wrapped = [...site.tokens.values()].find(({ wrapsNative }) => wrapsNative)
  assert(wrapped !== undefined, 'a world has a token that wraps the native currency')
  await site.put(site.deployer.pay(wrapped.address, wrappedNeeded(site.world)))
  return wrapped
}

async function placePools(site: Site, wrapped: PlacedToken) {
  const v2 = await placeUniswapV2(site)
  const hasV3 = site.world.pools.some(({ kind }) => kind === 'uniswap-v3')
  const v3 = hasV3 ? await placeUniswapV3(site, wrapped) : undefined
  const pools: Address[] = []
  for (const pool of site.world.pools)
    if (pool.kind === 'uniswap-v2') pools.push(await placePoolV2(site, { pool, v2 }))
    else if (v3 !== undefined) pools.push(await placePoolV3(site, { pool, v3 }))
  return { factory: v2.factory, v3, pools }
}

async function stockMakers(
  { world, accounts, sign, put, give, token }: Site,
  router: Address,
): Promise<void> {
  for (const { name, inventory } of world.makers) {
    const maker = accounts.makers.get(name)
    assert(maker !== undefined, 'each maker has an account')
    const signer = sign(maker)
    for (const [symbol, decimal] of Object.entries(inventory)) {
      await give(signer.address, symbol, decimal)
      const { address, abi } = token(symbol)
      await put(signer.call(address, abi, 'approve', [router, maxUint256]))
    }
  }
}

async function fillWallets({ world, accounts, give }: Site): Promise<void> {
  for (const [name, holdings] of Object.entries(world.wallets)) {
    const wallet = accounts.wallets.get(name)
    assert(wallet !== undefined, 'each wallet has an account')
    for (const [symbol, decimal] of Object.entries(holdings))
      if (symbol !== 'native') await give(wallet.account.address, symbol, decimal)
  }
}

/** Tokens to move the pools along the price: enough to turn each of them over many times. */
async function equipArbitrageur(
  { world, accounts, sign, put, give, token }: Site,
  v3: UniswapV3 | undefined,
): Promise<void> {
  const arbitrageur = sign(accounts.arbitrageur)
  for (const { symbol, decimal } of pooled(world))
    await give(arbitrageur.address, symbol, `${decimal.split('.')[0]}00`)
  if (v3 === undefined) return
  for (const symbol of new Set(pooled(world).map((each) => each.symbol))) {
    const { address, abi } = token(symbol)
    await put(arbitrageur.call(address, abi, 'approve', [v3.swapRouter, maxUint256]))
  }
}

/** On a fork of a public chain these accounts may have delegated their code to a thief: it is removed. */
async function fundAccounts(
  rpc: Rpc,
  { world, accounts }: { world: SandboxWorld; accounts: Accounts },
): Promise<void> {
  const { deployer, feeSigner, feeRecipient, arbitrageur, makers, wallets } = accounts
  const workers = [deployer, arbitrageur, ...makers.values()]
  const all = [...workers, feeSigner, feeRecipient, ...wallets.values()]
  const outcomes = await rpc.batch([
    ...all.map(({ account }) => anvilCalls.setCode(account.address, '0x')),
    ...all.map(({ account }) => anvilCalls.setBalance(account.address, 0n)),
    ...workers.map(({ account }) => anvilCalls.setBalance(account.address, 1_000n * ether)),
    anvilCalls.setBalance(deployer.account.address, wrappedNeeded(world) + 1_000n * ether),
    ...Object.entries(world.wallets).flatMap(([name, { native = '0' }]) => {
      const wallet = wallets.get(name)
      return wallet === undefined
        ? []
        : [anvilCalls.setBalance(wallet.account.address, parseDecimal(native, 18))]
    }),
  ])
  outcomes.forEach(assertDone)
}

async function signersOf(
  rpc: Rpc,
  { chainId, accounts }: { chainId: number; accounts: Accounts },
): Promise<(account: SandboxAccount) => SandboxSigner> {
  const all = [accounts.deployer, accounts.arbitrageur, ...accounts.makers.values()]
  const nonces = await rpc.batch(all.map(({ account }) => getTransactionCount(account.address)))
  const signers = new Map(
    all.map(({ account }, index) => {
      const nonce = nonces[index]
      assert(nonce?.ok === true, 'the local chain answers')
      return [account.address, createSandboxSigner({ account, chainId, nonce: nonce.value })]
    }),
  )
  return ({ account }) => {
    const signer = signers.get(account.address)
    assert(signer !== undefined, 'only the deployer, the makers and the arbitrageur act here')
    return signer
  }
}

/** Every amount that lies in a pool. */
function pooled({ pools }: SandboxWorld): readonly { symbol: string; decimal: string }[] {
  return pools.flatMap((pool) => {
    const amounts =
      pool.kind === 'uniswap-v2' ? [pool.reserves] : pool.positions.map((each) => each.amounts)
    return amounts.flatMap(([a, b]) => [
      { symbol: pool.tokens[0], decimal: a },
      { symbol: pool.tokens[1], decimal: b },
    ])
  })
}

/** All of the wrapped currency the world names, and the arbitrageur's hundred times the pools. */
function wrappedNeeded(world: SandboxWorld): bigint {
  const wraps = (symbol: string) => world.tokens[symbol]?.wrapsNative === true
  const inPools = pooled(world)
    .filter(({ symbol }) => wraps(symbol))
    .reduce((sum, { decimal }) => sum + parseDecimal(decimal, 18), 0n)
  const held = [...world.makers.map(({ inventory }) => inventory), ...Object.values(world.wallets)]
    .flatMap((holdings) => Object.entries(holdings))
    .filter(([symbol]) => wraps(symbol))
    .reduce((sum, [, decimal]) => sum + parseDecimal(decimal, 18), 0n)
  return inPools * 101n + held
}

async function mineAll(rpc: Rpc, raws: readonly Hex[]): Promise<void> {
  const sent = await rpc.batch(raws.map(sendRawTransaction))
  await rpc.request(anvilCalls.mine)
  const hashes = sent.map((outcome) => {
    if (!outcome.ok) throw outcome.error
    return outcome.value
  })
  const receipts = await rpc.batch(hashes.map((hash) => getReceipt(hash)))
  receipts.forEach((outcome, index) => {
    if (!outcome.ok) throw outcome.error
    assert(outcome.value?.success === true, `transaction ${index} of the deployment succeeds`)
  })
}

async function describe(
  rpc: Rpc,
  { world, tokens }: Site,
  {
    router,
    pools,
    feeds,
    v3,
  }: {
    router: Address
    pools: readonly Address[]
    feeds: ReadonlyMap<string, Address>
    v3: UniswapV3 | undefined
  },
): Promise<Deployment> {
  const [head, code, executor] = await rpc.batch([
    getBlock('latest'),
    getCode(router),
    readContract({ address: router, abi: swapRouterAbi, functionName: 'executor', args: [] }),
  ])
  assert(head.ok && head.value !== undefined, 'the local chain has a head')
  assert(code.ok && code.value !== '0x', 'the router has code')
  assert(executor.ok, 'the router knows its executor')
  return {
    worldHash: worldHash(world),
    chainId: world.chain.chainId,
    block: head.value.number,
    router,
    routerCodeHash: keccak256(code.value),
    executor: executor.value,
    tokens: Object.fromEntries([...tokens].map(([symbol, { address }]) => [symbol, address])),
    pools: [...pools],
    feeds: Object.fromEntries(feeds),
    ...(v3 === undefined ? {} : { v3SwapRouter: v3.swapRouter }),
  }
}

/** Identifies a world by what is deployed for it. */
export function worldHash({ chain, tokens, pools, makers, prices, wallets }: SandboxWorld): string {
  const deployed = { chain, tokens, pools, makers, prices, wallets }
  return createHash('sha256').update(compactJson(deployed)).digest('hex')
}

function assertDone(outcome: RpcOutcome<unknown>): void {
  if (!outcome.ok) throw outcome.error
}
