import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { drive } from '../../bot/life/drive.ts'
import type { Drivetrain } from '../../bot/life/train.ts'
import { createIndicate } from '../../bot/market/createIndicate.ts'
import { draft, screen } from '../../bot/policy/checkPlan.ts'
import type { Intent, Reading } from '../../bot/stages.ts'
import { getTransactionCount } from '../../chain/calls/account.ts'
import type { WitnessConfig } from '../../config/chain.ts'
import type { Config } from '../../config/config.ts'
import { type Amount, parseAmount, tokenOf } from '../../core/amount.ts'
import { Refused } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import { secretUrl, withoutSecrets } from '../../core/secret.ts'
import type { BotAnswer, DrillWish, OpenDrillBot } from '../../drill/drillBot.ts'
import type { OpenMarket } from '../../engine/market.ts'
import { planOf, type Valued } from '../../engine/planOf.ts'
import { assertSwapPriced, floorOf } from '../manualSwap.ts'
import { openWholeMarket } from '../openMarket.ts'
import { openTrain } from '../openTrain.ts'
import { recover } from '../recover.ts'

type Options = {
  readonly config: Config
  /** Holds the journals, one for each bot. */
  readonly folder: string
  readonly clock: Clock
  /** A second node, and whether the user has one too. */
  readonly witness: { readonly node: WitnessConfig | undefined; readonly isOwn: boolean }
  /** Stages that do not do their work, so that a test sees a drill fail. */
  readonly blind?: (reading: Reading) => Reading
}

type Session = {
  readonly market: OpenMarket
  readonly train: Drivetrain
  /** Why the start ended without being allowed to swap; what was open is decided all the same. */
  readonly locked: unknown
}

/** Chains of a drill mine on request; the bot looks as often. */
const pollMs = 25

/** The bot exactly as `swap --live` composes it, with a count of the signatures it requests. */
export function createDrillBot({ config, folder, clock, witness, blind }: Options): OpenDrillBot {
  return ({ rpcUrl, serviceUrl, witness: which, onOpen }) => {
    const hasWitness = which === 'given' || (which === 'own' && witness.isOwn)
    const mine: Config = {
      ...config,
      chain: {
        ...config.chain,
        rpcUrl: secretUrl(rpcUrl),
        witness: hasWitness ? witness.node : undefined,
        confirmations: 1,
      },
      service: { ...config.service, url: secretUrl(serviceUrl) },
      database: { dialect: 'sqlite', path: join(folder, `journal-${randomUUID()}.db`) },
    }
    let signatures = 0
    let swapId: string | undefined
    const onSigned = () => {
      signatures += 1
    }

    /** Lets the bot start, does its work, and returns the outcome of the swap. */
    const withSession = async (
      signal: AbortSignal,
      work: (session: Session) => Promise<void>,
    ): Promise<BotAnswer> => {
      await using opened = new AsyncDisposableStack()
      let session: Session | undefined
      try {
        session = await openSession(mine, { clock, blind, signal, onSigned }, opened)
        await work(session)
        return await accountOf(session, { swapId, failure: undefined })
      } catch (failure) {
        return await accountOf(session, { swapId, failure })
      }
    }

    return {
      signatures: () => signatures,
      swap: (wish, signal) =>
        withSession(signal, async (session) => {
          if (session.locked !== undefined) throw session.locked
          await onOpen()
          const { plan, rules } = await planWish(mine, session, wish)
          const { train } = session
          const { limits, swaps } = train.journal
          const now = clock.now()
          const planned = draft(plan, { ...rules, spent: await limits.spent(plan), now })
          await swaps.reserve(planned, (spent) => screen(plan, { ...rules, spent, now }))
          swapId = plan.swapId
          await drive(planned, train, signal)
        }),
      follow: (signal) => withSession(signal, async () => {}),
    }
  }
}

type Starting = {
  readonly clock: Clock
  readonly blind: Options['blind'] | undefined
  readonly signal: AbortSignal
  readonly onSigned: () => void
}

