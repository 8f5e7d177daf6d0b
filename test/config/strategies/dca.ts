import { defineStrategy, wait } from '#strategy'

export default defineStrategy({
  name: 'dca',
  summary: 'Waits.',
  params: (fields) =>
    fields.trade({
      cron: fields.cron,
      timeZone: fields.timeZone,
      tolerance: fields.bps,
      start: fields.optional(fields.instant),
      missed: fields.optional(fields.missed),
      mode: fields.optional(fields.choice('fixed', 'averaging')),
      dip: fields.optional(fields.factor),
      weights: fields.optional(fields.weights),
    }),
  schedule: ({ cron, timeZone }) => ({ kind: 'cron', expression: cron, timeZone }),
  watch: ({ sell, buy }) => [{ sell, buy }],
  decide: () => wait('It always does.'),
})
