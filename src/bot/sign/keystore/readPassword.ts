import { BallastError } from '../../../core/errors.ts'
import { type Secret, secret } from '../../../core/secret.ts'
import { readPrivateFile } from './readPrivateFile.ts'

/** The password in a file. One newline at its end is the editor's, everything else is the password. */
export function readPassword(file: string): Secret {
  const password = readPrivateFile(file, 'password file').replace(/\r?\n$/, '')
  if (password === '')
    throw new BallastError('The password file is empty.', {
      code: 'PASSWORD_MISSING',
      remedy: 'halt',
      fault: 'usage',
      facts: { file },
    })
  return secret(password)
}
