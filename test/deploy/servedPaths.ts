import { createDashboard } from '../../src/dashboard/createDashboard.ts'
import { quietHealth, quietQueries } from '../support/noFigures.ts'

/** The paths for monitors that a dashboard answers with 200. */
export async function openServedPaths(): Promise<readonly string[]> {
  const none = async () => []
  const { app, close } = createDashboard({
    queries: {
      ...quietQueries,
      ...{ swaps: none, strategies: none, locks: none, swap: async () => undefined },
      plan: () => Promise.reject(new Error('no plan')),
    },
    health: async () => quietHealth,
    halt: () => Promise.reject(new Error('nobody halts')),
    clock: { now: () => 0, sleep: async () => {} },
    ...{ host: '127.0.0.1', port: 80 },
  })
  const paths = ['/healthz', '/readyz', '/metrics']
  const headers = { host: '127.0.0.1' }
  const statuses = await Promise.all(
    paths.map(async (url) => (await app.inject({ url, headers })).statusCode),
  )
  await close()
  return paths.filter((_, index) => statuses[index] === 200)
}
