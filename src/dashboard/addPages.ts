import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { type Html, printHtml } from '../core/html.ts'
import { dayMs, minuteMs } from '../core/spans.ts'
import { auditPage } from './auditPage.ts'
import { calendarPage } from './calendarPage.ts'
import { failureOf } from './failures.ts'
import { favicon, type PageSetting } from './layout.ts'
import { marketPage } from './marketPage.ts'
import { overview } from './overview.ts'
import { documentPolicy } from './pagePolicy.ts'
import type { Queries } from './queries.ts'
import {
  beforeQuery,
  findStrategy,
  findSwap,
  indicationQuery,
  monthFileParams,
  monthParams,
  monthQuery,
  readRequest,
  swapQuery,
} from './readRequest.ts'
import { reportsPage } from './reportsPage.ts'
import { riskPage } from './riskPage.ts'
import { strategyPage } from './strategyPage.ts'
import { swapPage } from './swapPage.ts'
import { swapsPage } from './swapsPage.ts'
import type { Health } from './views.ts'

/** What pages and the API read. */
export type Sources = {
  readonly queries: Queries
  readonly health: () => Promise<Health>
  readonly clock: Clock
}

/** The value of the wallet is shown over so long. */
export const valueMs = 30 * dayMs + minuteMs

/** Fills of the first page, and swaps of that of a strategy. */
const fillsShown = 5
const swapsShown = 10

/** Swaps under way: a bot has one a wallet, and what is not decided yet. */
const openMax = 20

/** Every page, whole without its script. */
export function addPages(app: FastifyInstance, sources: Sources): void {
  const { queries, clock } = sources
  const show = async (reply: FastifyReply, made: (setting: PageSetting) => Promise<Html>) => {
    const [health, locks] = await Promise.all([sources.health(), queries.locks()])
    const document = await made({ health, locks, now: clock.now() })
    return reply.type('text/html; charset=utf-8').send(printHtml(document))
  }
  app.get('/', (_request, reply) =>
    show(reply, async (setting) => {
      const [strategies, plan, open, fills, value, targets, limits] = await Promise.all([
        queries.strategies(),
        // Where a plan cannot be made, the page is needed all the more.
        queries.coming().catch((error: unknown) => failureOf(error).body),
        queries.swaps({ limit: openMax, outcome: 'open' }),
        queries.fills(fillsShown),
        queries.value(setting.now - valueMs),
        queries.targets(),
        queries.limits(),
      ])
      return overview({ strategies, plan, open, fills, value, targets, limits }, setting)
    }),
  )
  addSwapPages(app, { ...sources, show })
  app.get('/market', ({ query }, reply) => {
    const { sell, buy } = readRequest(indicationQuery, query)
    const asked = sell === undefined || buy === undefined ? undefined : { sell, buy }
    return show(reply, async (setting) => {
      const [markets, fillers, answer] = await Promise.all([
        queries.markets(),
        queries.fillers(),
        asked && queries.indication(asked).catch((error: unknown) => failureOf(error).body),
      ])
      return marketPage({ markets, fillers, asked, answer }, setting)
    })
  })
  app.get('/calendar', ({ query }, reply) => {
    const { month } = readRequest(monthQuery, query)
    return show(reply, async (setting) => calendarPage(await queries.calendar(month), setting))
  })
  app.get('/risk', (_request, reply) =>
    show(reply, async (setting) => {
      const [limits, breakers, locks] = await Promise.all([
        queries.limits(),
        queries.breakers(),
        queries.pastLocks(),
      ])
      return riskPage({ limits, breakers, locks }, setting)
    }),
  )
  app.get('/audit', ({ query }, reply) => {
    const { before } = readRequest(beforeQuery, query)
    return show(reply, async (setting) => auditPage(await queries.audit(before), setting))
  })
  app.get('/reports', (_request, reply) =>
    show(reply, async (setting) => reportsPage(await queries.months(), setting)),
  )
  app.get('/reports/:month', async ({ params }, reply) => {
    const { month } = readRequest(monthParams, params)
    const { text, style } = await queries.monthFile(month, 'statement')
    reply.header('content-security-policy', documentPolicy(style))
    return reply.type('text/html; charset=utf-8').send(text)
  })
  app.get('/reports/:month/:kind.csv', async ({ params }, reply) => {
    const { month, kind } = readRequest(monthFileParams, params)
    const { text } = await queries.monthFile(month, kind)
    reply.header('content-disposition', `attachment; filename="${kind}-${month}.csv"`)
    return reply.type('text/csv; charset=utf-8').send(text)
  })
  app.get('/favicon.svg', (_request, reply) => reply.type('image/svg+xml').send(favicon))
}

type Show = (reply: FastifyReply, made: (setting: PageSetting) => Promise<Html>) => Promise<unknown>

function addSwapPages(app: FastifyInstance, { queries, show }: Sources & { readonly show: Show }) {
  app.get('/swaps', ({ query }, reply) => {
    const { limit, before, ...filter } = readRequest(swapQuery, query)
    return show(reply, async (setting) => {
      const [swaps, strategies] = await Promise.all([
        queries.swaps({ limit, before, ...filter }),
        queries.strategies(),
      ])
      const older = swaps.length === limit ? swaps.at(-1)?.id : undefined
      const names = strategies.map(({ name }) => name)
      return swapsPage({ swaps, filter, older, strategies: names }, setting)
    })
  })
  app.get('/swaps/:id', async ({ params }, reply) => {
    const swap = await findSwap(queries, params)
    return show(reply, async (setting) => {
      // Its facts may be in an archive that is not at hand.
      const story = await queries.story(swap.id).catch((error: unknown) => failureOf(error).body)
      return swapPage(swap, story, setting)
    })
  })
  app.get('/strategies/:name', async ({ params, query }, reply) => {
    const strategy = await findStrategy(queries, { params, query })
    return show(reply, async (setting) => {
      const swaps = await queries.swaps({ limit: swapsShown, strategy: strategy.name })
      return strategyPage(strategy, swaps, setting)
    })
  })
}
