import { resolve } from 'node:path'
import { noteHeads } from '../../bot/journal/audit/commonLog.ts'
import type { ServerDatabase } from '../../bot/journal/store/database.ts'
import type { Log } from '../../bot/report/createLog.ts'
import type { Environment } from '../../config/file/variables.ts'
import { loadConfig } from '../../config/loadConfig.ts'
import { followWallets } from '../../config/readWallets.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { repeatUntil } from '../../core/repeat.ts'
import { hourMs, minuteMs } from '../../core/spans.ts'
import { createReload } from '../createReload.ts'
import { watchOnly } from '../dashboard/serveDashboard.ts'
import { keepHalt } from '../keepHalt.ts'
import { onPaper } from '../onPaper.ts'
import { openEngine } from '../openEngine.ts'
import { balancesOf } from '../paperMoney.ts'
import { waitAtStart } from '../waitAtStart.ts'
import { laterThan } from './laterThan.ts'
import { joinFleet, type Role } from './members.ts'
import { openQueue, type Queue } from './openQueue.ts'
import { runWorker, type Until, type WalletEnd } from './runWorker.ts'
import { serveFleet, serveProcess } from './serveFleet.ts'
import { watchTraded } from './watchTraded.ts'
import { whileLocked } from './whileLocked.ts'

type Fleet = {
  readonly configFile: string
  readonly environment: Environment
  readonly cwd: string
  /** The wallets of the file at the start. */
  readonly wallets: readonly string[]
  readonly role: Role
  readonly paper: boolean
  /** As `--balances` has it: each wallet reads it with the tokens of its own chain. */
  readonly balances: string | undefined
  readonly clock: Clock
  readonly log: Log
  /** A line for a person. */
  readonly say: (line: string) => void
  readonly signal: AbortSignal
  /** The signal of the next halt: the process goes on after one. */
  readonly nextHalt: () => AbortSignal
  /** Of the pages; undefined for the configured one. */
  readonly port: number | undefined
}

/** Between two notes of what every log has come to. */
const noteMs = 15 * minuteMs

/** What is under way may be beyond the nodes of a file that is not in force any more. */
const leaveMsMax = 2 * hourMs

/** Between two offers of every wallet. */
const offerMs = 2_000

/**
 * A process of a fleet: several of them, on one PostgreSQL server, trade the wallets of one file. Throws at its start
 * what is wrong with the file of any wallet, and with the server.
 */
export async function runFleet(fleet: Fleet): Promise<void> {
  const { configFile, cwd, wallets: first, role, clock, log, say } = fleet
  // Who is told is a secret that pages do not need, and nobody is told of virtual money.
  const isKeyless = fleet.paper || role === 'dashboard'
  const needs = isKeyless ? ('market' as const) : ('everything' as const)
  const [config] = first.map((wallet) => configOf(fleet, { wallet, needs }))
  const database = config?.database
  if (config === undefined || database?.dialect !== 'postgres')
    throw ballastError(
      'FLEET_NEEDS_SERVER',
      'Several processes share their work on a PostgreSQL server: set database, or DATABASE_URL.',
    )
  await using opened = new AsyncDisposableStack()
  const isScheduler = role === 'all' || role === 'scheduler'
  const open = () => openQueue({ database, watches: isScheduler, log })
  const queue = opened.adopt(await waitAtStart(open, fleet), (one) => one.close())
  const member = opened.adopt(await joinFleet(queue, { role, nonce: String(clock.now()) }), (one) =>
    one.leave().catch(() => undefined),
  )
  const wallets = followWallets(resolve(cwd, configFile), first, clock)
  const showing = {
    ...{ paper: fleet.paper, wallets, present: member.present, clock, port: fleet.port },
    reloadOf: (wallet: string) => reloadOf(fleet, { wallet, needs: 'market' }),
  }
  const { host, tokens, tls } = config.dashboard
  const isShown = role === 'all' || role === 'dashboard'
  const pages = isShown
    ? opened.adopt(await serveFleet(showing), (one) => one.close())
    : fleet.port === undefined
      ? undefined
      : opened.adopt(
          await serveProcess({ ...showing, host, port: fleet.port, tokens, tls }),
          (one) => one.close(),
        )
  const at = pages === undefined ? '' : ` · ${pages.url}`
  say(`FLEET   ${role} of ${first.length} wallets${at} · ${member.id}`)
  const failed = new AbortController()
  const signal = AbortSignal.any([fleet.signal, failed.signal])
  const parts = { queue, member, wallets, clock, log, signal }
  const trade: Trade = (wallet, until, onOpen) => tradeWallet(fleet, { wallet, until, onOpen })
  const works = [
    ...(isScheduler
      ? [
          runScheduler(parts, database),
          watchTraded({
            ...{ ...parts, paper: fleet.paper, present: member.present },
            configOf: (wallet) => configOf(fleet, { wallet, needs }),
          }),
        ]
      : []),
    ...(role === 'all' || role === 'worker' ? [runWorker({ ...parts, trade })] : [beatOnly(parts)]),
  ]
  // One that fails ends the others, and the process when they have given back what they had.
  await Promise.all(works.map((work) => work.catch((error: unknown) => failed.abort(error))))
  if (failed.signal.aborted) throw failed.signal.reason
}

