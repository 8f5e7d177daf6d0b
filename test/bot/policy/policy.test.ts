import { encodeFunctionData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { draft } from '../../../src/bot/policy/checkPlan.ts'
import { checkBands } from '../../../src/bot/policy/checkWorth.ts'
import { createInspect } from '../../../src/bot/policy/createInspect.ts'
import { createPermit } from '../../../src/bot/policy/createPermit.ts'
import type { Policy } from '../../../src/bot/policy/policy.ts'
import { type Means, proofOf } from '../../../src/bot/proof.ts'
import {
  type Appraisal,
  type Journaled,
  type Permitted,
  type Plan,
  pass,
  type Signed,
  type Simulated,
  type Spent,
  type Verified,
} from '../../../src/bot/stages.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { simulate } from '../../../src/chain/calls/simulate.ts'
import { simulateByProbe } from '../../../src/chain/calls/simulateByProbe.ts'
import {
  encodeExactInput,
  encodeExactInputWithPermit,
  encodeOrders,
} from '../../../src/chain/settlement/codec.ts'
import type { ExactInput, Order } from '../../../src/chain/settlement/order.ts'
import type { Permit, SignedPermit } from '../../../src/chain/settlement/permit.ts'
import { permit2Address } from '../../../src/chain/settlement/permit2.ts'
import { type Check, createChecklist, type Refused } from '../../../src/core/check.ts'
import { type Address, nativeAddress, type Token, usdOf } from '../../../src/core/token.ts'
import { blinded } from '../../support/blindChecks.ts'

vi.mock('../../../src/core/check.ts', async (original) => {
  const { blindChecks } = await import('../../support/blindChecks.ts')
  return blindChecks(await original())
})

const token = (symbol: string, digit: string): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 2,
})
const [weth, usdc, dai] = [token('WETH', '1'), token('USDC', '2'), token('DAI', '3')]
const ether: Token = { ...weth, symbol: 'ETH', address: nativeAddress }
const dollar = usdOf(1)
const account = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const wallet = account.address
const friend: Address = `0x${'b'.repeat(40)}`
const stranger: Address = `0x${'c'.repeat(40)}`
const router: Address = `0x${'d'.repeat(40)}`
const now = 1_800_000_000_000
const clock = { now: () => now, sleep: async () => {} }
const dollars = (wei: bigint) => ({ token: dollar, wei })

const policy: Policy = {
  tokens: [ether, weth, usdc],
  pairs: [
    [weth, usdc],
    [ether, usdc],
  ],
  recipients: [friend],
  allowances: [],
  permits: [],
  perSwap: [
    { token: weth, wei: 100n },
    { token: ether, wei: 100n },
  ],
  perDay: [
    { token: weth, wei: 250n },
    { token: ether, wei: 250n },
  ],
  notional: {
    perSwap: dollars(1_000n),
    perHour: dollars(2_000n),
    perDay: dollars(3_000n),
    perStrategy: dollars(2_500n),
  },
  proof: {},
  slippageBpsMax: 50,
  deviationBpsMax: 100,
  referencesMin: 2,
  stablecoins: [{ token: usdc, deviationBpsMax: 50 }],
  bands: [],
  cooldownMs: 30_000,
}
const plan: Plan = {
  swapId: 's',
  key: 'k',
  strategy: 'test',
  intent: {
    sell: { token: weth, wei: 100n },
    buy: usdc,
    floor: { token: usdc, wei: 30_000n },
    reason: '',
  },
  wallet,
  recipient: wallet,
  slippageBps: 50,
  expirySeconds: 30,
  indication: undefined,
  notional: dollars(1_000n),
}
const fair = (wei: bigint, source = 'a') => ({
  source,
  fair: { token: usdc, wei },
  independent: true,
  endpoints: [source],
  liarsMin: 1,
  at: now,
})
/** Rounded down from a third of so many units. */
const rounded = (wei: bigint, thirds: bigint, source = 'a') => ({
  ...fair(wei, source),
  exact: {
    sold: { token: weth, wei: 3n * plan.intent.sell.wei },
    bought: { token: usdc, wei: thirds },
  },
})
const appraisal: Appraisal = {
  askedAt: now - 30_000,
  references: [fair(30_000n), fair(30_100n, 'b')],
  absent: [],
  notional: dollars(1_000n),
  coin: dollars(10n),
  pegs: [{ token: usdc, offBps: -50 }],
}
const spent: Spent = {
  sold: 150n,
  hour: 1_000n,
  day: 2_000n,
  strategy: 1_500n,
  otherUnit: 0,
  lastAt: now - 30_000,
}

const order: Order = {
  id: 7n,
  signer: stranger,
  buyer: stranger,
  seller: wallet,
  buyerToken: usdc.address,
  sellerToken: weth.address,
  buyerTokenAmount: 30_200n,
  sellerTokenAmount: 100n,
  caller: wallet,
  quoteId: `0x${'ab'.repeat(16)}`,
  deadlineTimestamp: 1_800_000_030n,
}
const good: ExactInput = {
  orders: encodeOrders([{ order, signature: '0x' }]),
  recipient: wallet,
  amountIn: 100n,
  amountOutMinimum: 30_100n,
  toWrap: false,
  toUnwrap: false,
  widgetFee: { signer: stranger, feeRecipient: stranger, feeRate: 0n },
  widgetFeeSignature: '0x',
  fallbackSwapDataArray: [],
}
const reordered = (...orders: readonly Partial<Order>[]): Partial<ExactInput> => ({
  orders: encodeOrders(
    orders.map((changes) => ({ order: { ...order, ...changes }, signature: '0x' })),
  ),
})

