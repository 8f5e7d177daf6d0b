/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of this process. Everything else is handed it as a value. */
export function processEnvironment(): Environment {
  return process.env
}
