import { keccak256 } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { offersPermit2 } from '../../bot/allowance/fund.ts'
import { readPermit } from '../../bot/allowance/readPermit.ts'
import { priorSwapGas } from '../../bot/market/createMarket.ts'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import { getBalance, getCode } from '../../chain/calls/account.ts'
import { getBalanceOf } from '../../chain/calls/getBalanceOf.ts'
import { getBlock, getChainId, hasBaseFee } from '../../chain/calls/node.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { createUsualCost } from '../../chain/rollup/bytesCost.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import type { Rpc, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { withRetries } from '../../chain/rpc/withRetries.ts'
import { isPermit2, permit2Address } from '../../chain/settlement/permit2.ts'
import { readTip } from '../../chain/tip.ts'
import { show } from '../../core/amount.ts'
import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import type { Secret } from '../../core/secret.ts'
import { type Address, isNative, sameAddress, sameToken, type Token } from '../../core/token.ts'
import { failureText } from '../failureText.ts'
import { openKeyHolder } from '../openKeyHolder.ts'
import { assertTracing, noBaseFee } from '../openMarket.ts'
import { examineFeeds } from './examineFeeds.ts'
import { examineFinality } from './examineFinality.ts'
import { examineProof } from './examineProof.ts'
import { examineSenders } from './examineSenders.ts'
import { examineSimulation } from './examineSimulation.ts'
import type { Finding, Scene } from './finding.ts'
import { noAnswer } from './noAnswer.ts'

/** A head older than this is a node that fell behind; no chain we know of is this slow. */
const headAgeSecondsMax = 120

/** Is the endpoint the right chain, and is what we trust on it what we think it is? */
export async function examineChain(scene: Scene): Promise<readonly Finding[]> {
  const { config, clock } = scene
  const rpc = withRetries(createRpc({ url: config.chain.rpcUrl.reveal(), timeoutMs: 10_000 }))
  try {
    const chainId = await rpc.request(getChainId)
    const right = chainId === config.chain.chainId
    const endpoint: Finding = {
      name: 'RPC endpoint',
      state: right ? 'ok' : 'fail',
      expected: `chain ${config.chain.chainId}`,
      actual: `${rpc.label} is chain ${chainId}`,
      fault: 'usage',
    }
    // On the wrong chain everything else would be wrong as well.
    if (!right) return [endpoint]
    if (!(await rpc.request(hasBaseFee)))
      return [endpoint, { name: 'base fee', state: 'fail', actual: noBaseFee, fault: 'usage' }]
    const found = await Promise.all([
      examineHead(rpc, clock.now()),
      examineFinality(rpc, config),
      examineGas(rpc, scene).catch((error: unknown) => noAnswer('gas of a swap', error)),
      examineContracts(rpc, config),
      examineTracing(rpc, config),
      examineSimulation(rpc, config),
      examineProof(rpc, config),
      examineOthers(scene),
      examineSenders(config),
      examineWallet(rpc, config),
      examineTokens(rpc, config),
      examinePermits(rpc, config),
      examineFeeds(rpc, config),
    ])
    return [endpoint, ...found.flat()]
  } catch (error) {
    return [noAnswer('RPC endpoint', error)]
  } finally {
    await rpc.close()
  }
}

/** What strategies weigh a swap against until one has settled: from then on it is what that one took. */
async function examineGas(rpc: Rpc, { config, clock }: Scene): Promise<Finding> {
  const { chain, policy, service, tokens } = config
  const scope = { router: service.router, chainId: chain.chainId }
  const [block, tip, bytes] = await Promise.all([
    rpc.request(getBlock('latest')),
    readTip({ rpc, witness: undefined, clock }, policy.tipMax),
    createUsualCost(rpc, scope)(),
  ])
  const gas = priorSwapGas(policy.gasMax) + (bytes.gas ?? 0n)
  const price = (block?.baseFeePerGas ?? 0n) + tip
  const wei = gas * price + (bytes.fee ?? 0n)
  return {
    name: 'gas of a swap',
    state: 'ok',
    actual: `${gas} are expected until one has settled: ${show({ token: tokens.native, wei })} now${bytes.fee === undefined ? '' : ', the fee of its bytes included'}`,
  }
}

async function examineHead(rpc: Rpc, now: number): Promise<Finding> {
  const block = await rpc.request(getBlock('latest'))
  const age = block === undefined ? undefined : Math.round(now / 1_000) - block.timestamp
  const fresh = age !== undefined && age <= headAgeSecondsMax
  return {
    name: 'newest block',
    state: fresh ? 'ok' : 'warn',
    expected: `at most ${headAgeSecondsMax} s old`,
    actual: block === undefined ? 'none' : `${block.number}, ${age} s old`,
  }
}

async function examineContracts(rpc: Rpc, { service }: Scene['config']) {
  const { profile } = service
  // A foreign router has no executor that we would know of: its own code is looked at twice.
  const executorAt = profile.kind === 'ballast' ? profile.executor : service.router
  const signer = profile.kind === 'ballast' ? profile.feeSigner : service.router
  const [router, executor, signs] = await rpc.batch([
    getCode(service.router),
    getCode(executorAt),
    readContract({
      address: service.router,
      abi: swapRouterAbi,
      functionName: 'isFeeSigner',
      args: [signer],
    }),
  ])
  return [
    examined('router', router, (code) => {
      if (code === '0x')
        return { state: 'fail', expected: 'a contract', actual: `no code at ${service.router}` }
      const hash = keccak256(code)
      return {
        state: hash === service.routerCodeHash ? 'ok' : 'fail',
        expected: service.routerCodeHash,
        actual: `code hash ${hash}`,
      }
    }),
    ...(profile.kind === 'opaque'
      ? []
      : [
          examined('executor', executor, (code) => ({
            state: code === '0x' ? 'fail' : 'ok',
            expected: 'a contract',
            actual: code === '0x' ? `no code at ${executorAt}` : executorAt,
          })),
          examined('fee signer', signs, (isKnown) => ({
            state: isKnown ? 'ok' : 'fail',
            expected: 'one that the router knows',
            actual: isKnown
              ? signer
              : `${signer} makes no swap settle: correct service.feeSigner, or let the router's owner add it`,
          })),
        ]),
  ]
}

/** Without traces, what a swap writes into its tokens is not seen. */
async function examineTracing(rpc: Rpc, config: Scene['config'], of = ''): Promise<Finding> {
  const name = `${of}call tracing`
  const { name: wallet } = config.wallet
  if (config.chain.tracing === 'unavailable')
    return {
      name,
      state: 'warn',
      expected: 'debug_traceCall',
      actual: `given up at ${config.locate(['chain', 'tracing'])}: what ${wallet}'s swaps write is not seen`,
    }
  try {
    await assertTracing(rpc, config)
    return { name, state: 'ok', actual: 'debug_traceCall answers' }
  } catch (error) {
    if (!(error instanceof BallastError) || error.fault !== 'usage') return noAnswer(name, error)
    return {
      ...{ name, state: 'fail', expected: 'debug_traceCall', fault: 'usage' },
      actual: error.summary,
    }
  }
}

/** The other nodes that are read: the second opinion on large swaps, and those that stand in for the first. */
async function examineOthers({ config }: Pick<Scene, 'config'>): Promise<readonly Finding[]> {
  const { witness, fallbackUrls } = config.chain
  const others = [
    ...(witness === undefined
      ? []
      : [
          {
            name: 'witness',
            rpc: openOther(witness.rpcUrl, 'chain.witness.rpcUrl or WITNESS_RPC_URL'),
          },
        ]),
    ...fallbackUrls.map((url, index) => ({
      name: `fallback ${index + 1}`,
      rpc: openOther(url, 'chain.fallbackUrls or FALLBACK_RPC_URLS'),
      isRead: true,
    })),
  ]
  return (await Promise.all(others.map((other) => examineOther(config, other)))).flat()
}

const openOther = (url: Secret, setBy: string) =>
  withRetries(createRpc({ url: url.reveal(), setBy }))

/** One that stands in is read for everything; a witness plays the swap, and confirms its death. */
async function examineOther(
  config: Scene['config'],
  { name, rpc, isRead = false }: { name: string; rpc: Rpc; isRead?: boolean },
): Promise<readonly Finding[]> {
  const { chain } = config
  const endpoint = `${name} endpoint`
  try {
    const chainId = await rpc.request(getChainId)
    const right = chainId === chain.chainId
    const found: Finding = {
      name: endpoint,
      state: right ? 'ok' : 'fail',
      expected: `chain ${chain.chainId}`,
      actual: `${rpc.label} is chain ${chainId}`,
      fault: 'usage',
    }
    if (!right) return [found]
    const tracing = isRead ? [await examineTracing(rpc, config, `${name} `)] : []
    const final = await examineFinality(rpc, config, `${name} `)
    return [found, ...final, ...tracing, ...(await examineSimulation(rpc, config, `${name} `))]
  } catch (error) {
    return [noAnswer(endpoint, error)]
  } finally {
    await rpc.close()
  }
}

async function examineWallet(rpc: Rpc, { wallet, tokens }: Scene['config']) {
  const [code, balance] = await rpc.batch([getCode(wallet.address), getBalance(wallet.address)])
  return [
    examined('wallet', code, (bytes) =>
      bytes === '0x'
        ? { state: 'ok', actual: wallet.address }
        : {
            state: 'warn',
            expected: 'an account without code',
            // EIP-7702: the account's delegate can move everything the account holds.
            actual: bytes.startsWith('0xef0100')
              ? `${wallet.address} delegates to 0x${bytes.slice(8)}, which can move all it holds`
              : `${wallet.address} is a contract`,
          },
    ),
    await examineKey(wallet),
    examined('balance for gas', balance, (wei) => ({
      state: wei > 0n ? 'ok' : 'fail',
      expected: `some ${tokens.native.symbol}`,
      actual: show({ token: tokens.native, wei }),
    })),
  ]
}

/** The holder of the key states its address. */
async function examineKey(wallet: Scene['config']['wallet']): Promise<Finding> {
  const { address, key, signer } = wallet
  const name = 'wallet key'
  if (key === undefined && signer.kind === 'environment')
    return { name, state: 'ok', actual: 'not set: dry runs only' }
  try {
    const holder = await openKeyHolder(wallet)
    await holder.close?.()
    return {
      name,
      state: sameAddress(holder.address, address) ? 'ok' : 'fail',
      expected: `the key of ${address}`,
      actual: `the key of ${holder.address}`,
      fault: 'usage',
    }
  } catch (error) {
    const upstream = error instanceof BallastError && error.fault === 'upstream'
    return {
      name,
      state: 'fail',
      expected: `the key of ${address}, from ${signer.kind}`,
      actual: failureText(error),
      fault: upstream ? 'upstream' : 'usage',
    }
  }
}

async function examineTokens(
  rpc: Rpc,
  { tokens, wallet }: Scene['config'],
): Promise<readonly Finding[]> {
  const listed = [...tokens.bySymbol.values()].filter((token) => !isNative(token))
  return Promise.all(listed.map((token) => examineToken(rpc, { token, owner: wallet.address })))
}

/** Whether each token that is given permits takes one, by its own word: the simulation of each swap has the last. */
async function examinePermits(
  rpc: Rpc,
  { policy, service, wallet: { address: wallet } }: Scene['config'],
): Promise<readonly Finding[]> {
  return Promise.all(
    policy.permits.map(async (token): Promise<Finding> => {
      const name = `permits of ${token.symbol}`
      try {
        const taken = await readPermit(rpc, { token, wallet, traced: false })
        if (taken !== undefined)
          return { name, state: 'ok', actual: `of ${taken.name}, version ${taken.version}` }
        const missing = policy.allowances.some((one) => sameToken(one.token, token))
          ? await permit2Missing(rpc, { router: service.router, chainId: token.chainId })
          : 'policy.allowances, which Permit2 needs, does not name it'
        const none = 'it takes none as EIP-2612 has them'
        return missing === undefined
          ? { name, state: 'ok', actual: `${none}: Permit2 moves it` }
          : { name, state: 'warn', actual: `${none}, and ${missing}: approvals do instead` }
      } catch (error) {
        return noAnswer(name, error)
      }
    }),
  )
}

/** Why no swap can bring a transfer through Permit2; undefined where one can. */
async function permit2Missing(
  rpc: Rpc,
  { router, chainId }: { router: Address; chainId: number },
): Promise<string | undefined> {
  const [permit2, code] = await Promise.all(
    [permit2Address, router].map((address) => rpc.request(getCode(address))),
  )
  if (!isPermit2(permit2 ?? '0x', chainId)) return 'this chain has no Permit2'
  return offersPermit2(code ?? '0x') ? undefined : 'the router is older than its call for Permit2'
}

async function examineToken(
  rpc: Rpc,
  { token, owner }: { readonly token: Token; readonly owner: Address },
): Promise<Finding> {
  const { address, symbol } = token
  const of = { address, abi: erc20Abi, args: [] } as const
  const [code, decimals, own, held] = await rpc.batch([
    getCode(address),
    readContract({ ...of, functionName: 'decimals' }),
    readContract({ ...of, functionName: 'symbol' }),
    getBalanceOf(token, owner),
  ])
  // Some answer with bytes, and some with nothing: those say nothing of the address.
  const other = own.ok && own.value !== symbol ? display(own.value, 32) : undefined
  const name = `token ${symbol}`
  if (code.ok && code.value === '0x')
    return {
      name,
      state: 'fail',
      expected: 'a contract',
      actual: `no code at ${address}`,
      fault: 'usage',
    }
  if (!held.ok) return noAnswer(`${name}: its balance`, held.error)
  return examined(name, decimals, (actual) => ({
    state: actual !== token.decimals ? 'fail' : other === undefined ? 'ok' : 'warn',
    expected: `${token.decimals} decimals${other === undefined ? '' : `, and ${symbol}`}`,
    actual: `${actual} decimals${other === undefined ? '' : `, and it calls itself ${other}`}`,
  }))
}

function examined<value>(
  name: string,
  outcome: RpcOutcome<value>,
  judge: (value: value) => Omit<Finding, 'name' | 'fault'>,
): Finding {
  if (outcome.ok) return { name, ...judge(outcome.value), fault: 'usage' }
  return noAnswer(name, outcome.error)
}
