import { Gauge, Registry } from 'prom-client'
import { printHtml } from '../core/html.ts'
import { addEvents } from './addEvents.ts'
import { addHalt } from './addHalt.ts'
import type { Dashboard } from './createDashboard.ts'
import { createFront, type Front, type FrontOptions } from './createFront.ts'
import { notFound } from './failures.ts'
import { type FleetView, fleetPage } from './fleetPage.ts'
import { favicon } from './layout.ts'
import type { LockView } from './views.ts'

type Options = FrontOptions & {
  readonly view: () => Promise<FleetView>
  /** A number that rises with every entry of every log. */
  readonly newest: () => Promise<number>
  /** Halts every wallet; returns one of the locks. */
  readonly halt: (why: { readonly reason: string; readonly by: string }) => Promise<LockView>
  /** The pages of a wallet by its name, ready to be asked; undefined for none of that name. */
  readonly pagesOf: (wallet: string) => Dashboard | undefined
}

/** The path of a wallet's pages. */
export const pathOfWallet = (wallet: string): string => `/w/${wallet}`

/** One dashboard for several wallets: a first page over all of them, and behind it the pages of each. */
export function createFleetDashboard(options: Options): Front {
  const { view, newest, halt, pagesOf, clock } = options
  const front = createFront(options)
  const { app, door, senderOf } = front
  app.addHook('onRequest', async ({ raw }, reply) => {
    const [, wallet = '', rest = ''] = /^\/w\/([^/?]+)(.*)$/s.exec(raw.url ?? '') ?? []
    if (wallet === '') return
    const pages = pagesOf(wallet)
    if (pages === undefined) throw notFound('There is no such wallet.')
    if (rest === '' || rest.startsWith('?')) return reply.redirect(`${pathOfWallet(wallet)}/`, 303)
    // Its own front answers, under the path that it knows.
    raw.url = rest
    reply.hijack()
    pages.app.routing(raw, reply.raw)
  })
  app.get('/', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(printHtml(fleetPage(await view(), clock.now()))),
  )
  app.get('/favicon.svg', (_request, reply) => reply.type('image/svg+xml').send(favicon))
  app.get('/api/wallets', view)
  app.get('/healthz', async () => ({ ok: true }))
  app.get('/readyz', async (_request, reply) => {
    const troubled = (await view()).wallets.filter(({ state }) => state !== 'RUNNING')
    const problems = troubled.map(({ name, state }) => `${name}: ${state}`)
    return reply
      .code(troubled.length === 0 ? 200 : 503)
      .send({ ready: troubled.length === 0, problems })
  })
  app.get('/metrics', async (_request, reply) => {
    const { text, contentType } = await fleetMetrics(await view(), clock.now())
    return reply.type(contentType).send(text)
  })
  app.register((scope) => addHalt(scope, { halt, door, senderOf }))
  addEvents(app, { queries: { newest }, clock })
  return front
}

/** The fleet in Prometheus' text format; each wallet has its own figures at its path. */
export async function fleetMetrics({ wallets, processes }: FleetView, now: number) {
  const registry = new Registry()
  const registers = [registry]
  const help = 'Always 1: the process of a fleet answers.'
  new Gauge({ name: 'ballast_process_up', help, registers }).set(1)
  const states = new Gauge({
    name: 'ballast_wallets',
    help: 'Wallets of the file, by state.',
    labelNames: ['state'],
    registers,
  })
  for (const { state } of wallets) states.inc({ state })
  const byCode = (name: string, about: string) =>
    new Gauge({ name, help: about, labelNames: ['wallet', 'code'], registers })
  const locked = byCode('ballast_lock', 'Locks that hold now, by wallet and code.')
  const attention = byCode(
    'ballast_attention',
    'Things a person must know now, by wallet and code.',
  )
  const age = new Gauge({
    name: 'ballast_head_age_seconds',
    help: 'Age of the newest block, by wallet.',
    labelNames: ['wallet'],
    registers,
  })
  for (const { name: wallet, locks, attention: items, headAt } of wallets) {
    for (const code of locks) locked.inc({ wallet, code })
    for (const { code } of items) attention.inc({ wallet, code })
    if (headAt !== null) age.set({ wallet }, (now - Date.parse(headAt)) / 1_000)
  }
  const traded = new Gauge({
    name: 'ballast_wallets_traded',
    help: 'Wallets that a process trades now, by process and role.',
    labelNames: ['process', 'role'],
    registers,
  })
  for (const { id, role, wallets: own } of processes) traded.set({ process: id, role }, own.length)
  return { text: await registry.metrics(), contentType: registry.contentType }
}
