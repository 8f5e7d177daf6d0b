import { performance } from 'node:perf_hooks'
import { parentPort } from 'node:worker_threads'
import { Pool } from 'undici'

/** So many connections ask one path again and again, for a time or for a number of requests. */
export type Load = {
  readonly url: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds?: number
  readonly requests?: number
}

export type Loaded = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly requests: number
  /** Answers that were not 200. */
  readonly failed: number
}

async function run({ url, path, headers, connections, seconds, requests }: Load): Promise<Loaded> {
  const pool = new Pool(url, { connections, pipelining: 1 })
  const latencies: number[] = []
  let started = 0
  let failed = 0
  const begin = performance.now()
  const endsAt = begin + (seconds ?? Number.POSITIVE_INFINITY) * 1_000
  const ask = async () => {
    while (performance.now() < endsAt && started < (requests ?? Number.POSITIVE_INFINITY)) {
      started += 1
      const asked = performance.now()
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
      await body.dump({ limit: 16 * 1024 * 1024 })
      latencies.push(performance.now() - asked)
      if (statusCode !== 200) failed += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  const elapsed = (performance.now() - begin) / 1_000
  await pool.close()
  latencies.sort((a, b) => a - b)
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN
  return {
    perSecond: latencies.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    requests: latencies.length,
    failed,
  }
}

parentPort?.on('message', async (load: Load) => parentPort?.postMessage(await run(load)))