const deadline = 1_800_000_030
const goodPermit: Permit = {
  ...{ name: 'Wrapped', version: '1', chainId: weth.chainId, token: weth.address },
  ...{ owner: wallet, spender: router, wei: 100n, nonce: 0n, deadline },
}
const signedPermit: SignedPermit = {
  deadline: BigInt(deadline),
  v: 27,
  r: `0x${'1'.repeat(64)}`,
  s: `0x${'2'.repeat(64)}`,
}
const authorization: Hex = `0x${'7'.repeat(64)}`
/** The same for Permit2: of this swap and its nonce alone. */
const goodTransfer: Permit = {
  ...{ chainId: weth.chainId, token: weth.address, authorization },
  ...{ owner: wallet, spender: router, wei: 100n, nonce: 5n, deadline },
}
const signedTransfer: SignedPermit = {
  nonce: 5n,
  deadline: BigInt(deadline),
  signature: `0x${'3'.repeat(130)}`,
}
const permit2 = {
  ...{ nonce: 5n, word: 0n, approvals: [], allowanceSlot: undefined, allowanceLeft: 0n },
}

/** The call with that permit and bytes behind it. */
const trailing: Hex = `${encodeExactInputWithPermit(good, signedPermit)}00`

/** Everything that proves a swap. */
const means: Means = { play: simulate, untraced: [], witness: { above: dollars(1n) } }

/** What a case bends; the rest is right. */
type Case = {
  readonly plan?: Partial<Plan>
  readonly policy?: Partial<Policy>
  readonly spent?: Partial<Spent>
  readonly appraisal?: Partial<Appraisal>
  readonly quote?: { readonly amountOut?: bigint; readonly minimum?: bigint }
  readonly seen?: boolean
  readonly means?: Partial<Means>
  /** What was verified, where it is not what was signed. */
  readonly verified?: { readonly data?: Hex; readonly value?: bigint }
  /** Through a router that cannot be read. */
  readonly opaque?: true
  /** What the bytes before them said. */
  readonly old?: Case['bytes']
  readonly gasPriceMax?: bigint
  /** What a permit says instead, and whether the bytes bring it along. */
  readonly permit?: Partial<Permit>
  readonly bears?: Partial<SignedPermit>
  /** The same of one for Permit2. */
  readonly transfer?: Partial<Permit>
  readonly moves?: Partial<SignedPermit>
  /** What the signed bytes say instead. */
  readonly bytes?: {
    readonly to?: Address
    readonly value?: bigint
    readonly data?: Hex
    readonly swap?: Partial<ExactInput>
    readonly gas?: bigint
    readonly nonce?: number
    readonly chainId?: number
    readonly maxFeePerGas?: bigint
    readonly maxPriorityFeePerGas?: bigint
    readonly accessList?: readonly { address: Address; storageKeys: readonly Hex[] }[]
  }
}

const intent = (changes: Partial<Plan['intent']>) => ({ intent: { ...plan.intent, ...changes } })
const planOf = (bent: Case): Plan => ({ ...plan, ...bent.plan })
const policyOf = (bent: Case): Policy => ({ ...policy, ...bent.policy })
const spentOf = (bent: Case): Spent => ({ ...spent, ...bent.spent })
const verifiedOf = (bent: Case): Verified =>
  pass<Verified>({
    ...planOf(bent),
    approvals: [],
    appraisal: { ...appraisal, ...bent.appraisal },
    call: { to: router, data: '0x', value: 0n },
    orders: [{ order, signature: '0x' }],
    swap: good,
    quoteId: order.quoteId,
    amountOut: { token: usdc, wei: bent.quote?.amountOut ?? 30_300n },
    minimum: { token: usdc, wei: bent.quote?.minimum ?? 29_799n },
    checks: [],
  } as unknown as Verified)

const signTransaction = async (
  { swap: _, ...bytes }: NonNullable<Case['bytes']>,
  kind: Signed['kind'],
): Promise<Signed> => {
  const fields = {
    to: router,
    value: 0n,
    data: encodeExactInput(good),
    chainId: 1,
    gas: 1n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    nonce: 0,
    ...bytes,
  }
  const raw = await account.signTransaction({ ...fields, type: 'eip1559' })
  return pass<Signed>({
    swapId: 's',
    kind,
    wallet,
    raw,
    hash: '0x',
    transaction: fields,
  })
}
const gasPriceMax = 10n ** 11n
const inspectOf = (bent: Case) =>
  createInspect({
    policy: policyOf(bent),
    spending: { spent: async () => spentOf(bent) },
    router,
    tokens: [ether, weth, usdc, dai],
    wrapped: weth,
    gasPriceMax: bent.gasPriceMax ?? gasPriceMax,
    clock,
  })

/** The looks of the policy. */
const looks = {
  async planning(bent: Case) {
    return draft(planOf(bent), { policy: policyOf(bent), spent: spentOf(bent), now, absent: [] })
  },
  async quoted(bent: Case): Promise<readonly Check[]> {
    const permit = createPermit({
      policy: policyOf(bent),
      spending: { spent: async () => spentOf(bent), quoteSeen: async () => bent.seen === true },
      means: { ...means, ...bent.means },
      clock,
    })
    return (await permit(verifiedOf(bent))).checks
  },
  async signed(bent: Case) {
    const { swap, ...rest } = bent.bytes ?? {}
    const sold = { ...good, ...swap }
    const [stored, borne] =
      bent.moves === undefined ? [signedPermit, bent.bears] : [signedTransfer, bent.moves]
    const data =
      rest.data ??
      (borne === undefined
        ? encodeExactInput(sold)
        : encodeExactInputWithPermit(sold, { ...stored, ...borne } as SignedPermit))
    const signed = await signTransaction({ ...rest, data }, 'SWAP')
    // Unless a case says otherwise the bytes are those that were verified: what is wrong was wrong before.
    const call = { to: router, data, value: 0n, ...bent.verified }
    const simulated = {
      ...verifiedOf(bent),
      call,
      ...(borne === undefined ? {} : { signedPermit: stored }),
      quote: { txRequest: { calldata: bent.verified?.data ?? encodeExactInput(good) } },
      ...(bent.opaque ? { swap: undefined } : {}),
      simulation: { proof: proofOf(planOf(bent), { ...means, ...bent.means }) },
    }
    await inspectOf(bent).swap(signed, pass<Simulated>(simulated as unknown as Simulated))
  },
  async approval({ bytes = {}, ...bent }: Case) {
    const data = bytes.data ?? approve(router, 100n)
    const signed = await signTransaction({ to: weth.address, ...bytes, data }, 'APPROVE')
    inspectOf(bent).approval(signed, planOf(bent))
  },
  async permit({ permit = {}, ...bent }: Case) {
    const permitted = pass<Permitted>({ ...verifiedOf(bent), deadline } as never)
    inspectOf(bent).permit({ ...goodPermit, ...permit } as Permit, permitted)
  },
  async transfer({ transfer = {}, ...bent }: Case) {
    const verified = { ...verifiedOf(bent), deadline, authorization, permit2 }
    const permitted = pass<Permitted>(verified as never)
    inspectOf(bent).permit({ ...goodTransfer, ...transfer } as Permit, permitted)
  },
  async cancellation({ bytes = {}, ...bent }: Case) {
    const signed = await signTransaction({ to: wallet, data: '0x', ...bytes }, 'CANCEL')
    inspectOf(bent).cancellation(signed)
  },
  async bump({ bytes = {}, ...bent }: Case) {
    const old = pass<Journaled>(
      (await signTransaction(bent.old ?? {}, 'SWAP')) as unknown as Journaled,
    )
    const dearer = await signTransaction({ maxFeePerGas: 2n, ...bytes }, 'SWAP')
    inspectOf(bent).bump(dearer, old)
  },
}
type Look = keyof typeof looks
const approve = (spender: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })

