import { openMarket } from '../app/openMarket.ts'
import { noteLocks, openSpending } from '../app/openSpending.ts'
import { onceEach, openTrain } from '../app/openTrain.ts'
import { ended, type Outcome, printOutcomes, stopped, wouldSwap } from '../app/outcome.ts'
import { readingStages } from '../app/readingStages.ts'
import { recover } from '../app/recover.ts'
import { drive } from '../bot/life/drive.ts'
import { createIndicate } from '../bot/market/createIndicate.ts'
import { draft, screen } from '../bot/policy/screen.ts'
import { createLog } from '../bot/report/createLog.ts'
import type { Appraisal, Intent, Plan } from '../bot/stages.ts'
import { isFinal } from '../bot/state.ts'
import { preview } from '../bot/swap.ts'
import type { Config } from '../config/config.ts'
import { type Amount, medianAmount, parseAmount, show, tokenOf } from '../core/amount.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { sameToken, type Token } from '../core/token.ts'
import { createBreakers } from '../engine/createBreakers.ts'
import type { OpenMarket } from '../engine/market.ts'
import { planOf, type Valued } from '../engine/planOf.ts'
import { watchLocks } from '../engine/watchLocks.ts'
import { defineCommand, type Invocation } from './command.ts'
import { exitCodeOf } from './exitCodes.ts'
import { readAddress } from './options/readAddress.ts'
import { wholeNumber } from './wholeNumber.ts'

const options = {
  sell: { flags: '--sell <amount>', summary: 'what to sell, such as "1 WETH"', required: true },
  buy: { flags: '--buy <token>', summary: 'what to buy, such as USDC', required: true },
  floor: {
    flags: '--floor <amount>',
    summary: 'the least to receive; without it, policy.maxSlippage below the references',
  },
  slippageBps: {
    flags: '--slippage-bps <n>',
    summary: 'how much less than quoted the router may deliver; without it, quote.slippage',
    read: wholeNumber({ name: '--slippage-bps', min: 0, max: 10_000 }),
  },
  expiry: {
    flags: '--expiry <seconds>',
    summary: 'how long the quote is to be good; without it, quote.expiry',
    read: wholeNumber({ name: '--expiry', min: 1, max: 86_400 }),
  },
  to: {
    flags: '--to <address>',
    summary: 'who receives; must be listed in policy.recipients',
    read: readAddress('--to'),
  },
  checks: { flags: '--checks', summary: 'list every check, not only those that failed' },
  live: { flags: '--live', summary: 'sign and send; without it nothing is signed' },
} as const

type SwapInvocation = Invocation<typeof options>
type Session = Valued & { readonly config: Config; readonly market: OpenMarket }

export const command = defineCommand({
  name: 'swap',
  summary: 'one swap by hand; a preview unless --live',
  example: 'ballast swap --sell "1 WETH" --buy USDC --floor "2990 USDC"',
  options,
  async run(invocation) {
    const { clock, json, terminal } = invocation
    const config = await invocation.config()
    const market = await openMarket(config, clock)
    try {
      const session = { config, market, ...(await planFrom(invocation, { config, market })) }
      const outcome = invocation.options.live
        ? await live(session, invocation)
        : await dry(session, invocation)
      if (json)
        terminal.json({ mode: invocation.options.live ? 'live' : 'dry-run', results: [outcome] })
      else terminal.out(printOutcomes([outcome], invocation.options.checks))
      if (!json && outcome.outcome === 'would-swap')
        terminal.out('A preview: nothing was signed. The same with --live swaps.')
      return exitCodeOf([outcome])
    } finally {
      await market.close()
    }
  },
})

async function planFrom(
  { options }: SwapInvocation,
  { config, market }: Pick<Session, 'config' | 'market'>,
): Promise<Valued> {
  const { bySymbol } = config.tokens
  const sell = parseAmount(options.sell, bySymbol)
  const buy = tokenOf(options.buy, bySymbol)
  assertSwappable(sell, buy, config)
  // The token that is bought comes first: it is the one an example must name.
  const known = new Map([[buy.symbol, buy], ...bySymbol])
  const given = options.floor === undefined ? undefined : parseAmount(options.floor, known)
  if (given !== undefined && !sameToken(given.token, buy))
    throw ballastError(
      'WRONG_FLOOR',
      `--floor is in ${given.token.symbol}, but ${buy.symbol} is bought.`,
    )
  const indicate = createIndicate({ quotes: market.quotes, chain: config.chain.name })
  const indication = await indicate({ sell, buy, from: config.wallet.address })
  const wish = `sell ${show(sell)} for ${buy.symbol}`
  const bound =
    given === undefined
      ? floorOf(await market.appraise({ sell, buy }), {
          sell,
          buy,
          slippageBps: config.policy.slippageBpsMax,
        })
      : { floor: given, from: undefined }
  const reason = bound.from === undefined ? wish : `${wish}; floor ${bound.from}`
  const intent: Intent = { sell, buy, floor: bound.floor, reason }
  return planOf(
    { config, market },
    {
      strategy: 'manual',
      intent,
      indication,
      recipient: options.to,
      slippageBps: options.slippageBps,
      expirySeconds: options.expiry,
    },
  )
}

