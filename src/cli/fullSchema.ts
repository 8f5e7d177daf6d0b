import { paramsSchema } from '../bot/strategy/paramsSchema.ts'
import { shippedStrategies } from '../bot/strategy/shippedStrategies.ts'
import { jsonSchema } from '../config/jsonSchema.ts'

/** The JSON Schema of `ballast.yaml` with the parameters of every strategy there is. */
export function fullSchema(): unknown {
  return jsonSchema(
    shippedStrategies().map(({ use, strategy }) => ({
      name: use,
      summary: strategy.summary,
      params: paramsSchema(strategy),
    })),
  )
}
