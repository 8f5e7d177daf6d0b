import { resolve } from 'node:path'
import { readPassword } from '../bot/sign/keystore/readPrivateFile.ts'
import { variables } from '../config/file/variables.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import { type Secret, secret } from '../core/secret.ts'
import type { Invocation } from './invocation.ts'

/** A stolen file can be guessed at as fast as machines allow. */
const charactersMin = 8

/** The password of a keystore to be written: as piped in, or of the file that WALLET_PASSWORD_FILE names. */
export function newPassword(
  piped: string | undefined,
  { configFile, environment, cwd }: Pick<Invocation, 'configFile' | 'environment' | 'cwd'>,
): Secret {
  const password = piped === undefined ? fromFile() : secret(piped.replace(/\r?\n$/, ''))
  // The file of a password is taken whole: which of several lines is meant cannot be told.
  if (piped !== undefined && password.reveal().includes('\n'))
    throw refused('Standard input has more than one line: pipe in the password alone.')
  if (password.reveal().length < charactersMin)
    throw refused(`The password has fewer than ${charactersMin} characters: choose a longer one.`)
  return password

  function fromFile(): Secret {
    const file = resolve(cwd, configFile)
    const variable = variables({ environment, file, cwd })('WALLET_PASSWORD_FILE')
    if (variable === undefined)
      throw refused(
        'A keystore needs a password: set WALLET_PASSWORD_FILE to a file of mode 600, or pipe it in with --password-stdin.',
      )
    return readPassword(resolve(file, '..', variable.value))
  }
}

function refused(summary: string): BallastError {
  return ballastError('PASSWORD_MISSING', summary)
}
