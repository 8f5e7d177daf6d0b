import { isLoopback } from '../../core/hostOf.ts'
import type { Path, Problem } from '../../core/problem.ts'
import { withoutCredentials } from '../../core/secret.ts'
import { isSection } from './overrides.ts'

/** Addresses of plain http to other machines, where no section around them allows it. */
export function findPlainHttp(value: unknown, path: Path = []): readonly Problem[] {
  if (typeof value === 'string') {
    if (!/^http:/i.test(value) || !URL.canParse(value) || isLoopback(new URL(value).hostname))
      return []
    const sentence = `${withoutCredentials(value)} is plain http to another machine, which others can read and change: write https://, or insecure: true beside it.`
    return [{ path, sentence }]
  }
  if (Array.isArray(value))
    return value.flatMap((part, index) => findPlainHttp(part, [...path, index]))
  if (!isSection(value) || value.insecure === true) return []
  return Object.entries(value).flatMap(([name, part]) => findPlainHttp(part, [...path, name]))
}
