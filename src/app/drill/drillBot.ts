import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { drive } from '../../bot/life/drive.ts'
import type { Drivetrain } from '../../bot/life/train.ts'
import { createIndicate } from '../../bot/market/createIndicate.ts'
import { draft, screen } from '../../bot/policy/screen.ts'
import type { Reading } from '../../bot/stages.ts'
import { getTransactionCount } from '../../chain/calls/account.ts'
import type { Config } from '../../config/config.ts'
import { parseAmount, tokenOf } from '../../core/amount.ts'
import { Refused } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import { secretUrl, withoutSecrets } from '../../core/secret.ts'
import type { BotAnswer, OpenDrillBot } from '../../drill/drillBot.ts'
import type { OpenMarket } from '../../engine/market.ts'
import { planOf } from '../../engine/planOf.ts'
import { openMarket } from '../openMarket.ts'
import { openTrain } from '../openTrain.ts'
import { recover } from '../recover.ts'

type Options = {
  readonly config: Config
  /** Holds the journals, one for each bot. */
  readonly folder: string
  readonly clock: Clock
  /** Stages that do not do their work, so that a test sees a drill fail. */
  readonly blind?: (reading: Reading) => Reading
}

type Session = {
  readonly market: OpenMarket
  readonly train: Drivetrain
  /** Why the start ended without being allowed to swap; what was open is decided all the same. */
  readonly locked: unknown
  close(): Promise<void>
}

/** Chains of a drill mine when told; the bot looks as often. */
const pollMs = 25

/** The bot exactly as `swap --live` composes it, with a count of the signatures it asks for. */
export function createDrillBot({
  config,
  folder,
  clock,
  blind = (same) => same,
}: Options): OpenDrillBot {
  return ({ rpcUrl, serviceUrl, onOpen }) => {
    const mine: Config = {
      ...config,
      chain: { ...config.chain, rpcUrl: secretUrl(rpcUrl), confirmations: 1 },
      service: { ...config.service, url: secretUrl(serviceUrl) },
      database: { dialect: 'sqlite', path: join(folder, `journal-${randomUUID()}.db`) },
    }
    let signatures = 0
    let swapId: string | undefined

    const open = async (signal: AbortSignal): Promise<Session> => {
      const market = await openMarket(mine, clock)
      const opened = await openTrain({ config: mine, market, clock, onTrouble: () => {} }).catch(
        async (error: unknown) => {
          await market.close()
          throw error
        },
      )
      const { train } = opened
      const spied: Drivetrain = {
        ...train,
        pollMs,
        reading: blind(train.reading),
        signer: {
          ...train.signer,
          async sign(what) {
            const signed = await train.signer.sign(what)
            signatures += 1
            return signed
          },
        },
      }
      const close = async () => {
        await opened.close()
        await market.close()
      }
      await adopt(mine, { market, journal: train.journal })
      // A start that ends locked has decided what it could before: its journal is looked at all the same.
      const locked = await recover({
        config: mine,
        market,
        train: spied,
        signal,
        onResumed: async () => {},
        warn: () => {},
      }).then(
        () => undefined,
        async (error: unknown) => {
          if (codeOf(error) === 'LOCKED') return error
          await close()
          throw error
        },
      )
      return { market, train: spied, locked, close }
    }

    const account = async (session: Session | undefined, failure: unknown): Promise<BotAnswer> => {
      const record =
        swapId === undefined ? undefined : await session?.train.journal.swaps.record(swapId)
      return {
        state: record?.state,
        code: codeOf(failure) ?? record?.code ?? undefined,
        by: reasonOf(failure) ?? record?.code ?? record?.state ?? 'nothing',
        sold: amountOf(record?.sold),
        received: amountOf(record?.received),
        doubted: record?.agrees === false,
        crashed: failure !== undefined && !(failure instanceof BallastError),
      }
    }

    return {
      signatures: () => signatures,
      async swap({ sell, amount, buy, floorWei }, signal) {
        let session: Session | undefined
        try {
          session = await open(signal)
          if (session.locked !== undefined) throw session.locked
          await onOpen()
          const { market, train } = session
          const { bySymbol } = mine.tokens
          const sold = parseAmount(`${amount} ${sell}`, bySymbol)
          const bought = tokenOf(buy, bySymbol)
          const indicate = createIndicate({ quotes: market.quotes, chain: mine.chain.name })
          const asked = { sell: sold, buy: bought, from: mine.wallet.address }
          const indication = await indicate(asked)
          const floor = { token: bought, wei: floorWei }
          const intent = { sell: sold, buy: bought, floor, reason: 'the drill' }
          const { plan, rules } = await planOf(
            { config: mine, market },
            { strategy: 'drill', intent, indication },
          )
          const now = clock.now()
          const planned = draft(plan, {
            ...rules,
            spent: await train.journal.limits.spent(plan),
            now,
          })
          await train.journal.swaps.reserve(planned, (spent) =>
            screen(plan, { ...rules, spent, now }),
          )
          swapId = plan.swapId
          await drive(planned, train, signal)
          return await account(session, undefined)
        } catch (failure) {
          return await account(session, failure)
        } finally {
          await session?.close()
        }
      },
      async follow(signal) {
        let session: Session | undefined
        try {
          session = await open(signal)
          return await account(session, undefined)
        } catch (failure) {
          return await account(session, failure)
        } finally {
          await session?.close()
        }
      },
    }
  }
}

const codeOf = (failure: unknown) => (failure instanceof BallastError ? failure.code : undefined)

/** The checks that failed, by name; any other failure by its code. */
function reasonOf(failure: unknown): string | undefined {
  if (failure === undefined) return undefined
  if (failure instanceof Refused)
    return failure.checks
      .filter(({ ok }) => !ok)
      .map(({ name }) => name)
      .join(', ')
  if (failure instanceof BallastError) return failure.code
  return withoutSecrets(String(failure)).slice(0, 200)
}

const amountOf = (amount: { readonly wei: string } | null | undefined) =>
  amount === null || amount === undefined ? undefined : BigInt(amount.wei)

/** Each lie has a journal of its own, over a wallet that swapped before: it is told so, as a person would. */
async function adopt(
  { chain: { chainId }, wallet: { address: wallet } }: Config,
  { market, journal }: { market: OpenMarket; journal: Drivetrain['journal'] },
): Promise<void> {
  if ((await journal.wallet.state({ chainId, wallet })) !== undefined) return
  const nonceOfChain = await market.rpc.request(getTransactionCount(wallet))
  await journal.wallet.adopt({ chainId, wallet, nonceOfChain })
}
