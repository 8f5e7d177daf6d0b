import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Sources, valueMs } from './addPages.ts'
import { botMetrics } from './botMetrics.ts'
import { notFound } from './failures.ts'
import {
  beforeQuery,
  findStrategy,
  findSwap,
  idParams,
  indicationQuery,
  monthQuery,
  nameParams,
  readRequest,
  spanQuery,
  swapQuery,
} from './readRequest.ts'

/** One address of the API: what it gives, and the shapes of its path and its query. */
type Route = {
  readonly path: string
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly answer: (request: Pick<FastifyRequest, 'params' | 'query'>) => Promise<unknown>
}

/** The newest fills of an answer. */
const fillsMax = 20

/** The whole of the API that only reads, as one list: it is served, and described, from this. */
const routesOf = (sources: Sources): readonly Route[] => [
  ...stateRoutes(sources),
  ...swapRoutes(sources),
  ...historyRoutes(sources),
]

const stateRoutes = ({ queries, health, clock }: Sources): readonly Route[] => [
  {
    path: '/api/health',
    summary: 'How the process is doing, and what needs attention.',
    answer: async () => ({ ok: true, ...(await health()) }),
  },
  {
    path: '/api/strategies',
    summary: 'Every strategy with its last decision.',
    answer: () => queries.strategies(),
  },
  {
    path: '/api/strategies/:name',
    summary: 'One strategy: prices, budgets, decisions, parameters.',
    params: nameParams,
    query: beforeQuery,
    answer: (request) => findStrategy(queries, request),
  },
  {
    path: '/api/value',
    summary: 'What the wallet holds and was worth over 30 days; null before the first valuation.',
    answer: () => queries.value(clock.now() - valueMs),
  },
  {
    path: '/api/targets',
    summary: 'Weights that strategies keep, beside those of now, in bps.',
    answer: () => queries.targets(),
  },
  {
    path: '/api/limits',
    summary: 'Limits over time, and what is used of them.',
    answer: () => queries.limits(),
  },
  {
    path: '/api/breakers',
    summary: 'When each breaker locks, and how far it is from there.',
    answer: () => queries.breakers(),
  },
  { path: '/api/locks', summary: 'Locks that hold now.', answer: () => queries.locks() },
  {
    path: '/api/locks/past',
    summary: 'Locks that are or were, newest first.',
    answer: () => queries.pastLocks(),
  },
  {
    path: '/api/plan',
    summary: 'What the schedules do if prices stay as they are.',
    query: spanQuery,
    answer: ({ query }) => queries.plan(readRequest(spanQuery, query).next),
  },
]

const swapRoutes = ({ queries }: Sources): readonly Route[] => [
  {
    path: '/api/swaps',
    summary: 'Swaps, newest first, a page of them.',
    query: swapQuery,
    answer: ({ query }) => queries.swaps(readRequest(swapQuery, query)),
  },
  {
    path: '/api/swaps/:id',
    summary: 'One swap.',
    params: idParams,
    answer: ({ params }) => findSwap(queries, params),
  },
  {
    path: '/api/swaps/:id/story',
    summary: 'What happened to a swap: steps, checks, prices, signed bytes.',
    params: idParams,
    async answer({ params }) {
      const story = await queries.story((await findSwap(queries, params)).id)
      if (story === undefined) throw notFound('There is no such swap.')
      return story
    },
  },
  {
    path: '/api/swaps/:id/quote',
    summary: 'The firm quote of a swap, as the service sent it.',
    params: idParams,
    async answer({ params }) {
      const quote = await queries.quote((await findSwap(queries, params)).id)
      if (quote === undefined) throw notFound('No firm quote of it is in the journal.')
      return JSON.parse(quote)
    },
  },
  {
    path: '/api/fills',
    summary: 'The newest settled swaps with what they cost in all.',
    answer: () => queries.fills(fillsMax),
  },
]