/** A market in which one part in ten thousand is more than a unit. */
const millions: Case = {
  appraisal: { references: [fair(10_000_000n), fair(10_000_000n, 'b')] },
}
const free: Case = { gasPriceMax: 0n, bytes: { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n } }
const listOf = (address: Address) => [{ address, storageKeys: [] }]

const allowed: readonly [string, Look, Case][] = [
  [
    'without a cooldown, a swap before the last one: its clock was set back',
    'planning',
    { policy: { cooldownMs: 0 }, spent: { lastAt: now + 1 } },
  ],
  ['exactly the limits', 'planning', {}],
  ['a listed recipient', 'planning', { plan: { recipient: friend } }],
  [
    'a recipient in another case',
    'planning',
    { plan: { recipient: wallet.toLowerCase() as Address } },
  ],
  ['the pair the other way round', 'planning', { policy: { pairs: [[usdc, weth]] } }],
  ['the first swap of a strategy', 'planning', { spent: { lastAt: undefined } }],
  ['a quote at the edges', 'quoted', {}],
  ['the signed swap', 'signed', {}],
  [
    'the signed swap of the native coin',
    'signed',
    {
      plan: intent({ sell: { token: ether, wei: 100n } }),
      bytes: { value: 100n, swap: { toWrap: true } },
    },
  ],
  ['the signed call of a router that cannot be read', 'signed', { opaque: true }],
  ['an approval of the amount', 'approval', {}],
  [
    'an approval of what may stand',
    'approval',
    {
      policy: { allowances: [{ token: weth, wei: 500n }] },
      bytes: { data: approve(router, 500n) },
    },
  ],
  ['an approval of nothing', 'approval', { bytes: { data: approve(router, 0n) } }],
  ['a permit of the amount', 'permit', {}],
  ['the signed swap with its permit', 'signed', { bears: {} }],
  ['a transfer of the amount, for this swap', 'transfer', {}],
  ['the signed swap with its transfer', 'signed', { moves: {} }],
  [
    'an approval of Permit2 where policy.permits and policy.allowances name the token',
    'approval',
    {
      policy: { permits: [weth], allowances: [{ token: weth, wei: 500n }] },
      bytes: { data: approve(permit2Address, 100n) },
    },
  ],
  ['a cancellation', 'cancellation', {}],
  ['a cancellation at the limit', 'cancellation', { bytes: { maxFeePerGas: gasPriceMax } }],
  ['the same call for a higher fee', 'bump', { bytes: { maxFeePerGas: gasPriceMax } }],
  [
    'a price at the edge of the bands: 30,000 for 100 are the least',
    'quoted',
    {
      policy: { bands: [bandOf(weth, 900n, 1_010n), bandOf(usdc, 3n, 3n)] },
      quote: { minimum: 30_000n },
    },
  ],
  [
    'a price at the other edge of the bands: 30,300 for 100 are the most',
    'quoted',
    {
      plan: { notional: dollars(905n) },
      policy: { bands: [bandOf(weth, 900n, 909n), bandOf(usdc, 3n, 3n)] },
      quote: { minimum: 30_000n },
    },
  ],
  ['a swap worth the least that can be counted', 'planning', { plan: { notional: dollars(1n) } }],
  [
    'amounts of millions, exactly one part in a hundred below and above the references',
    'quoted',
    { ...millions, quote: { minimum: 9_900_000n, amountOut: 10_100_000n } },
  ],
  [
    'two references, and a third that says nothing',
    'quoted',
    { appraisal: { references: [...appraisal.references, fair(0n, 'c')] } },
  ],
  [
    'the smallest quote of the smallest price',
    'quoted',
    {
      appraisal: { references: [fair(1n), fair(1n, 'b')] },
      quote: { minimum: 1n, amountOut: 1n },
    },
  ],
  [
    'a stablecoin without a distance, exactly at its peg',
    'quoted',
    { appraisal: { pegs: [{ token: dai, offBps: 0 }] } },
  ],
  [
    'bytes that guarantee exactly the floor',
    'signed',
    { bytes: { swap: { amountOutMinimum: 30_000n } } },
  ],
  [
    'bytes that pay the most a reference allows',
    'signed',
    { bytes: { swap: reordered({ buyerTokenAmount: 30_300n }) } },
  ],
  [
    'bytes of two orders side by side, which pay their sum',
    'signed',
    { bytes: { swap: reordered({ buyerTokenAmount: 300n }, { buyerTokenAmount: 30_000n }) } },
  ],
  [
    'bytes of two orders in a row, of which the last one pays',
    'signed',
    {
      bytes: {
        swap: reordered(
          { buyerToken: dai.address, buyerTokenAmount: 99_999n },
          { sellerToken: dai.address, buyerTokenAmount: 30_300n },
        ),
      },
    },
  ],
  ['a cancellation for nothing where nothing is the limit', 'cancellation', free],
  [
    'the same call with the same access list',
    'bump',
    { old: { accessList: listOf(friend) }, bytes: { accessList: listOf(friend) } },
  ],
]

