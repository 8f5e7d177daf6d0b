import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { createJsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import packageJson from '../../../package.json' with { type: 'json' }
import { failure } from '../../api/failure.ts'
import { addressField } from '../../api/fields.ts'
import type { Operation } from '../endpoints/operation.ts'
import type { ErrorStyle } from './reportFailures.ts'

/**
 * OpenAPI 3.1 at `/docs/json` and a page to try it at `/docs`, from the schemas the bot parses answers with.
 *
 * The schemas describe; they do not run here: parameters have their own reader, with sentences, and an answer's shape is
 * held by the compiler and the tests.
 */
export function describe(app: FastifyInstance): void {
  app.setValidatorCompiler(() => (value: unknown) => ({ value }))
  app.setSerializerCompiler(() => (value: unknown) => JSON.stringify(value))
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Token-swap quoting service',
        version: packageJson.version,
        description:
          'Amounts in the smallest unit are text. Send `amount` in token units or `amount_wei`, never both. ' +
          'A chain and who sells are needed, each under one of its names. Parameters with other names are ignored.',
      },
      components: {
        securitySchemes: { apiKey: { type: 'apiKey', name: 'apiKey', in: 'header' } },
      },
    },
    transform: createJsonSchemaTransform({}) as never,
  })
  app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true })
}

/** The input and the answer of an operation, for the description. */
export function schemaOf(
  { endpoint, summary, hasVersions }: Operation,
  errorStyle: ErrorStyle = 'status',
): FastifySchema {
  const { query, response } = endpoint
  return {
    operationId: endpoint.name,
    summary,
    querystring: withEveryName(query),
    response: {
      200: errorStyle === 'native200' ? z.union([response, failure]) : response,
      ...(hasVersions ? { 304: z.undefined().describe('The client has this version.') } : {}),
      '4xx': failure,
      '5xx': failure,
    },
    // No key is needed where none is configured.
    security: [{ apiKey: [] }, {}],
  } as FastifySchema
}

/** The parameters under all their names. That one of two must be there cannot be said of parameters. */
function withEveryName({ shape }: z.ZodObject): z.ZodObject {
  const names = {
    ...('chain' in shape || 'src_chain' in shape ? chainNames : {}),
    ...('from_address' in shape ? partyNames : {}),
  }
  return z.object({ ...names, ...shape, ...names })
}

const chainNames = {
  chain: z
    .string()
    .optional()
    .describe('A `chain` of GET /v1/chains in any letter case, or its number.'),
  src_chain: z.string().optional().describe('Chain of token_in; with dst_chain, instead of chain.'),
  dst_chain: z.string().optional().describe('Chain of token_out: the same one.'),
}

const partyNames = {
  from_address: addressField
    .optional()
    .describe('Who sells: the only one that can send the transaction.'),
  address: addressField.optional().describe('Instead of from_address.'),
  to_address: z
    .string()
    .regex(/^(?:0x[0-9a-fA-F]{40})?$/)
    .optional()
    .describe('Who receives; without it or empty, from_address.'),
}
