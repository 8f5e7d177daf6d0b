/** The environment for a process that needs no key, token or password: without all that is named like one. */
export const keylessEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/KEY|TOKEN|PASSWORD|SECRET/.test(name)),
  )
