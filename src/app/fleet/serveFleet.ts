import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import { journalExists, openDatabaseToRead } from '../../bot/journal/schema/openDatabase.ts'
import { createTimeLimit } from '../../bot/strategy/createTimeLimit.ts'
import type { Config } from '../../config/config.ts'
import { type Amount, toText } from '../../core/amount.ts'
import type { Clock } from '../../core/clock.ts'
import { createShared } from '../../core/createShared.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { repeatUntil } from '../../core/repeat.ts'
import { secondMs } from '../../core/spans.ts'
import { createDashboard, type Dashboard } from '../../dashboard/createDashboard.ts'
import {
  createFleetDashboard,
  fleetMetrics,
  pathOfWallet,
} from '../../dashboard/createFleetDashboard.ts'
import { createFront, type Front, type FrontOptions } from '../../dashboard/createFront.ts'
import type { FleetView, WalletView } from '../../dashboard/fleetPage.ts'
import type { LockView } from '../../dashboard/views.ts'
import type { createReload } from '../createReload.ts'
import { haltBy, privateSocket, sourcesOf } from '../dashboard/serveDashboard.ts'
import { onPaper } from '../onPaper.ts'
import { openBooks } from '../openBooks.ts'
import { openMarket } from '../openMarket.ts'
import type { Member } from './members.ts'
import { viewOfWallet } from './viewOfWallet.ts'

type Serving = {
  readonly paper: boolean
  /** The configuration of a wallet of the file. */
  readonly reloadOf: (wallet: string) => ReturnType<typeof createReload>
  readonly wallets: () => readonly string[]
  readonly present: () => Promise<readonly Member[]>
  readonly port: number | undefined
  readonly clock: Clock
}

/** The pages of one wallet, and what the first page shows of it. */
type Shown = {
  readonly config: () => Config
  readonly sources: ReturnType<typeof sourcesOf>
  readonly pages: Dashboard
  view(members: readonly Member[]): Promise<WalletView>
  /** What all wallets use of the limits over them, this one's among them. */
  ofAllWallets: UnsignedJournal['limits']['ofAllWallets']
  close(): Promise<void>
}

/** What is open now. */
type Gallery = {
  readonly shown: Map<string, Shown>
  /** By wallet: why its pages could not be opened, and when that was tried last. */
  readonly away: Map<string, { readonly why: string; readonly at: number }>
}

const pollMs = 2 * secondMs
/** Before pages that could not be opened are tried again: each try asks the node. */
const awayMs = 30 * secondMs
/** Readers of one moment share what is read for them. */
const viewMs = 2 * secondMs

/** Serves every wallet of the file at the address of its dashboard: journals are read, and nothing is traded here. */
export async function serveFleet(serving: Serving) {
  const { reloadOf, wallets, port, clock } = serving
  const gallery: Gallery = { shown: new Map(), away: new Map() }
  const {
    host,
    port: configured,
    tokens,
    tls,
    socket,
  } = reloadOf(wallets()[0] ?? '').current().config.dashboard
  /** In the order of the file. */
  const present = () => wallets().flatMap((name) => gallery.shown.get(name) ?? [])
  const view = createShared({
    ask: () => viewOfFleet(serving, gallery),
    ...{ nameOf: () => 'view', keptMs: viewMs, clock },
  })
  const front: Front = createFleetDashboard({
    ...{ clock, host, port: port ?? configured, tokens, tls },
    socket: socket === undefined ? undefined : privateSocket(socket),
    pagesOf: (wallet) => gallery.shown.get(wallet)?.pages,
    async newest() {
      const all = await Promise.all(present().map(({ sources }) => sources.queries.newest()))
      return all.reduce((sum, one) => sum + one, 0)
    },
    halt: (why) => haltEvery(serving, { gallery, why }),
    view: async () => (await view(undefined)).value,
  })
  const { url } = await front.listen()
  const over = new AbortController()
  const following = repeatUntil(over.signal, { everyMs: pollMs, clock }, () =>
    bringUp(serving, { gallery, front }),
  )
  return {
    url,
    async close(): Promise<void> {
      over.abort()
      await following
      await front.close()
      await Promise.all([...gallery.shown.values()].map((one) => one.close()))
    },
  }
}

async function viewOfFleet(serving: Serving, { shown, away }: Gallery): Promise<FleetView> {
  const members = await serving.present()
  const named = serving.wallets()
  const viewOf = async (name: string) => {
    const view = await shown.get(name)?.view(members)
    return view ?? unreachable(name, away.get(name)?.why ?? 'Its pages are being opened.')
  }
  return {
    wallets: await Promise.all(
      // One that fails takes none of the others with it.
      named.map((name) =>
        viewOf(name).catch((error) => unreachable(name, whyOf(error, 'Its journal fails.'))),
      ),
    ),
    limits: await limitsOf(named.flatMap((name) => shown.get(name) ?? [])),
    processes: members.map(({ id, role, wallets }) => ({ id, role, wallets })),
  }
}