/** What has to be refused, by which check, at which look. */
const hostile: readonly [string, Look, check: string, Case][] = [
  [
    'a token that is not listed, sold',
    'planning',
    'policy.token-sold',
    {
      plan: intent({ sell: { token: dai, wei: 1n } }),
      policy: { pairs: [[dai, usdc]], perSwap: capped(dai), perDay: capped(dai) },
      spent: { sold: 0n },
    },
  ],
  [
    'a token that is not listed, bought',
    'planning',
    'policy.token-bought',
    {
      plan: intent({ buy: dai, floor: { token: dai, wei: 1n } }),
      policy: { pairs: [[weth, dai]] },
    },
  ],
  ['a pair that is not listed', 'planning', 'policy.pair', { policy: { pairs: [[ether, usdc]] } }],
  ['anything, without pairs', 'planning', 'policy.pair', { policy: { pairs: [] } }],
  ['half a pair: what is bought', 'planning', 'policy.pair', { policy: { pairs: [[usdc, dai]] } }],
  ['half a pair: what is sold', 'planning', 'policy.pair', { policy: { pairs: [[dai, weth]] } }],
  ['a recipient nobody listed', 'planning', 'policy.recipient', { plan: { recipient: stranger } }],
  [
    'a floor of nothing',
    'planning',
    'policy.floor',
    { plan: intent({ floor: { token: usdc, wei: 0n } }) },
  ],
  [
    'a floor in another token',
    'planning',
    'policy.floor',
    { plan: intent({ floor: { token: weth, wei: 1n } }) },
  ],
  ['more slippage than allowed', 'planning', 'policy.slippage', { plan: { slippageBps: 51 } }],
  [
    'one unit more than a swap may sell',
    'planning',
    'policy.per-swap',
    { plan: intent({ sell: { token: weth, wei: 101n } }), spent: { sold: 0n } },
  ],
  [
    '[TOKEN-15] nothing',
    'planning',
    'policy.per-swap',
    { plan: intent({ sell: { token: weth, wei: 0n } }) },
  ],
  ['a token without a cap', 'planning', 'policy.per-swap', { policy: { perSwap: [] } }],
  [
    'one unit of a token without a cap',
    'planning',
    'policy.per-swap',
    { plan: intent({ sell: { token: weth, wei: 1n } }), policy: { perSwap: [] } },
  ],
  [
    'one unit without a cap for the day',
    'planning',
    'policy.per-day',
    {
      plan: intent({ sell: { token: weth, wei: 1n } }),
      policy: { perDay: [] },
      spent: { sold: 0n },
    },
  ],
  ['one unit more than a day may sell', 'planning', 'policy.per-day', { spent: { sold: 151n } }],
  ['anything, without a cap for the day', 'planning', 'policy.per-day', { policy: { perDay: [] } }],
  [
    'a second swap within the cooldown',
    'planning',
    'policy.cooldown',
    { spent: { lastAt: now - 29_999 } },
  ],
  ['what nobody can value', 'planning', 'policy.valued', { plan: { notional: undefined } }],
  ['what is worth nothing', 'planning', 'policy.valued', { plan: { notional: dollars(0n) } }],
  [
    'a value in another unit',
    'planning',
    'policy.valued',
    { plan: { notional: { token: usdc, wei: 1n } } },
  ],
  [
    'limits that were counted in two units',
    'planning',
    'policy.one-unit',
    { spent: { otherUnit: 1 } },
  ],
  [
    'a cent more than a swap may be worth',
    'planning',
    'policy.notional-per-swap',
    {
      plan: { notional: dollars(1_001n) },
      spent: { hour: 0n, day: 0n, strategy: 0n },
    },
  ],
  [
    'a cent more than an hour may be worth',
    'planning',
    'policy.notional-per-hour',
    { spent: { hour: 1_001n } },
  ],
  [
    'a cent more than a day may be worth',
    'planning',
    'policy.notional-per-day',
    { spent: { day: 2_001n } },
  ],
  [
    'a cent more than a strategy may be worth',
    'planning',
    'policy.notional-per-strategy',
    { spent: { strategy: 1_501n } },
  ],
  ['a limit that was used up meanwhile', 'quoted', 'policy.per-day', { spent: { sold: 151n } }],
  [
    'an appraisal that is too old',
    'quoted',
    'policy.appraisal-age',
    { appraisal: { askedAt: now - 30_001 } },
  ],
  [
    'a reference too few',
    'quoted',
    'policy.references',
    { appraisal: { references: [fair(30_100n)] } },
  ],
  [
    'two prices of one node for two references',
    'quoted',
    'policy.references',
    { appraisal: { references: [fair(30_000n), fair(30_100n)] } },
  ],
  [
    'the word of the service itself for a reference',
    'quoted',
    'policy.references',
    { appraisal: { references: [fair(30_000n), { ...fair(30_100n, 'b'), independent: false }] } },
  ],
  [
    'a reference for another token',
    'quoted',
    'policy.references',
    {
      appraisal: {
        references: [fair(30_100n), { ...fair(30_100n), fair: { token: dai, wei: 30_100n } }],
      },
    },
  ],
  [
    'a reference of another node for another token',
    'quoted',
    'policy.references',
    {
      appraisal: {
        references: [fair(30_100n), { ...fair(30_100n, 'b'), fair: { token: dai, wei: 30_100n } }],
      },
    },
  ],
  [
    'a reference that says nothing',
    'quoted',
    'policy.references',
    { appraisal: { references: [fair(30_100n), fair(0n, 'b')] } },
  ],
  [
    'one unit of millions less than a reference allows',
    'quoted',
    'policy.not-below-reference',
    { ...millions, quote: { minimum: 9_899_999n, amountOut: 10_100_000n } },
  ],
  [
    'one unit of millions more than a reference allows',
    'quoted',
    'policy.not-above-reference',
    { ...millions, quote: { minimum: 9_900_000n, amountOut: 10_100_001n } },
  ],
  [
    'a price below a reference',
    'quoted',
    'policy.not-below-reference',
    { quote: { minimum: 29_798n } },
  ],
  [
    'a price below the dearest reference alone',
    'quoted',
    'policy.not-below-reference',
    { appraisal: { references: [fair(30_000n), fair(30_102n, 'b')] } },
  ],
  [
    'a price below a reference by less than one unit',
    'quoted',
    'policy.not-below-reference',
    { appraisal: { references: [fair(30_000n), fair(30_101n, 'b')] } },
  ],
  [
    'a price below a reference by one part in ten thousand of a unit',
    'quoted',
    'policy.not-below-reference',
    {
      policy: { deviationBpsMax: 1 },
      appraisal: { references: [fair(9_999n), fair(9_999n, 'b')] },
      quote: { minimum: 9_998n, amountOut: 9_999n },
    },
  ],
  [
    'a price below a reference by two fifths, where all of it is two units',
    'quoted',
    'policy.not-below-reference',
    {
      appraisal: { references: [rounded(1n, 5n), rounded(1n, 5n, 'b')] },
      quote: { minimum: 1n, amountOut: 1n },
    },
  ],
  [
    'a price above the cheapest reference',
    'quoted',
    'policy.not-above-reference',
    { quote: { amountOut: 30_301n } },
  ],
  [
    'ten times the price',
    'quoted',
    'policy.not-above-reference',
    { quote: { amountOut: 300_000n } },
  ],
  ...(
    [
      ['the probe: half of the most', { play: simulateByProbe }, {}, 500n],
      ['the probe: what policy says', { play: simulateByProbe }, { probed: dollars(999n) }, 999n],
      ['no traces: a tenth of the most', { untraced: undefined }, {}, 100n],
      ['no traces: what policy says', { untraced: undefined }, { untraced: dollars(998n) }, 998n],
      ['no witness: what policy says', { witness: undefined }, { unwitnessed: dollars(9n) }, 9n],
      [
        'a witness that is asked about larger swaps',
        { witness: { above: dollars(5_000n) } },
        { unwitnessed: dollars(997n) },
        997n,
      ],
      [
        'neither witness nor traces: the least of their caps',
        { untraced: undefined, witness: undefined },
        { untraced: dollars(8n), unwitnessed: dollars(7n) },
        7n,
      ],
      ['the probe and no traces', { play: simulateByProbe, untraced: undefined }, {}, 100n],
    ] as const
  ).map(([name, means, proof, cap]): (typeof hostile)[number] => [
    `one more than may be swapped by ${name}`,
    'quoted',
    'policy.proof',
    { means, policy: { proof }, plan: { notional: dollars(cap + 1n) } },
  ]),
  [
    'a stablecoin off its peg',
    'quoted',
    'policy.pegs',
    { appraisal: { pegs: [{ token: usdc, offBps: -51 }] } },
  ],
  [
    'a stablecoin without a distance, off its peg',
    'quoted',
    'policy.pegs',
    { appraisal: { pegs: [{ token: dai, offBps: 1 }] } },
  ],
  [
    'a stablecoin nobody prices',
    'quoted',
    'policy.pegs',
    { appraisal: { pegs: [{ token: usdc, offBps: undefined }] } },
  ],
  [
    'a stablecoin above its peg',
    'quoted',
    'policy.pegs',
    { appraisal: { pegs: [{ token: usdc, offBps: 51 }] } },
  ],
  ...[1_001n, 333n].map((wei): (typeof hostile)[number] => [
    `a worth outside of the band of what is sold: one is worth 1000, not ${wei}`,
    'planning',
    'policy.worth-within-band',
    { policy: { bands: [bandOf(weth, wei, wei), bandOf(usdc, 1n, 10n ** 9n)] } },
  ]),
  [
    'a price one wei below the bands, whatever the references say',
    'quoted',
    'policy.within-bands',
    {
      policy: { bands: [bandOf(weth, 900n, 1_010n), bandOf(usdc, 3n, 3n)] },
      quote: { minimum: 29_999n },
    },
  ],
  [
    'a price above the bands',
    'quoted',
    'policy.within-bands',
    { policy: { bands: [bandOf(weth, 1_000n, 1_000n), bandOf(usdc, 4n, 4n)] } },
  ],
  ['a quote id that was seen', 'quoted', 'policy.quote-unseen', { seen: true }],

  [
    'bytes that were not verified',
    'signed',
    'signed.verified-bytes',
    { verified: { data: '0x12' } },
  ],
  [
    'coins for a router that cannot be read',
    'signed',
    'signed.value',
    { opaque: true, bytes: { value: 1n } },
  ],
  ['bytes for another chain', 'signed', 'signed.chain', { bytes: { chainId: 10 } }],
  ['bytes for another contract', 'signed', 'signed.router', { bytes: { to: stranger } }],
  ['bytes that approve', 'signed', 'signed.call', { bytes: { data: approve(stranger, 1n) } }],
  [
    'bytes with garbage for orders',
    'signed',
    'signed.call',
    { bytes: { swap: { orders: '0x12' } } },
  ],
  [
    'bytes that sell another token',
    'signed',
    'signed.sold-as-asked',
    {
      policy: {
        tokens: [weth, usdc, dai],
        pairs: [[dai, usdc]],
        perSwap: [{ token: dai, wei: 100n }],
        perDay: [{ token: dai, wei: 250n }],
      },
      bytes: { swap: reordered({ sellerToken: dai.address }) },
    },
  ],
  [
    'bytes that sell a token nobody knows',
    'signed',
    'signed.sold-as-asked',
    { bytes: { swap: reordered({ sellerToken: stranger }) } },
  ],
  [
    'bytes that buy a token nobody knows',
    'signed',
    'signed.bought-as-asked',
    { bytes: { swap: reordered({ buyerToken: stranger }) } },
  ],
  [
    'bytes that pay one unit more than a reference allows',
    'signed',
    'signed.not-above-reference',
    { bytes: { swap: reordered({ buyerTokenAmount: 30_301n }) } },
  ],
  [
    'bytes that buy another token',
    'signed',
    'signed.bought-as-asked',
    {
      policy: { tokens: [weth, usdc, dai], pairs: [[weth, dai]] },
      appraisal: {
        references: [fair(30_000n), fair(30_100n, 'b')].map((one) => ({
          ...one,
          fair: { token: dai, wei: one.fair.wei },
        })),
      },
      bytes: { swap: reordered({ buyerToken: dai.address }) },
    },
  ],
  ['bytes that carry coins', 'signed', 'signed.value', { bytes: { value: 1n } }],
  ['bytes that sell less', 'signed', 'signed.amount-in', { bytes: { swap: { amountIn: 99n } } }],
  [
    'bytes for another recipient',
    'signed',
    'signed.recipient',
    { bytes: { swap: { recipient: stranger } } },
  ],
  [
    'bytes with a minimum below the floor',
    'signed',
    'signed.not-below-floor',
    { bytes: { swap: { amountOutMinimum: 29_999n } } },
  ],
  [
    'bytes with a minimum below a reference',
    'signed',
    'signed.not-below-reference',
    { appraisal: { references: [fair(30_400n), fair(30_500n, 'b')] } },
  ],
  ['an approval on another chain', 'approval', 'signed.approval-chain', { bytes: { chainId: 10 } }],
  [
    'an approval of another token',
    'approval',
    'signed.approval-token',
    { bytes: { to: usdc.address } },
  ],
  ['an approval with coins', 'approval', 'signed.approval-value', { bytes: { value: 1n } }],
  [
    'an approval of somebody else',
    'approval',
    'signed.approval-spender',
    { bytes: { data: approve(stranger, 100n) } },
  ],
  [
    'an approval of more',
    'approval',
    'signed.approval-amount',
    { bytes: { data: approve(router, 101n) } },
  ],
  [
    'an approval of less',
    'approval',
    'signed.approval-amount',
    { bytes: { data: approve(router, 99n) } },
  ],
  [
    'an approval of more than may stand',
    'approval',
    'signed.approval-amount',
    {
      policy: { allowances: [{ token: weth, wei: 500n }] },
      bytes: { data: approve(router, 501n) },
    },
  ],
  [
    'an approval of what may stand of another token',
    'approval',
    'signed.approval-amount',
    {
      policy: { allowances: [{ token: usdc, wei: 500n }] },
      bytes: { data: approve(router, 500n) },
    },
  ],
  [
    'a permit of another token',
    'permit',
    'signed.permit-token',
    { permit: { token: usdc.address } },
  ],
  ['a permit for another chain', 'permit', 'signed.permit-chain', { permit: { chainId: 77 } }],
  ['a permit of another owner', 'permit', 'signed.permit-owner', { permit: { owner: friend } }],
  ['a permit for a stranger', 'permit', 'signed.permit-spender', { permit: { spender: stranger } }],
  ['a permit of more', 'permit', 'signed.permit-amount', { permit: { wei: 101n } }],
  ['a permit of less', 'permit', 'signed.permit-amount', { permit: { wei: 99n } }],
  [
    'a permit that outlives its swap',
    'permit',
    'signed.permit-deadline',
    { permit: { deadline: deadline + 1 } },
  ],
  ['a transfer of more', 'transfer', 'signed.permit-amount', { transfer: { wei: 101n } }],
  [
    'a transfer of another token',
    'transfer',
    'signed.permit-token',
    { transfer: { token: usdc.address } },
  ],
  [
    'a transfer for a stranger',
    'transfer',
    'signed.permit-spender',
    { transfer: { spender: stranger } },
  ],
  [
    'a transfer that outlives its swap',
    'transfer',
    'signed.permit-deadline',
    { transfer: { deadline: deadline + 1 } },
  ],
  [
    'a transfer for another swap',
    'transfer',
    'signed.permit-swap',
    { transfer: { authorization: `0x${'8'.repeat(64)}` } },
  ],
  ['a transfer of another nonce', 'transfer', 'signed.permit-nonce', { transfer: { nonce: 6n } }],
  ['a call of another nonce in Permit2', 'signed', 'signed.permit', { moves: { nonce: 6n } }],
  [
    'a call with another deadline in Permit2',
    'signed',
    'signed.permit',
    { moves: { deadline: signedTransfer.deadline + 1n } },
  ],
  [
    'a call with another signature for Permit2',
    'signed',
    'signed.permit',
    { moves: { signature: '0x12' } },
  ],
  [
    'a call through Permit2 around another swap',
    'signed',
    'signed.verified-call',
    { moves: {}, bytes: { swap: { widgetFeeSignature: '0x12' } } },
  ],
  [
    'an approval of Permit2 for a token that policy.permits does not name',
    'approval',
    'signed.approval-spender',
    { bytes: { data: approve(permit2Address, 100n) } },
  ],
  [
    'an approval of Permit2 for a token that policy.allowances does not name',
    'approval',
    'signed.approval-spender',
    { policy: { permits: [weth] }, bytes: { data: approve(permit2Address, 100n) } },
  ],
  [
    'a call with bytes behind its permit',
    'signed',
    'signed.permit-call',
    { bears: {}, bytes: { data: trailing } },
  ],
  [
    'a call with another permit than the stored one',
    'signed',
    'signed.permit',
    { bears: { deadline: signedPermit.deadline + 1n } },
  ],
  [
    'a call with a permit around another swap',
    'signed',
    'signed.verified-call',
    { bears: {}, bytes: { swap: { widgetFeeSignature: '0x12' } } },
  ],
  ['a cancellation that pays', 'cancellation', 'signed.cancellation', { bytes: { value: 1n } }],
  ['a cancellation of another', 'cancellation', 'signed.cancellation', { bytes: { to: friend } }],
  [
    'a cancellation that is too dear',
    'cancellation',
    'signed.fee',
    { bytes: { maxFeePerGas: gasPriceMax + 1n } },
  ],
  ['a bump to another contract', 'bump', 'signed.bumped-call', { bytes: { to: stranger } }],
  ['a bump with another call', 'bump', 'signed.bumped-call', { bytes: { data: '0x12' } }],
  ['a bump with coins', 'bump', 'signed.bumped-call', { bytes: { value: 1n } }],
  ['a bump with more gas', 'bump', 'signed.bumped-call', { bytes: { gas: 2n } }],
  ['a bump under another nonce', 'bump', 'signed.bumped-call', { bytes: { nonce: 1 } }],
  [
    'a bump with an access list',
    'bump',
    'signed.bumped-call',
    { bytes: { accessList: listOf(friend) } },
  ],
  [
    'a bump with another access list',
    'bump',
    'signed.bumped-call',
    { old: { accessList: listOf(friend) }, bytes: { accessList: listOf(stranger) } },
  ],
  ['a bump that is too dear', 'bump', 'signed.fee', { bytes: { maxFeePerGas: gasPriceMax + 1n } }],
]