function assertSwappable(sell: Amount, buy: Token, { tokens }: Config): void {
  const money = [tokens.native, tokens.wrapped]
  const isMoney = (token: Token) => money.some((one) => sameToken(one, token))
  const same = sameToken(sell.token, buy) || (isMoney(sell.token) && isMoney(buy))
  if (same || sell.wei === 0n)
    throw new BallastError(
      same
        ? `${sell.token.symbol} and ${buy.symbol} are the same asset: there is nothing to swap.`
        : '--sell must be above zero.',
      { code: same ? 'SAME_TOKEN' : 'NOTHING_TO_SELL', remedy: 'skip', fault: 'usage' },
    )
}

/**
 * Without a floor of his own the operator gets what the references call fair, less what policy tolerates, rounded up.
 * The service's indication has no say in it: what it then quotes would be measured against its own word.
 */
function floorOf(
  { references, absent }: Appraisal,
  { sell, buy, slippageBps }: { sell: Amount; buy: Token; slippageBps: number },
): { floor: Amount; from: string } {
  const trusted = references.filter(({ independent }) => independent)
  const fair = medianAmount(trusted.map((one) => one.fair))
  if (fair === undefined)
    throw ballastError(
      'FLOOR_NEEDED',
      `No reference prices ${show(sell)} in ${buy.symbol}: give --floor, the least to receive.`,
      Object.fromEntries(absent.map(({ source, reason }) => [source, reason]).reverse()),
    )
  const { token, wei } = fair
  const kept = BigInt(10_000 - slippageBps)
  return {
    floor: { token, wei: (wei * kept + 9_999n) / 10_000n },
    from: `${slippageBps} bps below the median of ${trusted.length} references, ${show(fair)}`,
  }
}

async function dry(
  { config, market, plan, rules }: Session,
  { clock, terminal }: SwapInvocation,
): Promise<Outcome> {
  const spending = await openSpending(config, clock)
  try {
    noteLocks(await spending.locks(), terminal.note)
    const stages = readingStages({ config, market, spending, clock })
    const bounds = { ...rules, spent: await spending.spent(plan), now: clock.now() }
    return wouldSwap(plan, await preview(draft(plan, bounds), stages))
  } catch (error) {
    return stopped(plan, error)
  } finally {
    await spending.close()
  }
}

async function live(
  { config, market, plan, rules }: Session,
  { clock, signal, halt, terminal }: SwapInvocation,
): Promise<Outcome> {
  const onTrouble = onceEach((swapId, error) =>
    terminal.note(`swap ${swapId}: ${error instanceof Error ? error.message : String(error)}`),
  )
  const { train, journal, whole, close } = await openTrain({ config, market, clock, onTrouble })
  const log = createLog({ level: config.logLevel, sink: terminal.note })
  const breakers = createBreakers({ config, journal, market, clock, log })
  const halted = new AbortController()
  const done = new AbortController()
  const stopping = AbortSignal.any([signal, halted.signal])
  const { wallet, strategy, intent } = plan
  const watching = watchLocks({
    journal,
    wallet,
    clock,
    log,
    say: () => {},
    halt,
    signal: done.signal,
    onHalt: (error) => halted.abort(error),
    onDrain: () => {},
  }).catch((error: unknown) => halted.abort(error))
  try {
    await recover({
      config,
      market,
      train,
      signal: stopping,
      onResumed: breakers.atEnd,
      warn: terminal.note,
    })
    await whole(stopping)
    const pair = { sell: intent.sell.token.symbol, buy: intent.buy.symbol }
    await journal.locks.guard('plan', { wallet, strategy, pair })
    const now = clock.now()
    const planned = draft(plan, { ...rules, spent: await journal.limits.spent(plan), now })
    await journal.swaps.reserve(planned, (spent) => screen(plan, { ...rules, spent, now }))
    const { state } = await drive(planned, train, stopping)
    if (halted.signal.aborted && !isFinal(state)) throw halted.signal.reason
    return await outcomeOf(plan, journal)
  } catch (error) {
    const record = await journal.swaps.record(plan.swapId)
    if (record === undefined || record.state === 'REJECTED' || record.state === 'ABANDONED')
      return stopped(plan, error)
    terminal.note(`Swap ${plan.swapId} is ${record.state}, transaction ${record.txHash ?? 'none'}:`)
    throw error
  } finally {
    await breakers.atEnd(plan.swapId)
    done.abort()
    await watching
    log.info({ swapId: plan.swapId, auditHead: await journal.log.head() }, 'the swap is left')
    await close()
  }
}

async function outcomeOf(
  plan: Plan,
  journal: Awaited<ReturnType<typeof openTrain>>['journal'],
): Promise<Outcome> {
  const record = await journal.swaps.record(plan.swapId)
  if (record === undefined) throw new Error('a driven swap is in the journal')
  return ended(plan, record, await journal.swaps.evidence(plan.swapId))
}
