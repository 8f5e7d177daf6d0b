import { defineStrategy, wait } from '#strategy'

/** Stands still, so that sentences about parameters can be told word by word. */
export default defineStrategy({
  name: 'threshold',
  summary: 'Waits.',
  params: (fields) =>
    fields.trade({
      price: fields.price,
      every: fields.seconds,
      keep: fields.optional(fields.amount),
      limits: fields.optional(fields.object({ share: fields.share, slices: fields.count })),
    }),
  schedule: ({ every }) => ({ kind: 'every', seconds: every }),
  watch: ({ sell, buy }) => [{ sell, buy }],
  decide: () => wait('It always does.'),
})