/** What stands in neither bytes nor quote is refused a second time when the bytes are signed, in both kinds of call. */
const again = hostile.flatMap(([name, look, check, bent]): (typeof hostile)[number][] => {
  const { plan: changes = {}, quote, seen, ...rest } = bent
  const isOfBytes = Object.keys(changes).some((key) => key === 'intent' || key === 'recipient')
  const isAgain = look === 'planning' || look === 'quoted'
  if (!isAgain || isOfBytes || quote !== undefined || seen !== undefined) return []
  const own = check.replace('policy.', 'signed.')
  const whole = { ...rest, plan: changes }
  const closed: (typeof hostile)[number] = [
    `${name}, in bytes that cannot be read`,
    'signed',
    own,
    { ...whole, opaque: true },
  ]
  // Bytes that can be read have a minimum of their own.
  return check === 'policy.not-below-reference'
    ? [closed]
    : [[`${name}, in the bytes`, 'signed', own, whole], closed]
})

function bandOf(one: Token, min: bigint, max: bigint) {
  return { token: one, min: dollars(min), max: dollars(max) }
}

function capped(one: Token) {
  return [{ token: one, wei: 10n }]
}

afterEach(() => blinded.clear())

describe('policy: allows', () => {
  for (const [name, look, bent] of allowed)
    test(`${look}: ${name}`, async () => {
      await looks[look](bent)
    })
})

