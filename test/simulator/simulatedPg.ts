import type { Value } from './disk.ts'
import type { Session } from './server.ts'
import { ServerError } from './serverError.ts'
import { type Wire, wireOf } from './wires.ts'

type Config = { readonly user?: string; readonly query_timeout?: number }

/** A connection as a process has it. */
class Client {
  readonly #wire: Wire
  readonly #waitMs: number
  #session: Session | undefined

  constructor({ user = '', query_timeout = 0 }: Config) {
    this.#wire = wireOf(user)
    this.#waitMs = query_timeout
  }

  on(): this {
    return this
  }

  async connect(): Promise<void> {
    this.#session = await this.#wire.open()
  }

  query(sql: string, values: readonly Value[] = []) {
    const session = this.#session
    if (session === undefined) throw new Error('a client is connected before it is used')
    return this.#wire.ask(session, { sql, values, waitMs: this.#waitMs })
  }

  async end(): Promise<void> {
    this.#session?.end()
  }
}

class Pool {
  readonly #config: Config
  readonly #idle: Client[] = []

  constructor(config: Config) {
    this.#config = config
  }

  on(): this {
    return this
  }

  async connect() {
    const known = this.#idle.pop()
    if (known !== undefined) return known
    const client = new Client(this.#config)
    await client.connect()
    return Object.assign(client, {
      release: (discard?: boolean) => {
        if (discard === true) void client.end()
        else this.#idle.push(client)
      },
    })
  }

  async end(): Promise<void> {
    for (const client of this.#idle) await client.end()
  }
}

/** What `pg` is in a simulation. */
export default {
  Client,
  Pool,
  DatabaseError: ServerError,
  types: { getTypeParser: () => (text: unknown) => text },
}