/** Halts every wallet of the file, those whose pages could not be opened too. Throws HALT_INCOMPLETE with the others. */
async function haltEvery(
  { paper, reloadOf, wallets, clock }: Serving,
  {
    gallery,
    why,
  }: { readonly gallery: Gallery; readonly why: { readonly reason: string; readonly by: string } },
): Promise<LockView> {
  const names = wallets()
  const ends = await Promise.allSettled(
    names.map(async (name) => {
      const known = gallery.shown.get(name)
      if (known !== undefined) return known.sources.halt(why)
      const { config } = reloadOf(name).current()
      const journal = await openBooks(paper ? onPaper(config) : config, { paper, clock })
      return await haltBy(journal, why).finally(journal.shut)
    }),
  )
  const missed = names.filter((_, index) => ends[index]?.status === 'rejected')
  const [first] = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  if (first !== undefined && missed.length === 0) return first
  throw ballastError(
    'HALT_INCOMPLETE',
    `NOT HALTED: ${missed.join(', ')}. ${names.length - missed.length} other wallets are halted. Call ballast halt, or create the file HALT.`,
  )
}

/** Opens the wallets that the file names now, and closes those that it does not name any more. */
async function bringUp(
  serving: Serving,
  { gallery, front }: { readonly gallery: Gallery; readonly front: Front },
): Promise<void> {
  const { shown, away } = gallery
  const { clock } = serving
  const named = serving.wallets()
  for (const [name, one] of shown)
    if (!named.includes(name)) {
      shown.delete(name)
      await one.close().catch(() => undefined)
    }
  for (const name of away.keys()) if (!named.includes(name)) away.delete(name)
  const due = named.filter(
    // A clock that was set back must not put it off.
    (name) => !shown.has(name) && Math.abs(clock.now() - (away.get(name)?.at ?? 0)) > awayMs,
  )
  await Promise.all(
    due.map(async (name) => {
      try {
        const close = () => void shown.delete(name)
        shown.set(name, await openPages(serving, { name, front, onOutdated: close }))
        away.delete(name)
      } catch (error) {
        away.set(name, { why: whyOf(error, 'It cannot be opened.'), at: clock.now() })
      }
    }),
  )
}

const whyOf = (error: unknown, otherwise: string) =>
  error instanceof BallastError ? error.summary : otherwise

const unreachable = (name: string, why: string): WalletView => ({
  ...{ name, path: pathOfWallet(name), chain: '', address: '', state: 'UNREACHABLE' },
  ...{ attention: [{ code: 'UNREACHABLE', sentence: why }], locks: [], headAt: null },
  ...{ process: null, worth: null, worthAt: null, lastFill: null, open: 0 },
})

/** Use of the limits of all wallets together, as swaps are held to them: of those, too, whose pages are not open. */
async function limitsOf([one]: readonly Shown[]): Promise<FleetView['limits']> {
  const { perHour, perDay } = one?.config().treasury ?? {}
  if (one === undefined || (perHour ?? perDay) === undefined) return []
  const used = await one.ofAllWallets(one.config().database)
  const line = (name: string, most: Amount | undefined, wei: bigint) =>
    most === undefined ? [] : [{ name, used: toText({ ...most, wei }), most: toText(most) }]
  return [
    ...line('treasury.perHour', perHour, used.hour),
    ...line('treasury.perDay', perDay, used.day),
  ]
}

async function openPages(
  { paper, reloadOf, clock }: Serving,
  {
    name,
    front,
    onOutdated,
  }: { readonly name: string; readonly front: Front; readonly onOutdated: () => void },
): Promise<Shown> {
  const reload = reloadOf(name)
  const inForce = () => {
    const { config } = reload.current()
    return paper ? onPaper(config) : config
  }
  const config = inForce()
  const limited = createTimeLimit()
  await using opened = new AsyncDisposableStack()
  // Who trades it brings its journal up to date, and not a reader of another version.
  if (await journalExists(config.database))
    await (await openDatabaseToRead(config.database)).destroy()
  const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
  const journal = opened.adopt(await openBooks(config, { paper, clock }), (one) => one.shut())
  const sources = sourcesOf({
    mode: paper ? 'paper' : 'live',
    // What its references say is known to the process that trades it.
    ...{ config, market: { ...market, silent: () => [] }, journal, clock },
    strategies: () => limited(reload.current().strategies),
    // The process that trades it knows; what it could not do is in the journal.
    troubleOf: () => undefined,
    refused: reload.refused,
    rules: inForce,
  })
  const base = pathOfWallet(name)
  const { host, port } = config.dashboard
  const pages = createDashboard({ ...sources, host, port, clock, behind: front, base })
  await pages.app.ready()
  opened.defer(() => pages.close())
  const over = new AbortController()
  const owned = opened.move()
  const close = async () => {
    over.abort()
    await owned.disposeAsync()
  }
  void reload
    .watch({
      ...{ clock, signal: over.signal },
      onChange: () => undefined,
      // The pages of another node, or of other tokens, are opened anew.
      onProblem(problem) {
        if (problem.code !== 'CONFIG_NEEDS_RESTART') return
        onOutdated()
        void close().catch(() => undefined)
      },
    })
    .catch(() => undefined)
  return {
    ...{ config: inForce, sources, pages, close },
    view: viewOfWallet(config, sources),
    ofAllWallets: journal.limits.ofAllWallets,
  }
}

/** Serves only that a process is there, and what it trades: for a process whose wallets another one shows. */
export async function serveProcess({ present, ...place }: Pick<Serving, 'present'> & FrontOptions) {
  const front = createFront(place)
  front.app.get('/healthz', async () => ({ ok: true }))
  front.app.get('/metrics', async (_request, reply) => {
    const processes = await present()
    const { text, contentType } = await fleetMetrics(
      { wallets: [], limits: [], processes },
      place.clock.now(),
    )
    return reply.type(contentType).send(text)
  })
  const { url } = await front.listen()
  return { url, close: front.close }
}
