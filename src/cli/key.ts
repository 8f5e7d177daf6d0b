import { resolve } from 'node:path'
import { openKeyHolder } from '../app/openKeyHolder.ts'
import { writeKeystore } from '../bot/sign/keystore/writeKeystore.ts'
import { readPrivateKey } from '../config/file/privateKeys.ts'
import { ballastError } from '../core/errors.ts'
import { sameAddress } from '../core/token.ts'
import { type CommandGroup, defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'
import { newPassword } from './newPassword.ts'

/** What `key new` and `key import` have in common. */
const options = {
  out: {
    flags: '--out <file>',
    summary: 'the keystore to write; never over another',
    required: true,
  },
  passwordStdin: {
    flags: '--password-stdin',
    summary:
      'the password is the line of standard input, of import the first; without it, WALLET_PASSWORD_FILE',
  },
} as const

const create = defineCommand({
  name: 'new',
  summary:
    'makes a key, encrypts it into a file and prints its address; the key itself is never shown',
  example: 'ballast key new --out treasury.json --password-stdin < password',
  options,
  async run({ options: { out, passwordStdin }, cwd, stdin, ...invocation }) {
    const piped = passwordStdin ? await stdin.text('The password') : undefined
    const password = newPassword(piped, { cwd, ...invocation })
    const file = resolve(cwd, out)
    return { address: await writeKeystore({ file, password }), file }
  },
  text: ({ address }) => address,
})

const importKey = defineCommand({
  name: 'import',
  summary: 'encrypts the private key from standard input into a file and prints its address',
  example: 'ballast key import --out treasury.json < private-key',
  options,
  async run({ options: { out, passwordStdin }, cwd, stdin, ...invocation }) {
    const text = await stdin.text('The private key')
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
    return { address: await writeKeystore({ file, password, key }), file }
  },
  text: ({ address }) => address,
})

const address = defineCommand({
  name: 'address',
  summary: "the address of the key, as its holder says, and whether it is the configured wallet's",
  example: 'ballast key address --config ballast.yaml',
  config: 'everything',
  async run({ config: { wallet } }) {
    const holder = await openKeyHolder(wallet)
    await holder.close?.()
    return {
      wallet: wallet.name,
      signer: wallet.signer.kind,
      address: holder.address,
      configured: wallet.address,
      agrees: sameAddress(holder.address, wallet.address),
    }
  },
  text: ({ address: own, signer, configured, agrees }) =>
    agrees
      ? `${own} (${signer}), as wallet.address says`
      : `${own} (${signer}), but wallet.address is ${configured}: correct one of them`,
  exitCode: ({ agrees }) => (agrees ? exitCodes.done : exitCodes.usage),
})

export const command: CommandGroup = {
  name: 'key',
  summary: 'make or import a key, or show its address',
  commands: [create, importKey, address],
}
