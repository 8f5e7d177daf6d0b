import type { Value } from './disk.ts'
import type { Answer, Session } from './server.ts'

/** How one process reaches the server. */
export type Wire = {
  open(): Promise<Session>
  ask(
    session: Session,
    query: { readonly sql: string; readonly values: readonly Value[]; readonly waitMs: number },
  ): Promise<Answer>
}

/** By the user that a process names in the address of the journal: each process has its own. */
const wires = new Map<string, Wire>()

export function wireOf(user: string): Wire {
  const wire = wires.get(user)
  if (wire === undefined) throw new Error(`no process has the name ${user}`)
  return wire
}

export function layWire(user: string, wire: Wire): void {
  wires.set(user, wire)
}

export function takeUpWires(): void {
  wires.clear()
}
