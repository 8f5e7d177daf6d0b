import { accessSync, constants, statSync } from 'node:fs'
import { secret } from '../core/secret.ts'
import { isEncoded, strayPercent } from './file/codecs.ts'
import { reject, text } from './file/field.ts'

/** Where the journal is: a file, or a database of PostgreSQL, whose address carries its password. */
export const database = (beside: (name: string) => string) =>
  text(
    (written) => {
      if (/^postgres(?:ql)?:/.test(written)) return readAddress(written, beside)
      if (!/^sqlite:.+/.test(written))
        reject(
          "is not a database: write sqlite: and a path, such as 'sqlite:./ballast.db', or postgres://user@host/database.",
        )
      if (/^sqlite:(?:\/\/)?:memory:/.test(written))
        reject(
          'is a database in memory, which a crash would empty: write a path, such as sqlite:./ballast.db.',
        )
      const path = beside(written.replace(/^sqlite:(?:\/\/(?=\/))?/, ''))
      return { dialect: 'sqlite' as const, path }
    },
    {
      example: 'sqlite:./ballast.db',
      form: '`sqlite:` and a path relative to this file, or an address of PostgreSQL.',
      encode: (found) => (found.dialect === 'sqlite' ? `sqlite:${found.path}` : found.url.reveal()),
    },
  )

const modes = ['disable', 'verify-full']
const known = ['sslmode', 'sslrootcert']

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Its sentences never repeat the address: it may carry a password. */
function readAddress(written: string, beside: (name: string) => string) {
  if (!URL.canParse(written))
    reject('is not an address: write postgres://user:password@host:5432/database.')
  const address = new URL(written)
  const { hostname, username, password, pathname, searchParams } = address
  if (hostname === '' || username === '' || !/^\/[^/]+$/.test(pathname))
    reject('leaves out the user, the host or the database: write postgres://user@host/database.')
  if (![username, password, pathname].every(isEncoded)) reject(strayPercent)
  const strange = [...searchParams.keys()].find((name) => !known.includes(name))
  if (strange !== undefined)
    reject(`has a setting that is not known here: known are ${known.join(' and ')}.`)
  const mode = searchParams.get('sslmode')
  if (mode !== null && !modes.includes(mode))
    reject(
      'has an sslmode that lets another server answer: write verify-full, or disable where nobody listens in.',
    )
  // Only the password must not be shown, as written and as the server reads it; names of hosts are no secret.
  if (password !== '') for (const form of [password, decodeURIComponent(password)]) secret(form)
  const authority = searchParams.get('sslrootcert')
  if (authority === null) return { dialect: 'postgres' as const, url: secret(written) }
  const file = beside(authority)
  if (!isReadable(file)) reject(`has an sslrootcert that cannot be read: ${file} must be a file.`)
  searchParams.set('sslrootcert', file)
  // As it was written as well: its password may stand there in another form.
  secret(written)
  return { dialect: 'postgres' as const, url: secret(address.href) }
}
