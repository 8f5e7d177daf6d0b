// Apart from the server, which has parts of the bot in it: they import `pg`, and this is a part of that.

/** What the server says in place of an answer, with its own code. */
export class ServerError extends Error {
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}