describe('policy: refuses', () => {
  for (const [name, look, check, bent] of [...hostile, ...again])
    test(`${look}: ${name}`, async () => {
      const refused = await looks[look](bent).then(
        () => undefined,
        (error: unknown) => error as Refused,
      )
      expect(refused).toMatchObject({ fault: 'refused' })
      const failed = refused?.checks.filter(({ ok }) => !ok).map((one) => one.name)
      expect(failed).toEqual([check])
    })
})

test('policy: what was counted in another unit is said, and when it is over', async () => {
  const refused = await looks
    .planning({ spent: { otherUnit: 2 } })
    .catch((error: unknown) => error as Refused)
  const [failed] = (refused as Refused).checks.filter(({ ok }) => !ok)
  expect(failed?.actual).toBe(
    '2 of the last 24 hours, counted in another unit than USD (policy.unit): they leave the limits when they are a day old',
  )
})

test('policy: refuses bytes without an order, which sell and buy nothing', async () => {
  const bytes = { swap: { orders: encodeOrders([]) } }
  const refused = await looks.signed({ bytes }).catch((error: unknown) => error as Refused)
  const failed = (refused as Refused).checks.filter(({ ok }) => !ok).map(({ name }) => name)
  expect(failed).toEqual(['signed.sold-as-asked', 'signed.bought-as-asked'])
})

