import type { CommandGroup } from './command.ts'
import { address } from './key/address.ts'
import { create } from './key/create.ts'
import { importKey } from './key/importKey.ts'

export const command: CommandGroup = {
  name: 'key',
  summary: 'make, import, check the key of the wallet',
  commands: [create, importKey, address],
}
