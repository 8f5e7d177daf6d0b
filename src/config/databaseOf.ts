import { dirname, resolve } from 'node:path'
import { secret } from '../core/secret.ts'
import type { DatabaseConfig } from './config.ts'

/** Reads where the journal is; a path is relative to the file that names it. */
export function databaseOf(text: string, { file }: { file: string }): DatabaseConfig {
  if (text.startsWith('sqlite:'))
    return {
      dialect: 'sqlite',
      path: resolve(dirname(file), text.replace(/^sqlite:(?:\/\/(?=\/))?/, '')),
    }
  const { password } = new URL(text)
  // The password is what must not be shown, as written and as the server reads it; names of hosts are no secret.
  if (password !== '') for (const form of [password, decodeURIComponent(password)]) secret(form)
  return { dialect: 'postgres', url: secret(text) }
}