const historyRoutes = ({ queries }: Sources): readonly Route[] => [
  {
    path: '/api/calendar',
    summary: 'A month: slots done, passed, missed, failed and planned, and settled swaps, by day.',
    query: monthQuery,
    answer: ({ query }) => queries.calendar(readRequest(monthQuery, query).month),
  },
  {
    path: '/api/markets',
    summary: 'What the strategies saw of their markets.',
    answer: () => queries.markets(),
  },
  {
    path: '/api/fillers',
    summary: "How well seven days' swaps were filled, by maker and by strategy.",
    answer: () => queries.fillers(),
  },
  {
    path: '/api/indication',
    summary: 'A price for an amount such as `1 WETH`. Nothing is ordered.',
    query: indicationQuery.required(),
    answer: ({ query }) => {
      const wanted = z.object({ sell: z.string().max(64), buy: z.string().max(64) })
      return queries.indication(readRequest(wanted, query))
    },
  },
  {
    path: '/api/months',
    summary: 'Months that there is a statement of at /reports/{month}.',
    answer: () => queries.months(),
  },
  {
    path: '/api/audit',
    summary: 'The head of the log, and a page of its entries, newest first.',
    query: beforeQuery,
    answer: ({ query }) => queries.audit(readRequest(beforeQuery, query).before),
  },
]

/** What programs read. Everything of it only reads; `POST /api/halt` is elsewhere. */
export function addApi(app: FastifyInstance, sources: Sources): void {
  const { queries, health, clock } = sources
  app.get('/healthz', async () => ({ ok: true }))
  for (const url of ['/readyz', '/api/ready'])
    app.get(url, async (_request, reply) => {
      const { ready, attention } = await health()
      const codes = [...new Set(attention.map(({ code }) => code))]
      const problems = attention.map(({ sentence }) => sentence)
      return reply.code(ready ? 200 : 503).send({ ready, codes, problems })
    })
  app.get('/metrics', async (_request, reply) => {
    const [state, locks, strategies, figures] = await Promise.all([
      health(),
      queries.locks(),
      queries.strategies(),
      queries.figures(),
    ])
    const measured = { health: state, locks, strategies, figures, now: clock.now() }
    const { text, contentType } = await botMetrics(measured)
    return reply.type(contentType).send(text)
  })
  const routes = routesOf(sources)
  for (const { path, answer } of routes) app.get(path, (request) => answer(request))
  app.get('/api/openapi.json', async () => describe(routes))
}

/** The list as OpenAPI 3.1: paths, parameters, and the shape that every failure has. */
function describe(routes: readonly Route[]) {
  const failure = { $ref: '#/components/responses/Failure' }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ballast dashboard',
      version: '1',
      description: 'Reads the journal of a running bot. POST /api/halt alone changes anything.',
    },
    paths: {
      ...Object.fromEntries(
        routes.map(({ path, summary, params, query }) => [
          path.replaceAll(/:(\w+)/g, '{$1}'),
          {
            get: {
              summary,
              parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query')],
              responses: { '200': { description: summary }, default: failure },
            },
          },
        ]),
      ),
      '/api/events': {
        get: {
          summary: 'Server-sent events: one for each time that the log has a newer entry.',
          responses: {
            '200': {
              description: 'The id is the number of the entry.',
              content: { 'text/event-stream': {} },
            },
            default: failure,
          },
        },
      },
      '/api/halt': {
        post: {
          summary: 'Signs and sends nothing any more, until a person resumes at the command line.',
          responses: { '200': { description: 'The lock that holds.' }, default: failure },
        },
      },
    },
    components: {
      responses: {
        Failure: {
          description: 'Why not.',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['error'],
                properties: {
                  error: {
                    type: 'object',
                    required: ['code', 'message', 'facts', 'remedy'],
                    properties: {
                      code: { type: 'string' },
                      message: { type: 'string' },
                      facts: { type: 'object' },
                      remedy: { type: 'string' },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  }
}

function parametersOf(shape: z.ZodObject | undefined, where: 'path' | 'query') {
  if (shape === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(shape, {
    io: 'input',
    unrepresentable: 'any',
  })
  return Object.entries(properties).map(([name, schema]) => ({
    ...{ name, in: where, schema },
    required: where === 'path' || required.includes(name),
  }))
}
