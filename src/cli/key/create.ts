import { resolve } from 'node:path'
import { writeKeystore } from '../../bot/sign/keystore/writeKeystore.ts'
import { defineCommand } from '../command.ts'
import { newPassword } from './newPassword.ts'
import { options } from './options.ts'

export const create = defineCommand({
  name: 'new',
  summary:
    'makes a key, encrypts it into a file and prints its address; the key itself is never shown',
  example: 'ballast key new --out treasury.json --password-stdin < password',
  options,
  async run({ options: { out, passwordStdin }, cwd, json, terminal, ...invocation }) {
    const { stdin } = invocation
    const piped = passwordStdin ? await stdin.text('The password') : undefined
    const password = newPassword(piped, { cwd, ...invocation })
    const file = resolve(cwd, out)
    const address = await writeKeystore({ file, password })
    if (json) terminal.json({ address, file })
    else terminal.out(address)
  },
})
