import { resolve } from 'node:path'
import { writeKeystore } from '../../bot/sign/keystore/writeKeystore.ts'
import { readPrivateKey } from '../../config/file/privateKeys.ts'
import { ballastError } from '../../core/errors.ts'
import { defineCommand } from '../command.ts'
import { newPassword } from './newPassword.ts'
import { options } from './options.ts'

export const importKey = defineCommand({
  name: 'import',
  summary: 'encrypts the private key from standard input into a file and prints its address',
  example: 'ballast key import --out treasury.json < private-key',
  options,
  async run({ options: { out, passwordStdin }, cwd, json, terminal, ...invocation }) {
    const text = await invocation.stdin.text('The private key')
    const end = passwordStdin ? text.indexOf('\n') + 1 : 0
    const key = readPrivateKey(text.slice(end))
    const piped = passwordStdin ? text.slice(0, end) : undefined
    const password = newPassword(piped, { cwd, ...invocation })
    if (key === undefined)
      throw ballastError(
        'NOT_A_KEY',
        passwordStdin
          ? 'Standard input is not a line with the password and one with the private key, 0x and 64 hex digits.'
          : 'Standard input is not a private key: pipe in 0x and 64 hex digits (what came is not shown).',
      )
    const file = resolve(cwd, out)
    const address = await writeKeystore({ file, password, key })
    if (json) terminal.json({ address, file })
    else terminal.out(address)
  },
})
