import { decodeFunctionData, numberToHex, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import type {
  SimulationBounds,
  SimulationEndpoint,
  Witness,
} from '../../../src/bot/simulate/bounds.ts'
import { questionsOf } from '../../../src/bot/simulate/questions.ts'
import { scenesOf } from '../../../src/bot/simulate/scenes.ts'
import { createSimulate } from '../../../src/bot/simulate/simulate.ts'
import { type Permitted, pass, type Simulated } from '../../../src/bot/stages.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import type { Played, Scenario, SimulationResult } from '../../../src/chain/calls/simulate.ts'
import { type Rpc, type RpcCall, RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import type { SignedOrder } from '../../../src/chain/settlement/order.ts'
import type { Amount } from '../../../src/core/amount.ts'
import type { Check, Refused } from '../../../src/core/check.ts'
import { ether, order, parties, poolOrder, router, usdc, weth } from '../verify/goodQuote.ts'

// The figures of the simulation, to the unit, in front of a chain of a few lines.
const wallet = parties.taker.address
const deadline = 1_003
const word = (value: bigint): Hex => numberToHex(value, { size: 32 })
const made = (data: Hex, gasUsed = 0n): SimulationResult => ({ success: true, data, gasUsed })

/** A world where a call moves one WETH for 100 USDC until the deadline, and every number is a small one. */
type World = {
  readonly baseFee: bigint
  readonly tip: bigint
  readonly timestamp: number
  readonly native: bigint
  readonly received: bigint
  readonly noHead: boolean
  /** Bends the results of a scenario: 0 is now, 1 the last second, 2 the one after it. */
  readonly bend: (results: SimulationResult[], which: number) => void
  /** What it says that bytes cost, before and after their last fields are known, and operators per unit of gas. */
  readonly l1: { readonly fee?: bigint; readonly exact?: bigint; operator?: bigint; gas?: bigint }
  /** Why the endpoint refuses the last scenario. */
  readonly refuses: string | undefined
}
const world: World = {
  ...{ baseFee: 1_000n, tip: 10n, timestamp: 1_000, native: 10n ** 18n, received: 100n },
  ...{ noHead: false, bend: () => {}, refuses: undefined, l1: {} },
}

function playIn(scene: World, { calls, timestamp = scene.timestamp }: Scenario): Played {
  let moved = 0n
  const results = calls.map(({ to, data }): SimulationResult => {
    if (data === '0x12') {
      if (timestamp > deadline) return { success: false, data: '0x', gasUsed: 0n }
      moved = 1n
      return made('0x', 200_000n)
    }
    if (data.startsWith('0x095ea7b3')) return made('0x', 30_000n)
    if (to === weth.address) return made(word(10n ** 20n - moved * 10n ** 18n))
    return made(word(to === usdc.address ? moved * scene.received : 0n))
  })
  scene.bend(results, timestamp > deadline ? 2 : isOfLastSecond(calls) ? 1 : 0)
  return { base: { number: 7, hash: undefined, parentHash: undefined }, results }
}

/** An approval and the swap between two balances: the first scene has questions and the balances of all tokens. */
const isOfLastSecond = (calls: Scenario['calls']) => calls.length <= 4

const witnessOf = ({ rpc, play }: SimulationEndpoint, above: Amount): Witness => ({
  ...{ rpc, above },
  findPlay: async () => play,
})

/** The endpoint of a world; `asked` counts what is played at it. */
function endpointOf(changes: Partial<World>) {
  const scene = { ...world, ...changes }
  const head = {
    ...{ number: 7, hash: word(1n), parentHash: word(2n), timestamp: scene.timestamp },
    ...{ baseFeePerGas: scene.baseFee, gasLimit: 30_000_000n },
  }
  const answers: Readonly<Record<string, unknown>> = {
    ...{ eth_chainId: 31_337, eth_getCode: '0x01', eth_getTransactionCount: 3 },
    ...{ eth_getBalance: scene.native, eth_getBlockByNumber: scene.noHead ? undefined : head },
    ...{ eth_feeHistory: [scene.tip], eth_maxPriorityFeePerGas: scene.tip, eth_gasPrice: 0n },
  }
  const seen = { asked: 0 }
  const { l1 } = scene
  /** What eth_call answers: the oracle of the OP stack is asked twice, Arbitrum's node once. */
  const costIn = (params: readonly unknown[]): bigint | undefined => {
    const [{ to, data }, at] = params as [{ to: string; data: Hex }, unknown]
    if (to.endsWith('C8')) return l1.gas
    if (data.startsWith(operatorFee)) return BigInt(`0x${data.slice(10)}`) * (l1.operator ?? 0n)
    return at === 'latest' ? l1.fee : l1.exact
  }
  const rpc = {
    isOneExchange: () => true,
    batch: async (calls: readonly RpcCall<unknown>[]) =>
      calls.map(({ method, params }) => {
        if (method === 'eth_call') return { ok: true, value: costIn(params) }
        if (method !== 'play') return { ok: true, value: answers[method] }
        seen.asked += 1
        const scenario = params[0] as Scenario
        const isLast = scenario.timestamp === deadline && isOfLastSecond(scenario.calls)
        return isLast && scene.refuses !== undefined
          ? { ok: false, error: new RpcRefused('play', { code: 1, message: scene.refuses }) }
          : { ok: true, value: playIn(scene, scenario) }
      }),
  } as unknown as Rpc
  const play = (scenario: Scenario) => ({ method: 'play', params: [scenario] }) as never
  return { seen, endpoint: { rpc, play } }
}

const operatorFee = toFunctionSelector('getOperatorFee(uint256)')

const bounds: SimulationBounds = {
  ...{ chainId: 31_337, executor: undefined, watched: [weth, usdc, ether], wrapped: weth },
  // keccak256 of the code 0x01.
  routerCodeHash: '0x5fe7f977e71dba2ea1a68e21057beebb9be2ac30c6410aa38d4f3fbe41dcffd2',
  ...{ untraced: undefined, gasPriceMax: 10n ** 9n, tipMax: 10n ** 9n, blockTimeMs: 3_000 },
  ...{ gasMax: 2_000_000n, gasCostBpsMax: 100 },
  ...{ timeToDeadlineSecondsMin: 0, headAgeSecondsMax: 600 },
}
const usd = (wei: bigint) => ({ token: usdc, wei })
const leg = (signature: Hex, one = order()): SignedOrder => ({ order: one, signature })
const pool = leg('0x', poolOrder())
const behind = (...fallbackSwapDataArray: Hex[]) =>
  ({ fallbackSwapDataArray, amountIn: 10n ** 18n }) as unknown as Permitted['swap']
const approval = { to: weth.address, data: '0x095ea7b3', value: 0n } as const
const appraised = (coin: bigint | undefined, notional: bigint | undefined) =>
  ({
    coin: coin === undefined ? undefined : usd(coin),
    notional: notional === undefined ? undefined : usd(notional),
  }) as Permitted['appraisal']
/** Gas of 200,000 at 1,010 wei: 202,000,000 wei. */
const permitted = {
  ...{ wallet, recipient: wallet, approvals: [], checks: [], notional: usd(5n), deadline },
  ...{ call: { to: router, data: '0x12', value: 0n }, swap: behind('0x00'), orders: [pool] },
  ...{ intent: { sell: { token: weth, wei: 10n ** 18n }, buy: usdc }, amountOut: usd(101n) },
  ...{ authorization: word(9n), minimum: usd(100n), appraisal: appraised(10n ** 18n, 10n ** 14n) },
} as unknown as Permitted

/** A foreign router has orders and records of its own. */
const foreign: Partial<Permitted> = { orders: [], swap: undefined, authorization: undefined }

type Setting = {
  readonly world?: Partial<World>
  readonly bounds?: Partial<SimulationBounds>
  readonly permitted?: Partial<Permitted>
}
const simulate = (setting: Setting): Promise<Simulated> =>
  createSimulate({
    endpoint: endpointOf(setting.world ?? {}).endpoint,
    witness: undefined,
    bounds: { ...bounds, ...setting.bounds },
    clock: { now: () => 1_000_000, sleep: async () => {} },
  })(pass<Permitted>({ ...permitted, ...setting.permitted }))

const brief = ({ name, expected, actual }: Check) =>
  `${name.slice('simulate.'.length)}: ${expected}, ${actual}`
/** The checks that failed, each with its sentence. */
const failed = (setting: Setting): Promise<readonly string[]> =>
  simulate(setting).then(
    () => [],
    ({ checks }: Refused) => checks.filter(({ ok }) => !ok).map(brief),
  )

test('the gas of a swap: the router, each leg, and the ceiling of a maker with a pool behind it', async () => {
  const gasOf = async (changes: Partial<Permitted>) =>
    (await simulate({ permitted: changes })).fees.gas
  const maker = leg('0x12', order({ buyerTokenAmount: 0n }))
  const exact = { amountOut: usd(100n) }
  expect(await gasOf({})).toBe(500_000n)
  expect(await gasOf({ orders: [pool, pool], swap: behind('0x00', '0x00') })).toBe(750_000n)
  expect(await gasOf({ ...exact, orders: [maker], swap: behind() })).toBe(500_000n)
  expect(await gasOf({ ...exact, orders: [maker], swap: behind('0x') })).toBe(500_000n)
  expect(await gasOf({ ...exact, orders: [maker], swap: behind('0x00') })).toBe(1_050_000n)
  expect(await gasOf(foreign)).toBe(2_000_000n)
})

test('a pool, or a foreign router, may deliver the minimum; makers deliver what they quoted', async () => {
  const maker = leg('0x12', order({ buyerTokenAmount: 0n }))
  expect(await failed({})).toEqual([])
  expect(await failed({ permitted: foreign })).toEqual([])
  expect(await failed({ permitted: { orders: [maker, pool] } })).toEqual([])
  expect(await failed({ permitted: { orders: [maker] } })).toEqual([
    'received: exactly 0.000101 USDC, 0.0001 USDC, 1 wei off: where USDC rounds, as stETH and aTokens do, write rounding: 2 wei at tokens.USDC',
  ])
})

describe('the fee lasts until the deadline', () => {
  // 1,000 wei rise to 1,125, 1,266, 1,425 and 1,604, and the tip is 10.
  test.for<readonly [number, number, bigint]>([
    [3_000, 1_003, 1_276n],
    [1_500, 1_003, 1_435n],
    [999, 1_001, 1_435n],
  ])('blocks of %i ms until %i: %i wei', async ([blockTimeMs, until, expected]) => {
    const timestamp = 1_000 + deadline - until
    const { fees } = await simulate({ bounds: { blockTimeMs }, world: { timestamp } })
    expect(fees.maxFeePerGas).toBe(expected)
  })

  test.for([
    ['at most what the gas of the swap may cost', 22_400_000n, 1_120n, 10n],
    ['at least what gas costs now', 20_200_000n, 1_010n, 10n],
  ] as const)('%s', async ([, notional, fee, tip]) => {
    const appraisal = appraised(10n ** 15n, notional)
    const { fees, simulation } = await simulate({ permitted: { appraisal } })
    expect(fees).toMatchObject({ maxFeePerGas: fee, maxPriorityFeePerGas: tip })
    expect(simulation).toMatchObject({ gasPrice: 1_010n, tip, feeMost: notional / 20_000n })
  })

  test('half of what gas may cost is the most of a tip', async () => {
    const appraisal = appraised(10n ** 15n, 50_000_000n)
    const { simulation } = await simulate({ world: { tip: 9_999n }, permitted: { appraisal } })
    expect(simulation).toMatchObject({ feeMost: 2_500n, tip: 1_250n, approvalGas: 0n })
  })
})

describe('what gas costs', () => {
  /** 5 bps are 202,000,000 wei of the coin's 10^18: a notional of 404,000,000,000. */
  const costs = (coin: bigint | undefined, notional: bigint | undefined, gasCostBpsMax = 5) =>
    failed({
      bounds: { gasCostBpsMax, tipMax: 10n },
      permitted: { appraisal: appraised(coin, notional) },
    })
  const cost = (words: string, most = 5) =>
    [`gas-cost: at most ${most} bps of what is sold, ${words}`] as const
  const unknown = cost('unknown: no reference values both')

  test.for([
    [10n ** 18n, 2n * 404_000_000_000n, []],
    [10n ** 18n, 0n, unknown],
    [undefined, 10n ** 12n, unknown],
    [10n ** 18n, undefined, unknown],
  ] as const)('a coin of %s, a sale of %s', async ([coin, notional, expected]) =>
    expect(await costs(coin, notional)).toEqual(expected),
  )

  test('a part of a basis point counts as a whole one, a whole one as itself', async () => {
    // Without a tip of its own: 200,000 at 1,001 wei.
    const at = (notional: bigint) => costs(10n ** 18n, notional, 4_000)
    expect(await at(2_020_000_000_000n / 4_000n)).toEqual([])
    expect(await at(2_020_000_000_000n / 4_000n - 1n)).toEqual(cost('4001 bps', 4_000))
  })

  test('a sale of one unit is a sale', async () => {
    const [words] = await costs(1n, 1n, 0)
    expect(words).toBe(cost('1 bps', 0)[0])
  })

  test.for([
    [0n, 0n],
    [1n, (100n * 10n ** 32n) / (200_000n * 10_000n)],
  ])('a coin worth %i units: gas of %i wei reaches the bound', async ([coin, feeMost]) => {
    const { simulation } = await simulate({ permitted: { appraisal: appraised(coin, 10n ** 14n) } })
    expect(simulation.feeMost).toBe(feeMost)
  })
})

test('limits of gas are met to the unit, and told with their units', async () => {
  expect(await failed({ bounds: { gasMax: 500_000n } })).toEqual([])
  expect(await failed({ bounds: { gasMax: 499_999n } })).toEqual([
    'gas-limit: at most 499999, 500000',
  ])
  // A ninth of the ceiling stays free for a replacement.
  expect(await failed({ bounds: { gasPriceMax: 1_000n } })).toEqual([
    'gas-price: at most 0.000000888 gwei, under policy.maxGasPrice with room for a replacement, 0.00000101 gwei',
  ])
  // 500,000 gas at 1,276 wei.
  expect(await failed({ world: { native: 638_000_000n } })).toEqual([])
  expect(await failed({ world: { native: 637_999_999n } })).toEqual([
    'native-balance: at least 0.000000000638 for value and gas, 0.000000000637999999',
  ])
})

test('gas of approvals is counted apart', async () => {
  const { simulation } = await simulate({ permitted: { approvals: [approval, approval] } })
  expect(simulation).toMatchObject({ gas: 200_000n, approvalGas: 60_000n })
})

describe('what a rollup takes for bytes', () => {
  const op = { fee: 9_000n, exact: 8_000n, operator: 2n }

  test('the OP stack: the exact bytes, and operators for the gas used; all of its limit is held', async () => {
    const { simulation } = await simulate({ world: { l1: op } })
    expect(simulation).toMatchObject({ gas: 200_000n, rollupFee: 8_000n + 2n * 200_000n })
    // 500,000 gas at 1,276 wei, and 1,008,000 wei an eighth dearer: three seconds have one block of the L1.
    const needed = 638_000_000n + 1_134_000n
    expect(await failed({ world: { l1: op, native: needed } })).toEqual([])
    expect(await failed({ world: { l1: op, native: needed - 1n } })).toHaveLength(1)
  })

  test('it is a part of what gas may cost, and lowers the most that a unit of it may', async () => {
    const at = (bps: number) =>
      failed({
        bounds: { gasCostBpsMax: bps, tipMax: 10n },
        world: { l1: { ...op, exact: 10n ** 11n } },
      })
    // 202,000,000 and 100,000,400,000 wei: a basis point is ten of these billions.
    expect(await at(10)).toEqual(['gas-cost: at most 10 bps of what is sold, 11 bps'])
    expect(await at(11)).toEqual([])
    const appraisal = appraised(10n ** 15n, 50_000_000n)
    const dear = { fee: 10n ** 8n, exact: 1n }
    const { simulation } = await simulate({ world: { l1: dear }, permitted: { appraisal } })
    expect(simulation.feeMost).toBe(2_500n - 10n ** 8n / 200_000n)
  })

  test('Arbitrum: gas on top of what is used, half as much again in the limit', async () => {
    const { simulation, fees } = await simulate({ world: { l1: { gas: 70_000n } } })
    expect(simulation.gas).toBe(270_000n)
    expect(simulation.rollupFee).toBeUndefined()
    expect(fees.gas).toBe(605_000n)
    expect(await failed({ world: { l1: { gas: 70_000n } }, bounds: { gasMax: 604_999n } })).toEqual(
      ['gas-limit: at most 604999, 605000'],
    )
  })

  test('of two endpoints the dearer one counts', async () => {
    const own = endpointOf({ l1: { ...op, gas: 10n } })
    const other = endpointOf({ l1: { fee: 1n, exact: 8_500n, operator: 1n, gas: 20n } })
    const witness = witnessOf(other.endpoint, usd(0n))
    const clock = { now: () => 1_000_000, sleep: async () => {} }
    const { simulation } = await createSimulate({
      ...{ endpoint: own.endpoint, witness, bounds, clock },
    })(pass<Permitted>(permitted))
    expect(simulation.gas).toBe(200_020n)
    // 8,000 and twice the gas of one, 8,500 and the gas of the other.
    expect(simulation.rollupFee).toBe(8_000n + 2n * 200_020n)
  })
})

test('more gas than is usual: half as much again as was used, within what policy allows', async () => {
  const uses = (gas: bigint, approves: bigint) => ({
    bend: (results: SimulationResult[]) => {
      for (const [index, one] of results.entries()) {
        if (one.gasUsed === 200_000n) results[index] = { ...one, gasUsed: gas }
        if (one.gasUsed === 30_000n) results[index] = { ...one, gasUsed: approves }
      }
    },
  })
  const limitOf = async (gas: bigint) =>
    (await simulate({ world: uses(gas, 0n), bounds: { gasMax: 1_000_000n } })).fees.gas
  expect(await limitOf(333_333n)).toBe(500_000n)
  expect(await limitOf(400_000n)).toBe(600_000n)
  expect(await limitOf(900_000n)).toBe(1_000_000n)
  // 500,000 for the swap, and 150,000 for the approval, at 1,276 wei.
  const approves = (native: bigint) =>
    failed({ world: { ...uses(200_000n, 100_000n), native }, permitted: { approvals: [approval] } })
  expect(await approves(650_000n * 1_276n)).toEqual([])
  expect(await approves(650_000n * 1_276n - 1n)).toHaveLength(1)
})

describe('the last second', () => {
  const hides = (where: number) => ({
    bend: (results: SimulationResult[], which: number) => {
      if (which === 1) results.splice(where, 1, made('0x'))
    },
  })
  test('a balance of the recipient that cannot be read then is no balance of zero', async () => {
    for (const where of [0, -1])
      expect(await failed({ world: hides(where), permitted: { minimum: usd(0n) } })).toEqual([
        'swap-at-deadline: at least 0 USDC, unreadable',
      ])
  })

  test('it delivers what it did not have before', async () => {
    const had = (wei: bigint) => ({
      bend: (results: SimulationResult[], which: number) => {
        if (which === 1) results.splice(0, 1, made(word(wei)))
      },
    })
    expect(await failed({ world: had(1n) })).toEqual([
      'swap-at-deadline: at least 0.0001 USDC, 0.000099 USDC',
    ])
  })

  test.each([
    [16, undefined],
    [15, deadline],
    [3, deadline],
  ])('with %i seconds left it is played at %o: Geth adds twelve to its head', (left, expected) => {
    const { now } = scenesOf(permitted, { watched: [], gas: 1n, now: deadline - left })
    expect(now.timestamp).toBe(expected)
  })

  test('the second after it is the next one', () => {
    const { last, late } = scenesOf(permitted, { watched: [], gas: 1n, now: 0 })
    expect([last.timestamp, late.timestamp]).toEqual([deadline, deadline + 1])
  })
})

test('a balance that cannot be read afterwards is that, and no movement', async () => {
  const bend = (results: SimulationResult[], which: number) => {
    // The last but one: what the router may still take is asked after the balances.
    if (which === 0) results.splice(-2, 1, made('0x'))
  }
  expect(await failed({ world: { bend } })).toEqual(['balances-readable: 0, 1: ETH'])
})

describe('a listed token that tells no balance', () => {
  const dai = {
    ...usdc,
    address: '0x00000000000000000000000000000000000000da',
    symbol: 'DAI',
  } as const
  const watched = [weth, usdc, ether, dai]
  // Before the allowance: balances of the four tokens, the swap, and the four before it.
  const [before, after] = [-7, -2]
  const silentAt = (...places: readonly number[]) => ({
    bend: (results: SimulationResult[], which: number) => {
      if (which === 0) for (const place of places) results.splice(place, 1, made('0x'))
    },
  })

  test('before and after is out of order, and no part of the swap', async () => {
    expect(await failed({ bounds: { watched }, world: silentAt(before, after) })).toEqual([])
  })

  test.each([before, after])('only before or after may have moved', async (place) => {
    expect(await failed({ bounds: { watched }, world: silentAt(place) })).toEqual([
      'balances-readable: 0, 1: DAI',
    ])
  })

  test('what is written of balances that are all there is known to the words of the journal', async () => {
    const { checks } = await simulate({})
    expect(checks.find(({ name }) => name === 'simulate.balances-readable')).toEqual({
      ...{ name: 'simulate.balances-readable', expected: '0', actual: '0', ok: true },
    })
  })

  test('is no excuse for the coin, which is no contract', async () => {
    const [ethBefore, ethAfter] = [-8, -3]
    expect(await failed({ bounds: { watched }, world: silentAt(ethBefore, ethAfter) })).toEqual([
      'balances-readable: 0, 1: ETH',
    ])
  })

  test('and is sold or bought is named', async () => {
    const [soldBefore, soldAfter, boughtBefore, boughtAfter] = [-10, -5, -9, -4]
    const sold = await failed({ bounds: { watched }, world: silentAt(soldBefore, soldAfter) })
    const bought = await failed({ bounds: { watched }, world: silentAt(boughtBefore, boughtAfter) })
    expect([sold[0], bought[0]]).toEqual([
      'balances-readable: 0, 1: WETH',
      'balances-readable: 0, 1: USDC',
    ])
  })
})

test('a token that nobody watches does not move', async () => {
  expect(await failed({ bounds: { watched: [] } })).toEqual([
    'spent: 1 WETH, 0 WETH',
    'received: at least 0.0001 USDC, 0 USDC',
  ])
})

test('an answer that is missing is an unseen fact', async () => {
  const unseen = (reason: string) => ({ code: 'SIMULATION_UNAVAILABLE', facts: { reason } })
  const reason = 'the endpoint has no such block'
  await expect(simulate({ world: { noHead: true } })).rejects.toMatchObject(unseen(reason))
  await expect(simulate({ world: { refuses: 'x'.repeat(400) } })).rejects.toMatchObject({
    code: 'SIMULATION_UNAVAILABLE',
    facts: { reason: expect.stringMatching(/^[^…]{300}…$/) },
  })
})

test.for([
  ['worth less, in the unit of the bound', usd(5n), 0],
  ['worth as much', usd(6n), 3],
  ['worth less of another token', { token: { ...usdc, symbol: 'EUR' }, wei: 5n }, 3],
  ['worth less in other decimals', { token: { ...usdc, decimals: 7 }, wei: 5n }, 3],
  ['of no known worth', undefined, 3],
] as const)('the witness plays a swap %s', async ([, notional, expected]) => {
  const [own, other] = [endpointOf({}), endpointOf({})]
  const witness = witnessOf(other.endpoint, usd(6n))
  const clock = { now: () => 1_000_000, sleep: async () => {} }
  await createSimulate({ endpoint: own.endpoint, witness, bounds, clock })(
    pass<Permitted>({ ...permitted, notional }),
  )
  expect(other.seen.asked).toBe(expected)
})

describe('questions', () => {
  const [maker, signer] = [parties.maker.address, parties.stranger.address]
  const orders = [
    leg('0x12', order({ id: 0x1ffn, signer, buyerTokenAmount: 3n })),
    leg('0x12', order({ id: 0x1ffn, buyerTokenAmount: 4n })),
  ]
  const asked = questionsOf({ ...permitted, orders, swap: behind('0x', '0x') })
  const of = (name: string) => {
    const found = asked.find(({ check }) => check === name)
    if (found === undefined) throw new Error(`${name} is not asked`)
    return found
  }

  test('the bit of an order is looked up in its word', () => {
    const { call, holds } = of('maker-order-unused')
    const { args } = decodeFunctionData({ abi: swapRouterAbi, data: call.data })
    expect(args).toEqual([maker, 1n])
    expect([1n << 255n, 1n << 254n, 1n, 0n].map(holds)).toEqual([false, true, true, true])
  })

  test.for([
    ['authorization-unused', [0n], [1n]],
    ['maker-signer', [1n], [0n, 2n]],
    ['maker-balance', [7n, 8n], [6n]],
    ['maker-allowance', [7n, 8n], [6n]],
  ] as const)('%s holds of %o, and not of %o', ([name, fine, wrong]) => {
    expect(fine.filter(of(name).holds)).toEqual(fine)
    expect(wrong.filter(of(name).holds)).toEqual([])
  })

  test('each has a million gas, as each balance has', () => {
    const { now } = scenesOf(
      { ...permitted, orders, swap: behind('0x', '0x') },
      { watched: [weth, ether], gas: 1n, now: 0 },
    )
    const views = now.calls.filter(({ to }) => to !== router || asked.length === 0)
    expect(new Set([...asked.map(({ call }) => call.gas), ...views.map(({ gas }) => gas)])).toEqual(
      new Set([1_000_000n]),
    )
  })
})
