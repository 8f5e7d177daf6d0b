import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { SimulationBounds } from '../../../src/bot/simulate/bounds.ts'
import { createSimulate } from '../../../src/bot/simulate/simulate.ts'
import { type Permitted, pass, type Simulated } from '../../../src/bot/stages.ts'
import { simulate as simulateV1 } from '../../../src/chain/calls/simulate.ts'
import { gasOfApproval } from '../../../src/chain/fees.ts'
import { createRpc } from '../../../src/chain/rpc/createRpc.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import type { Amount } from '../../../src/core/amount.ts'
import type { Check, Checklist, Refused } from '../../../src/core/check.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { type Answer, type Asked, type Lies, startLyingNode } from '../../support/lyingNode.ts'
import { openBotAt } from '../../support/openBotAt.ts'

/**
 * Every check of the stage, blinded in turn: then one case must get through that was refused before. A check that
 * nothing depends on, and one that has no case here, fail.
 */
const blind = vi.hoisted(() => new Set<string>())
vi.mock(import('../../../src/core/check.ts'), async (importOriginal) => {
  const original = await importOriginal()
  return {
    ...original,
    createChecklist: (...args) => {
      const list = original.createChecklist(...args)
      return {
        ...list,
        holds: (name, ok, ...rest) => list.holds(name, ok || blind.has(name), ...rest),
        equal: (name, ...rest) =>
          blind.has(name) ? list.holds(name, true, ...rest) : list.equal(name, ...rest),
      } satisfies Checklist
    },
  }
})

let fork: Fork
let bot: Awaited<ReturnType<typeof openBotAt>>
let node: Awaited<ReturnType<typeof startLyingNode>>
let other: Awaited<ReturnType<typeof startLyingNode>>
let witness: Rpc
let permitted: Permitted

beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  node = await startLyingNode(fork.ready.rpcUrl)
  other = await startLyingNode(fork.ready.rpcUrl)
  bot = await openBotAt(fork, node.url)
  witness = createRpc({ url: other.url })
})
afterAll(async () => {
  await bot.close()
  await witness.close()
  await node.close()
  await other.close()
  await fork.close()
})
beforeEach(async () => {
  node.lie({})
  other.lie({})
  const { fund, appraise, quote, verify, permit } = bot.train.reading
  const planned = await bot.planned({ sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' })
  const patient = { ...planned, expirySeconds: 100 }
  permitted = await permit(await verify(await quote(await appraise(await fund(patient)))))
})

type Case = {
  readonly lies?: () => Lies
  /** Lies of the witness. */
  readonly other?: () => Lies
  readonly bounds?: Partial<SimulationBounds>
  readonly permitted?: () => Partial<Permitted>
  /** The worth from which on the witness is called. */
  readonly above?: Amount
  /** The nonce that the books give next. */
  readonly nextNonce?: number
}

async function simulate({
  lies,
  other: lies2,
  bounds,
  permitted: changes,
  above = { token: permitted.intent.buy, wei: 0n },
  nextNonce,
}: Case): Promise<Simulated> {
  node.lie(lies?.() ?? {})
  other.lie(lies2?.() ?? {})
  const { service, tokens, policy } = bot.config
  return createSimulate({
    endpoint: bot.market,
    witness: { rpc: witness, findPlay: async () => simulateV1, above },
    bounds: {
      chainId: 31_337,
      routerCodeHash: service.routerCodeHash,
      executor: fork.ready.executor,
      watched: [...tokens.bySymbol.values()],
      wrapped: tokens.wrapped,
      untraced: [],
      gasPriceMax: policy.gasPriceMax,
      tipMax: policy.tipMax,
      blockTimeMs: 1_000,
      gasMax: policy.gasMax,
      gasCostBpsMax: policy.gasCostBpsMax,
      timeToDeadlineSecondsMin: 8,
      headAgeSecondsMax: 600,
      ...bounds,
    },
    clock: bot.train.clock,
    nextNonce: async () => nextNonce,
  })(pass<Permitted>({ ...permitted, ...changes?.() }))
}

const own = (checks: readonly Check[]) => checks.filter(({ name }) => name.startsWith('simulate.'))
const short = ({ name }: Check) => name.slice('simulate.'.length)

const about = (method: string, lie: (answer: Answer, asked: Asked) => void) => (): Lies => ({
  bend: (asked, answer) => {
    if (asked.method === method) lie(answer, asked)
    return answer
  },
})
const says = (method: string, result: unknown) =>
  about(method, (answer) => {
    answer.result = result
  })
const head = (lie: (block: Answer) => void) =>
  about('eth_getBlockByNumber', ({ result }) => lie(result))
/** Lies about one scene: 0 is now, 1 the last second, 2 the one after it. */
const scene = (which: number, lie: (block: Answer) => void) =>
  about('eth_simulateV1', ({ result }, { nth }) => {
    if (nth === which) lie(result[0])
  })
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
const addTo = (hex: string, value: number) => `0x${(BigInt(hex) + BigInt(value)).toString(16)}`

/** Where a call of the first scene is: four questions, a balance of each token, an approval, the swap, balances. */
const questions = 4
const at = {
  before: (symbol: string) => questions + tokenAt(symbol),
  approval: () => questions + symbols().length,
  swap: () => questions + symbols().length + 1,
  after: (symbol: string) => questions + symbols().length + 2 + tokenAt(symbol),
  allowance: () => questions + 2 * symbols().length + 2,
}
const symbols = () => [...bot.config.tokens.bySymbol.keys()]
const tokenAt = (symbol: string) => symbols().indexOf(symbol)
const answers = (call: () => number, lie: (result: Answer) => void) =>
  scene(0, ({ calls }) => lie(calls[call()]))
const reverts = (result: Answer) => {
  result.status = '0x0'
}
const gains = (wei: number) => (result: Answer) => {
  result.returnData = word(BigInt(result.returnData) + BigInt(wei))
}

/** Lies about what a call of that contract writes. */
const writes = (to: () => string, lie: (diff: Answer) => void) =>
  about('debug_traceCall', ({ result }, { params }) => {
    const traced = (params as Answer)[0].to.toLowerCase()
    if ('pre' in result && traced === to().toLowerCase()) lie(result)
  })
const router = () => permitted.call.to
const weth = () => permitted.intent.sell.token.address
const usdc = () => permitted.intent.buy.address
const strangeSlot = (token: () => string) => (diff: Answer) => {
  const key = token().toLowerCase()
  diff.post[key] = { storage: { ...diff.post[key]?.storage, [word(99n)]: word(1n) } }
}

const permit = (): Partial<Permitted> => ({
  signedPermit: { deadline: 1n, v: 27, r: '0x', s: '0x' },
  tokenPermit: { name: 'WETH', version: '1', nonce: 0n, nonceSlot: undefined },
})
const lastReverts = scene(1, ({ calls }) => reverts(calls.at(-2)))
const lateSucceeds = scene(2, ({ calls }) => {
  calls.at(-1).status = '0x1'
})
const unreadable = answers(
  () => at.before('WBTC'),
  (result) => {
    result.returnData = '0x'
  },
)
const moreMoves = answers(() => at.after('WBTC'), gains(1))

const cases: Record<string, Case> = {
  'chain-id': { lies: says('eth_chainId', '0x1'), bounds: {}, other: says('eth_chainId', '0x1') },
  'head-age': {
    lies: head((block) => {
      block.timestamp = addTo(block.timestamp, -3_600)
    }),
  },
  'head-ahead': {
    lies: head((block) => {
      block.timestamp = addTo(block.timestamp, 60)
    }),
  },
  'same-block': {
    lies: scene(0, (block) => {
      block.number = addTo(block.number, 1)
    }),
  },
  'deadline-on-chain': { bounds: { timeToDeadlineSecondsMin: 3_600 } },
  'router-code': { bounds: { routerCodeHash: `0x${'0'.repeat(64)}` } },
  'authorization-unused': {
    lies: answers(() => 0, gains(1)),
    other: answers(() => 0, gains(1)),
  },
  'maker-order-unused': {
    lies: answers(
      () => 1,
      (result) => {
        result.returnData = `0x${'f'.repeat(64)}`
      },
    ),
  },
  'maker-signer': {
    permitted: () => ({
      orders: permitted.orders.map((leg) => ({
        ...leg,
        order: { ...leg.order, signer: permitted.wallet },
      })),
    }),
  },
  'maker-balance': {
    permitted: () => ({
      orders: permitted.orders.map((leg) => ({
        ...leg,
        order: { ...leg.order, buyerTokenAmount: 2n ** 200n },
      })),
    }),
  },
  'maker-allowance': {
    lies: answers(
      () => 3,
      (result) => {
        result.returnData = word(0n)
      },
    ),
  },
  approvals: { lies: answers(at.approval, reverts) },
  swap: { lies: answers(at.swap, reverts), other: answers(at.swap, reverts) },
  'swap-at-deadline': { lies: lastReverts, other: lastReverts },
  'swap-after-deadline': { lies: lateSucceeds, other: lateSucceeds },
  'balances-readable': { lies: unreadable, other: unreadable },
  spent: {
    permitted: () => {
      const { intent } = permitted
      return { intent: { ...intent, sell: { ...intent.sell, wei: intent.sell.wei - 1n } } }
    },
  },
  received: {
    permitted: () => ({
      amountOut: { ...permitted.amountOut, wei: permitted.amountOut.wei + 1n },
    }),
  },
  'permit-used': {
    permitted: permit,
  },
  'allowance-left': { permitted: () => ({ allowanceLeft: 1n }) },
  'nothing-else-moves': { lies: moreMoves, other: moreMoves },
  'storage-layout': {
    lies: about('debug_traceCall', ({ result }, { params }) => {
      const { to, data } = (params as Answer)[0]
      if (to.toLowerCase() === usdc().toLowerCase() && data.startsWith('0xdd62ed3e'))
        for (const account of Object.values(result)) delete (account as Answer).storage
    }),
  },
  'storage-writes': { lies: writes(router, strangeSlot(usdc)) },
  'swap-traced': {
    lies: writes(router, (diff) => {
      diff.pre = {}
      diff.post = {}
    }),
  },
  'code-writes': {
    lies: writes(router, (diff) => {
      diff.post['0x0000000000000000000000000000000000000077'] = { code: '0x00' }
    }),
  },
  'wallet-nonce': {
    lies: writes(router, (diff) => {
      diff.post[permitted.wallet.toLowerCase()].nonce += 1
    }),
  },
  'approval-writes': { lies: writes(weth, strangeSlot(weth)) },
  'gas-limit': { bounds: { gasMax: 100_000n } },
  'gas-price': { bounds: { gasPriceMax: 1n } },
  'gas-cost': { bounds: { gasCostBpsMax: 0 } },
  'native-balance': { lies: says('eth_getBalance', '0x1') },
  'witness-reachable': {
    other: () => ({
      respond: (_, response) => {
        response.destroy()
        return true
      },
    }),
  },
  'witness-chain-id': { other: says('eth_chainId', '0x1') },
  'witness-router-code': { other: says('eth_getCode', '0x00') },
  'witness-head': {
    other: head((block) => {
      block.hash = word(12n)
    }),
  },
  'witness-nonce': { other: says('eth_getTransactionCount', '0x9') },
  'witness-authorization': { other: answers(() => 0, gains(1)) },
  'witness-swap': { other: answers(at.swap, reverts) },
  'witness-spent': { other: answers(() => at.after('WETH'), gains(1)) },
  'witness-received': { other: answers(() => at.after('USDC'), gains(1)) },
  'witness-balances-readable': { other: unreadable },
  'witness-nothing-else-moves': { other: moreMoves },
  'witness-at-deadline': { other: lastReverts },
  'witness-after-deadline': { other: lateSucceeds },
  'witness-allowance-left': { other: answers(at.allowance, gains(1)) },
  'witness-permit-used': {
    permitted: permit,
    // WETH takes no permits: what it does not answer is unreadable to the witness.
    lies: answers(
      () => at.allowance() + 1,
      (result) => {
        result.status = '0x1'
        result.returnData = word(1n)
      },
    ),
  },
  'witness-base-fee': {
    other: head((block) => {
      block.baseFeePerGas = addTo(block.baseFeePerGas, 2 * Number(block.baseFeePerGas) + 1)
    }),
  },
}

const noted = new Set<string>()

test('an honest swap passes all of them', async () => {
  const { checks } = await simulate({})
  for (const check of own(checks)) noted.add(short(check))
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})

for (const [name, bent] of Object.entries(cases))
  test(`${name}: refuses alone what nothing else would`, async () => {
    const refusal = await simulate(bent).then(
      () => expect.unreachable('was accepted'),
      (error: Refused) => error,
    )
    expect(refusal).toMatchObject({ name: 'Refused', stage: 'simulate', remedy: 'requote' })
    for (const check of own(refusal.checks)) noted.add(short(check))
    expect(
      own(refusal.checks)
        .filter(({ ok }) => !ok)
        .map(short),
    ).toEqual([name])

    blind.add(name)
    try {
      await expect(simulate(bent)).resolves.toMatchObject({ nonce: 0 })
    } finally {
      blind.delete(name)
    }
  })

test('witness-reachable: a witness behind our last transaction is away', async () => {
  // The block before is of the chain that was forked, long ago: two new ones are a moment apart.
  for (const _ of ['parent', 'head']) await fork.rpc.request(anvilCalls.mine)
  // Of the block before, this witness then says the truth.
  const behind = head((block) => {
    block.number = addTo(block.number, -1)
    block.hash = block.parentHash
  })
  const sent = (nonce: string) => says('eth_getTransactionCount', nonce)
  await expect(simulate({ lies: sent('0x9'), other: behind, nextNonce: 9 })).rejects.toMatchObject({
    code: 'SIMULATE_WITNESS_REACHABLE',
  })
  await expect(simulate({ other: behind })).resolves.toBeDefined()
})

test('witness-received: two nodes may be as far apart as the token rounds', async () => {
  const { buy } = permitted.intent
  const bounds = { rounding: [{ token: buy, wei: 2n }] }
  const other = (wei: number) => answers(() => at.after('USDC'), gains(wei))
  await expect(simulate({ other: other(2), bounds })).resolves.toBeDefined()
  await expect(simulate({ other: other(3), bounds })).rejects.toMatchObject({
    code: 'SIMULATE_WITNESS_RECEIVED',
  })
})

test('gas-cost: what nobody values is not cheap', async () => {
  const { appraisal } = permitted
  const unknown = { permitted: () => ({ appraisal: { ...appraisal, coin: undefined } }) }
  await expect(simulate(unknown)).rejects.toMatchObject({ code: 'SIMULATE_GAS_COST' })
})

test('gas-cost: a part of a basis point is a whole one', async () => {
  // No tip: the cap of one depends on what is sold.
  const bounds = { tipMax: 1n }
  const { simulation } = await simulate({ bounds })
  const { token } = permitted.intent.sell
  const used = simulation.gas + simulation.approvalGas
  const coin = { token, wei: 3_000_000_007n }
  const scaled = used * simulation.gasPrice * coin.wei * 10_000n
  const whole = 10n ** BigInt(token.decimals)
  expect(scaled % whole).not.toBe(0n)
  const appraisal = { ...permitted.appraisal, coin, notional: { token, wei: scaled / whole } }
  const costs = { permitted: () => ({ appraisal }) }
  await expect(
    simulate({ ...costs, bounds: { ...bounds, gasCostBpsMax: 1 } }),
  ).rejects.toMatchObject({
    code: 'SIMULATE_GAS_COST',
  })
  await expect(
    simulate({ ...costs, bounds: { ...bounds, gasCostBpsMax: 2 } }),
  ).resolves.toBeDefined()
})

test('native-balance: pays the gas of the approvals too, to the wei', async () => {
  const { fees, call, approvals } = await simulate({})
  expect(approvals).toHaveLength(1)
  const needed = call.value + (fees.gas + gasOfApproval) * fees.maxFeePerGas
  const holds = (wei: bigint) => ({ lies: says('eth_getBalance', `0x${wei.toString(16)}`) })
  await expect(simulate(holds(needed))).resolves.toBeDefined()
  await expect(simulate(holds(needed - 1n))).rejects.toMatchObject({
    code: 'SIMULATE_NATIVE_BALANCE',
  })
})

test('a node that says no gas was used is refused, and divides nothing by it', async () => {
  const free = scene(0, ({ calls }) => {
    for (const call of calls) call.gasUsed = '0x0'
  })
  const alone = { lies: free, permitted: () => ({ approvals: [] }) }
  await expect(simulate(alone)).rejects.toMatchObject({ name: 'Refused', stage: 'simulate' })
})

test('a swap is large from the witness’s amount on', async () => {
  const { notional } = permitted
  if (notional === undefined) throw new Error('the sandbox has prices')
  let calls = 0
  const counted = (above: Amount): Case => ({
    above,
    other: () => ({
      bend: ({ method }, answer) => {
        // Of every swap it says a tip.
        if (method === 'eth_simulateV1') calls += 1
        return answer
      },
    }),
  })
  await simulate(counted({ ...notional, wei: notional.wei + 1n }))
  expect(calls).toBe(0)
  await simulate(counted(notional))
  expect(calls).toBeGreaterThan(0)
})

test('untraced: the writes of that token are not looked at, those of the others are', async () => {
  const both = (token: () => string) => (): Lies => ({
    bend: (asked, answer) => {
      for (const lies of [cases['storage-layout']?.lies?.(), writes(router, strangeSlot(token))()])
        lies?.bend?.(asked, answer)
      return answer
    },
  })
  const untraced = [permitted.intent.buy]
  await expect(simulate({ lies: both(usdc), bounds: { untraced } })).resolves.toBeDefined()
  await expect(simulate({ lies: both(weth), bounds: { untraced } })).rejects.toMatchObject({
    code: 'SIMULATE_STORAGE_WRITES',
  })
  await expect(simulate({ lies: both(usdc) })).rejects.toMatchObject({
    code: 'SIMULATE_STORAGE_LAYOUT',
  })
  const nothing = { lies: both(usdc), bounds: { untraced: undefined } }
  const { checks } = await simulate(nothing)
  expect(own(checks).map(short)).not.toContain('storage-writes')
})

test('a slot that becomes zero is seen: it is in the state before alone', async () => {
  const zeroed = writes(router, ({ pre }) => {
    const key = usdc().toLowerCase()
    pre[key].storage = { ...pre[key].storage, [word(98n)]: word(7n) }
  })
  await expect(simulate({ lies: zeroed })).rejects.toMatchObject({
    code: 'SIMULATE_STORAGE_WRITES',
  })
})

test('every check that is ever noted has its case', () => {
  expect([...noted].sort()).toEqual(Object.keys(cases).sort())
})
