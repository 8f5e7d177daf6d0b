import { refuse } from './parts.ts'

/** Checks where a journal is to be: a file, or a database of PostgreSQL with everything in its address. */
export function databaseText(value: string): void {
  if (/^postgres(?:ql)?:/.test(value)) addressText(value)
  else pathText(value)
}

function pathText(value: string): void {
  if (!/^sqlite:.+/.test(value))
    refuse(
      "is not a database: write sqlite: and a path, such as 'sqlite:./ballast.db', or postgres://user@host/database.",
    )
  if (/^sqlite:(?:\/\/)?:memory:/.test(value))
    refuse(
      'is a database in memory, which a crash would empty: write a path, such as sqlite:./ballast.db.',
    )
}

const modes = ['disable', 'verify-full']
const known = ['sslmode', 'sslrootcert']

/** Its sentences never repeat the address: it may carry a password. */
function addressText(value: string): void {
  if (!URL.canParse(value))
    refuse('is not an address: write postgres://user:password@host:5432/database.')
  const { hostname, username, password, pathname, searchParams } = new URL(value)
  if (hostname === '' || username === '' || !/^\/[^/]+$/.test(pathname))
    refuse('leaves out the user, the host or the database: write postgres://user@host/database.')
  if (![username, password, pathname].every(isEncoded))
    refuse('has a % that encodes nothing: write %25 for the sign itself.')
  const strange = [...searchParams.keys()].find((name) => !known.includes(name))
  if (strange !== undefined)
    refuse(`has a setting that is not known here: known are ${known.join(' and ')}.`)
  const mode = searchParams.get('sslmode')
  if (mode !== null && !modes.includes(mode))
    refuse(
      'has an sslmode that lets another server answer: write verify-full, or disable where nobody listens in.',
    )
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
