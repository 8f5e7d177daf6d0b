import { openKeyHolder } from '../../app/openKeyHolder.ts'
import { sameAddress } from '../../core/token.ts'
import { defineCommand } from '../command.ts'
import { exitCodes } from '../exitCodes.ts'

export const address = defineCommand({
  name: 'address',
  summary: 'the address of the key, as its holder says, and whether it is the configured wallet’s',
  example: 'ballast key address --config ballast.yaml',
  async run({ config: load, json, terminal }) {
    const { wallet } = await load()
    const holder = await openKeyHolder(wallet)
    await holder.close?.()
    const agrees = sameAddress(holder.address, wallet.address)
    const { kind } = wallet.signer
    if (json)
      terminal.json({
        wallet: wallet.name,
        signer: kind,
        address: holder.address,
        configured: wallet.address,
        agrees,
      })
    else
      terminal.out(
        agrees
          ? `${holder.address} (${kind}), as wallet.address says`
          : `${holder.address} (${kind}), but wallet.address is ${wallet.address}: correct one of them`,
      )
    return agrees ? exitCodes.done : exitCodes.usage
  },
})