type Trade = Parameters<typeof runWorker>[0]['trade']

type Parts = Pick<
  Parameters<typeof runWorker>[0],
  'member' | 'wallets' | 'clock' | 'log' | 'signal'
> & {
  readonly queue: Queue
}

/** Offers every wallet of the file, again and again: what has a process, or waits for one, is not offered twice. */
async function runScheduler(
  { queue, wallets, clock, log, signal }: Parts,
  database: ServerDatabase,
): Promise<void> {
  const away = (error: unknown) => log.warn({ err: error }, 'the queue is away')
  let noted = 0
  while (!signal.aborted) {
    await queue.offer(wallets()).catch(away)
    // A clock that was set back must not put it off.
    if (Math.abs(clock.now() - noted) > noteMs) {
      const note = await noteHeads(database, clock.now()).catch(away)
      if (note !== undefined) {
        noted = clock.now()
        const { contradicted, ...written } = note
        if (contradicted.length > 0)
          log.error(
            { code: 'COMMON_LOG_BROKEN', schemas: contradicted },
            'logs are not what was noted of them: call ballast audit verify',
          )
        // Outside the database: what is in the log of the process cannot be written anew there.
        log.info(written, 'the heads of all logs are noted')
      }
    }
    await clock.sleep(offerMs, signal).catch(() => undefined)
  }
}

/** A process that trades nothing is there all the same. */
async function beatOnly({ member, clock, signal }: Parts): Promise<void> {
  await repeatUntil(signal, { everyMs: offerMs, clock }, () =>
    member.beat([]).catch(() => undefined),
  )
}

/** The configuration of a wallet, as it is now. */
function configOf(
  { configFile, environment, cwd, paper }: Fleet,
  about: { readonly wallet: string; readonly needs: 'everything' | 'market' },
) {
  const config = loadConfig({ file: configFile, environment, cwd, ...about })
  return paper ? onPaper(config) : config
}

const reloadOf = (
  { configFile, environment, cwd }: Fleet,
  about: { readonly wallet: string; readonly needs: 'market' | 'everything' },
) => createReload({ configFile, environment, cwd, ...about })

/** Runs one wallet as `ballast run` does, without pages of its own. */
async function tradeWallet(
  fleet: Fleet,
  {
    wallet,
    until: { signal, leave },
    onOpen,
  }: {
    readonly wallet: string
    readonly until: Until
    readonly onOpen: Parameters<Trade>[2]
  },
): Promise<WalletEnd> {
  const { paper, balances, clock, log, say, nextHalt } = fleet
  // Whatever is awaited before it is open: a halt that comes meanwhile is one of this wallet too.
  const halt = nextHalt()
  const about = { wallet, needs: paper ? ('market' as const) : ('everything' as const) }
  const own = (line: string) => say(`[${wallet}] ${line}`)
  const outdated = new AbortController()
  // No other process may trade it before its journal has the halt.
  let books = { halt, config: configOf(fleet, about), paper, clock, signal }
  try {
    const over = AbortSignal.any([signal, leave])
    await whileLocked(books.config, { paper, clock, signal: over })
    if (over.aborted) {
      const late = await keepHalt(undefined, books)
      if (late !== undefined) throw late
      return 'stopped'
    }
    // Whoever let go of it may have put the file right before.
    const reload = reloadOf(fleet, about)
    const { config: written } = reload.current()
    books = { ...books, config: paper ? onPaper(written) : written }
    const leaving = AbortSignal.any([leave, outdated.signal])
    await using engine = await openEngine({
      ...{ reload, paper, serve: watchOnly, clock },
      balances: balances === undefined ? undefined : balancesOf(balances, written),
      halt,
      signal: AbortSignal.any([signal, laterThan(leaving, { afterMs: leaveMsMax, clock, signal })]),
      leave: leaving,
      // Whoever takes it next reads the file anew.
      onOutdated: () => outdated.abort(),
      log: log.child({ wallet }),
      say: own,
    })
    onOpen(engine)
    own(`TRADES  ${engine.config.wallet.address} on ${engine.config.chain.name}`)
    const end = await engine.run()
    const late = await keepHalt(undefined, books)
    if (late !== undefined) throw late
    own(end === 'drained' ? 'DRAINED until its lock is released' : 'LEFT    to the next process')
    return end
  } catch (error) {
    const halted = await keepHalt(error, books)
    const end = halted ?? error
    if (halted !== undefined) own(`HALTED  ${halted.summary} (${halted.code})`)
    else if (!signal.aborted && end instanceof BallastError)
      own(`AGAIN   ${end.summary} (${end.code})`)
    throw end
  }
}
