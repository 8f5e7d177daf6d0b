import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { createJsonSchemaTransform } from 'fastify-type-provider-zod'
import packageJson from '../../../package.json' with { type: 'json' }
import { failure } from '../../api/failure.ts'
import type { Operation } from '../endpoints/operation.ts'

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
          'Parameters with other names are ignored; `chain` stands for `src_chain` and `dst_chain`, `address` for `from_address`.',
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
export function schemaOf({ endpoint, summary }: Operation): FastifySchema {
  return {
    operationId: endpoint.name,
    summary,
    querystring: endpoint.query,
    response: { 200: endpoint.response, '4xx': failure, '5xx': failure },
    // No key is needed where none is configured.
    security: [{ apiKey: [] }, {}],
  } as FastifySchema
}
