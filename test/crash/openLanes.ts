import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Field, openField } from './openField.ts'

/** Fields that tests take in turns: each waits until one is free. */
export async function openLanes(count: number) {
  const own = mkdtempSync(join(tmpdir(), 'ballast-crash-'))
  const fields = await Promise.all(
    Array.from({ length: count }, (_, lane) =>
      openField(join(own, `lane-${lane}`), { server: async () => inject('postgres') }),
    ),
  )
  const free = [...fields]
  const waiting: ((field: Field) => void)[] = []
  return {
    async use<result>(act: (field: Field) => Promise<result>): Promise<result> {
      const field = free.pop() ?? (await new Promise<Field>((resolve) => waiting.push(resolve)))
      try {
        return await act(field)
      } finally {
        const next = waiting.shift()
        if (next === undefined) free.push(field)
        else next(field)
      }
    },
    async close() {
      await Promise.all(fields.map((field) => field.close()))
      rmSync(own, { recursive: true, force: true })
    },
  }
}