describe('policy: every check carries weight', () => {
  test('one of them blinded, a hostile case comes through', async () => {
    const through: Record<string, string | undefined> = {}
    for (const check of new Set(hostile.map(([, , name]) => name))) {
      blinded.add(check)
      for (const [name, look, own, bent] of hostile.filter((one) => one[2] === check)) {
        const accepted = await looks[look](bent).then(
          () => true,
          () => false,
        )
        if (accepted) through[own] ??= name
      }
      blinded.clear()
    }
    const names = [...new Set(hostile.map(([, , name]) => name))]
    expect(Object.keys(through).sort()).toEqual(names.sort())
  })

  test('no check is without a case', async () => {
    const checks = await looks.quoted({})
    const cased = new Set(hostile.map(([, , check]) => check))
    expect(checks.map(({ name }) => name).filter((name) => !cased.has(name))).toEqual([])
  })
})

test.each([
  [gasPriceMax, []],
  [gasPriceMax + 1n, ['signed.fee']],
])(
  'policy: a cancellation of the old kind, for %s wei per gas, fails %j',
  async (gasPrice, expected) => {
    const fields = { to: wallet, nonce: 0, gas: 1n, value: 0n, gasPrice }
    const raw = await account.signTransaction({ ...fields, chainId: 1, type: 'legacy' })
    const signed = await signTransaction({ to: wallet, data: '0x' }, 'CANCEL')
    const failed = () => {
      try {
        inspectOf({}).cancellation({ ...signed, raw })
        return []
      } catch (error) {
        return (error as Refused).checks.filter(({ ok }) => !ok).map(({ name }) => name)
      }
    }
    expect(failed()).toEqual(expected)
  },
)

test('policy: a plan within the limits comes out as it went in', async () => {
  expect(await looks.planning({})).toEqual(plan)
})

