import type { Path, Problem } from '../../core/problem.ts'

/** Keys that only ever hold a secret, and the variable it belongs in. */
const secretKeys: readonly (readonly [RegExp, string])[] = [
  [/^(?:quote)?api[-_]?key$|^api[-_]?token$|^bearer$/i, 'QUOTE_API_KEY'],
  [/^(?:wallet)?[-_]?(?:private)?[-_]?key$|^mnemonic$|^seed([-_]?phrase)?$/i, 'WALLET_KEY'],
  [/password|passphrase/i, 'WALLET_PASSWORD_FILE'],
  [/secret$/i, 'a variable'],
]

/** The one value that looks like a private key and is none. */
const codeHash = 'service.routerCodeHash'

/** An address with a password in front of its host. */
const withPassword = /^postgres(?:ql)?:\/\/[^/@]*:[^/]+@/

/** Finds secrets in the file. Its sentences never repeat a value. */
export function findSecrets(value: unknown, path: Path = []): readonly Problem[] {
  if (typeof value === 'string') {
    if (withPassword.test(value))
      return [
        {
          path,
          sentence:
            'carries a password, and secrets never live in this file: remove it and set DATABASE_URL in the environment or .env.',
        },
      ]
    // One digit too many or too few is a slip of the same paste.
    if (!/^\s*(?:0x)?[0-9a-f]{62,66}\s*$/i.test(value) || path.join('.') === codeHash) return []
    return [
      {
        path,
        sentence:
          'looks like a private key, and secrets never live in this file: remove it, use another key from now on, and set WALLET_KEY in the environment or .env.',
      },
    ]
  }
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([key, part]) => {
    const inside = [...path, isList ? Number(key) : key]
    const rule = isList ? undefined : secretKeys.find(([pattern]) => pattern.test(key))
    if (rule === undefined || typeof part === 'object') return findSecrets(part, inside)
    return [
      {
        path: inside,
        sentence: `is a secret, and secrets never live in this file: remove it and set ${rule[1]} in the environment or .env.`,
      },
    ]
  })
}
