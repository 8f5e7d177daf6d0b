import fastify from 'fastify'
import { addApi } from '../src/dashboard/addApi.ts'
import type { Sources } from '../src/dashboard/addPages.ts'
import { operations } from '../src/service/createService.ts'
import { describe, schemaOf } from '../src/service/http/describe.ts'
import { markdownTable } from './markdownTable.ts'

type Shape = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly description?: string
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
}

type Operation = {
  readonly summary: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: Shape
  }[]
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Shape }>> }>
  >
}

type OpenApi = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

/** The reference of both APIs, from the descriptions that they serve of themselves. */
export async function apiPage(): Promise<string> {
  return `# API

The dashboard of the bot and the quoting service, from the descriptions in OpenAPI 3.1 that both serve. This page is generated:
\`npm run docs\` writes it.

## The dashboard

\`ballast run\` serves it; \`GET /api/openapi.json\` describes it. Who may read it, and how a program proves who it is:
docs/DASHBOARD.md. Every failure is \`{"error":{"code","message","facts","remedy"}}\` with a code of docs/ERRORS.md. Beside these,
\`/healthz\`, \`/readyz\` and \`/metrics\` are for monitors (docs/MONITORING.md).

${pathsOf(await dashboardApi())}
## The quoting service

\`ballast service\` serves it (docs/SERVICE.md); \`GET /docs/json\` describes it. Amounts in the smallest unit are text. Refusals have a
number and an HTTP status: docs/ERRORS.md.

${pathsOf(await serviceApi())}`
}

async function dashboardApi(): Promise<OpenApi> {
  const app = fastify()
  // A description asks none of them.
  addApi(app, {} as Sources)
  const { body } = await app.inject('/api/openapi.json')
  return JSON.parse(body)
}

async function serviceApi(): Promise<OpenApi> {
  const app = fastify()
  describe(app)
  app.register(async (scope) => {
    for (const operation of operations)
      scope.get(operation.endpoint.path, { schema: schemaOf(operation) }, async () => null)
  })
  const { body } = await app.inject('/docs/json')
  return JSON.parse(body)
}

const pathsOf = ({ paths }: OpenApi) =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        [
          `### \`${method.toUpperCase()} ${path}\``,
          operation.summary,
          ...parametersOf(operation),
          ...answerOf(operation),
        ].join('\n\n'),
      ),
    )
    .map((section) => `${section}\n\n`)
    .join('')

function parametersOf({ parameters = [] }: Operation): readonly string[] {
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: place, required, schema, description }) => [
    `\`${name}\``,
    place,
    required === true ? 'yes' : 'no',
    formOf(schema),
    description ?? schema.description ?? '',
  ])
  return [markdownTable([['parameter', 'in', 'required', 'form', 'meaning'], ...rows])]
}

/** The fields of an answer, one step deep: the description has the rest. */
function answerOf({ responses }: Operation): readonly string[] {
  const schema = responses['200']?.content?.['application/json']?.schema
  const fields = Object.entries(schema?.properties ?? schema?.items?.properties ?? {})
  if (fields.length === 0) return []
  const rows = fields.map(([name, shape]) => [
    `\`${name}\``,
    formOf(shape),
    shape.description ?? '',
  ])
  return [markdownTable([['field of the answer', 'form', 'meaning'], ...rows])]
}

const formOf = ({ type, enum: words, items }: Shape): string =>
  words?.map((word) => `\`${word}\``).join(', ') ??
  (type === 'array' ? `list of ${items?.type ?? 'values'}` : [type ?? ''].flat().join(' or '))
