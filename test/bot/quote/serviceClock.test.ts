import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createQuoteApi } from '../../../src/bot/quote/api/createQuoteApi.ts'

const noon = Date.UTC(2026, 4, 4, 12)

/** What is noted of the clock of a service that says this. */
async function datesOf(date: string | undefined) {
  const server = createServer((_request, response) => {
    response.sendDate = false
    if (date !== undefined) response.setHeader('date', date)
    response.setHeader('content-type', 'application/json').end('{"chains":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const dates: unknown[] = []
  const api = createQuoteApi({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: undefined,
    timeoutMs: 5_000,
    clock: { now: () => noon, sleep: async () => {} },
    onDate: (seen) => dates.push(seen),
  })
  // Whether the body is one of this API does not matter to its clock.
  await api.chains().catch(() => undefined)
  await api.close()
  await new Promise((resolve) => server.close(resolve))
  return dates[0]
}

test('[API-37] the service’s clock is noted beside ours; one that says nothing readable is not', async () => {
  expect(await datesOf('Mon, 04 May 2026 12:00:11 GMT')).toEqual({
    saidAt: noon + 11_000,
    receivedAt: noon,
  })
  expect(await datesOf('yesterday')).toBeUndefined()
  expect(await datesOf(undefined)).toBeUndefined()
})