/** Starts the bot. A start that ends locked has decided what it could before: its journal is looked at all the same. */
async function openSession(
  config: Config,
  { clock, blind = (same) => same, signal, onSigned }: Starting,
  opened: AsyncDisposableStack,
): Promise<Session> {
  const market = opened.adopt(await openWholeMarket(config, clock), (one) => one.close())
  const { train } = opened.adopt(
    await openTrain({ config, market, clock, onTrouble: () => {} }),
    (one) => one.close(),
  )
  const counted: Drivetrain = {
    ...train,
    pollMs,
    reading: blind(train.reading),
    signer: countedSigner(train.signer, onSigned),
  }
  await adopt(config, { market, journal: train.journal })
  const locked = await recover({
    ...{ config, market, train: counted, signal },
    onResumed: async () => {},
    warn: () => {},
  }).then(
    () => undefined,
    (error: unknown) => {
      if (codeOf(error) === 'LOCKED') return error
      throw error
    },
  )
  return { market, train: counted, locked }
}

/** A permit is a signature too: whoever sees it can take what it permits. */
export function countedSigner(
  signer: Drivetrain['signer'],
  onSigned: () => void,
): Drivetrain['signer'] {
  const { signPermit } = signer
  const counted = async <signed>(signing: Promise<signed>): Promise<signed> => {
    const signed = await signing
    onSigned()
    return signed
  }
  return {
    ...signer,
    sign: (what) => counted(signer.sign(what)),
    ...(signPermit === undefined ? {} : { signPermit: (permit) => counted(signPermit(permit)) }),
  }
}

async function planWish(
  config: Config,
  { market }: Session,
  { sell, amount, buy, floorWei }: DrillWish,
): Promise<Valued> {
  const { bySymbol } = config.tokens
  const sold = parseAmount(`${amount} ${sell}`, bySymbol)
  const bought = tokenOf(buy, bySymbol)
  const indicate = createIndicate({ quotes: market.quotes, chain: config.chain.name })
  const indication = await indicate({ sell: sold, buy: bought, from: config.wallet.address })
  const floor =
    floorWei === undefined
      ? await floorUnattended({ sell: sold, buy: bought }, { config, market })
      : { token: bought, wei: floorWei }
  const intent = { sell: sold, buy: bought, floor, reason: 'the drill' }
  return planOf({ config, market }, { strategy: 'drill', intent, indication })
}

/** The floor of `swap --live` where nobody gave one. */
async function floorUnattended(
  wish: Pick<Intent, 'sell' | 'buy'>,
  { config, market }: { config: Config; market: OpenMarket },
): Promise<Amount> {
  assertSwapPriced(config, { ...wish, floor: undefined })
  const { slippageBpsMax: slippageBps } = config.policy
  return floorOf(await market.appraise(wish), { ...wish, wish: '', slippageBps }).floor
}

async function accountOf(
  session: Session | undefined,
  { swapId, failure }: { readonly swapId: string | undefined; readonly failure: unknown },
): Promise<BotAnswer> {
  const record =
    swapId === undefined ? undefined : await session?.train.journal.swaps.record(swapId)
  return {
    state: record?.state,
    code: codeOf(failure) ?? record?.code ?? undefined,
    by: failedBy(failure) ?? record?.code ?? record?.state ?? 'nothing',
    sold: weiOf(record?.sold),
    received: weiOf(record?.received),
    doubted: record?.agrees === false,
    crashed: failure !== undefined && !(failure instanceof BallastError),
  }
}

const codeOf = (failure: unknown) => (failure instanceof BallastError ? failure.code : undefined)

/** The checks that failed, by name; any other failure by its code. */
function failedBy(failure: unknown): string | undefined {
  if (failure === undefined) return undefined
  if (failure instanceof Refused)
    return failure.checks
      .filter(({ ok }) => !ok)
      .map(({ name }) => name)
      .join(', ')
  if (failure instanceof BallastError) return failure.code
  return withoutSecrets(String(failure)).slice(0, 200)
}

const weiOf = (amount: { readonly wei: string } | null | undefined) =>
  amount === null || amount === undefined ? undefined : BigInt(amount.wei)

/** Each lie has a journal of its own, over a wallet that swapped before: it is adopted, as a person would. */
async function adopt(
  { chain: { chainId }, wallet: { address: wallet } }: Config,
  { market, journal }: { market: OpenMarket; journal: Drivetrain['journal'] },
): Promise<void> {
  if ((await journal.wallet.state({ chainId, wallet })) !== undefined) return
  const nonceOfChain = await market.rpc.request(getTransactionCount(wallet))
  await journal.wallet.adopt({ chainId, wallet, nonceOfChain })
}