/** What a refusal says of a check: what it expected, what it got. */
const sentences: readonly [string, Look, check: string, Case, string, string][] = [
  [
    'a call of the wallet that costs nothing',
    'cancellation',
    'signed.fee',
    { ...free, bytes: { ...free.bytes, data: '0x12' } },
    'at most 0 wei per gas',
    '0',
  ],
  [
    'no pairs',
    'planning',
    'policy.pair',
    { policy: { pairs: [] } },
    'a pair of policy.pairs, which lists none',
    'WETH/USDC',
  ],
  [
    'another pair',
    'planning',
    'policy.pair',
    { policy: { pairs: [[ether, usdc]] } },
    'one of ETH/USDC',
    'WETH/USDC',
  ],
  [
    'no cap',
    'planning',
    'policy.per-swap',
    { policy: { perSwap: [] } },
    'a limit of more than 0 WETH in policy.perSwap',
    '1 WETH',
  ],
  [
    'a cap of one unit',
    'planning',
    'policy.per-swap',
    { policy: { perSwap: [{ token: weth, wei: 1n }] } },
    'more than 0, at most 0.01 WETH',
    '1 WETH',
  ],
  [
    'no cap for the day',
    'planning',
    'policy.per-day',
    { policy: { perDay: [] } },
    'at most 0 WETH in 24 hours',
    '1 WETH on top of 1.5 WETH',
  ],
  [
    'a swap too soon',
    'planning',
    'policy.cooldown',
    { spent: { lastAt: now - 29_000 } },
    "30s (policy.cooldown) after the strategy's last swap of this pair",
    '29 s after it',
  ],
  [
    'a swap a millisecond too soon',
    'planning',
    'policy.cooldown',
    { spent: { lastAt: now - 29_999 } },
    "30s (policy.cooldown) after the strategy's last swap of this pair",
    '29 s after it',
  ],
  [
    'the first swap',
    'planning',
    'policy.cooldown',
    { plan: { slippageBps: 51 }, spent: { lastAt: undefined } },
    "30s (policy.cooldown) after the strategy's last swap of this pair",
    'no swap before',
  ],
  [
    'no value',
    'planning',
    'policy.notional-per-swap',
    { plan: { notional: undefined } },
    'at most 0.00001 USD a swap',
    '0 USD',
  ],
  [
    'an hour used up',
    'planning',
    'policy.notional-per-hour',
    { spent: { hour: 1_001n } },
    'at most 0.00002 USD an hour',
    '0.00001 USD on top of 0.00001001 USD',
  ],
  [
    'a quote below two references of one price',
    'quoted',
    'policy.not-below-reference',
    { ...millions, quote: { minimum: 9_899_999n, amountOut: 10_000_000n } },
    'at least 99000 USDC, 100 bps (policy.maxDeviation) below 100000 USDC of a',
    '98999.99 USDC',
  ],
  [
    'a quote above two references of one price',
    'quoted',
    'policy.not-above-reference',
    { ...millions, quote: { minimum: 9_900_000n, amountOut: 10_100_001n } },
    'at most 101000 USDC, 100 bps (policy.maxDeviation) above 100000 USDC of a',
    '101000.01 USDC',
  ],
  [
    'a peg broken, and one unknown',
    'quoted',
    'policy.pegs',
    {
      appraisal: {
        pegs: [
          { token: usdc, offBps: -51 },
          { token: dai, offBps: undefined },
        ],
      },
    },
    'every stablecoin at its peg',
    'USDC -51 bps off, allowed 50 bps; DAI unknown, allowed 0 bps',
  ],
  [
    'a call that is no swap',
    'signed',
    'signed.call',
    { bytes: { data: approve(stranger, 1n) } },
    'exactInput',
    '0x095ea7b3',
  ],
  [
    'an approval that is none',
    'approval',
    'signed.approval-amount',
    { bytes: { data: `0xa9059cbb${'0'.repeat(128)}` } },
    '100 or 0',
    '0xa9059cbb',
  ],
]

describe('policy: says', () => {
  for (const [name, look, check, bent, expected, actual] of sentences)
    test(`${look}: ${name}`, async () => {
      const said = await looks[look](bent).then(
        () => [],
        (error: unknown) => (error as Refused).checks,
      )
      expect(said.find((one) => one.name === check)).toMatchObject({ expected, actual })
    })
})

describe('policy: the bands round against the quote', () => {
  const [sold, bought] = [
    { ...weth, decimals: 0 },
    { ...usdc, decimals: 0 },
  ]
  /** One is worth 4 to 8 thirds. */
  const bands = [bandOf(sold, 4n, 8n), bandOf(bought, 3n, 3n)]
  const looked = (minimum: bigint, amountOut: bigint) => {
    const checks = createChecklist('policy')
    const amounts = {
      sell: { token: sold, wei: 1n },
      minimum: { token: bought, wei: minimum },
      amountOut: { token: bought, wei: amountOut },
    }
    checkBands(amounts, { ...policy, bands }, checks)
    return () => checks.conclude()
  }
  test('4 thirds are at least 2, 8 thirds at most 2', () => {
    expect(looked(2n, 2n)()).toMatchObject([{ name: 'policy.within-bands', ok: true }])
    expect(looked(1n, 2n)).toThrow(/from 2 USDC to 2 USDC/)
    expect(looked(2n, 3n)).toThrow(/from 2 USDC to 2 USDC/)
  })

  const valued = (
    band: Policy['bands'][number],
    worth: bigint,
    [minimum, amountOut] = [3n, 4n],
  ) => {
    const checks = createChecklist('policy')
    const amounts = {
      sell: { token: sold, wei: 2n },
      minimum: { token: bought, wei: minimum ?? 0n },
      amountOut: { token: bought, wei: amountOut ?? 0n },
      notional: { token: band.min.token, wei: worth },
    }
    checkBands(amounts, { ...policy, bands: [band] }, checks)
    return () => checks.conclude()
  }
  test('where the sold token has none, that of the bought one holds for what is paid', () => {
    const band = bandOf(bought, 3n, 4n)
    expect(valued(band, 12n)()).toMatchObject([{ name: 'policy.within-bands', ok: true }])
    expect(valued(band, 13n)).toThrow(/within-bands/)
    expect(valued(band, 12n, [3n, 5n])).toThrow(/within-bands/)
    expect(valued(band, 12n, [2n, 4n])).toThrow(/within-bands/)
  })

  test('where the bought token has none, that of the sold one holds for what it is worth now', () => {
    const band = bandOf(sold, 5n, 6n)
    for (const worth of [10n, 12n]) expect(valued(band, worth)()).toMatchObject([{ ok: true }])
    for (const worth of [9n, 13n]) expect(valued(band, worth)).toThrow(/within-bands/)
  })
})
